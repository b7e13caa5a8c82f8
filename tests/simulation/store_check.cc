#include "simulation/store_check.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "engine/apply/apply.h"
#include "engine/apply/memory_fold.h"
#include "engine/base/hash.h"
#include "engine/log/chain.h"
#include "engine/log/tail.h"
#include "engine/model/tables.h"

namespace perdure::simulation {
namespace {

constexpr std::uint64_t kLooksBack = 60;  // one look at the past in so many entries

// Logs and payloads of the one, projections of the other.
class ReplayBase final : public StateReader {
 public:
  ReplayBase(const VirtualDisk& live, const VirtualDisk& replayed)
      : live_(live), replayed_(replayed) {}
  Result<std::optional<std::string>> Get(Family family, std::string_view key) const override {
    return Of(family).Get(family, key);
  }
  Status Scan(Family family, std::string_view from, std::string_view to,
              const Visitor& visit) const override {
    return Of(family).Scan(family, from, to, visit);
  }

 private:
  const VirtualDisk& Of(Family family) const {
    return family == Family::kLog || family == Family::kPayload ? live_ : replayed_;
  }
  const VirtualDisk& live_;
  const VirtualDisk& replayed_;
};

template <typename Map>
std::string FirstDifference(const Map& live, const Map& replayed) {
  for (const auto& [key, value] : live) {
    const auto found = replayed.find(key);
    if (found == replayed.end()) return HexEncode(key) + " is in the store alone";
    if (found->second != value) return HexEncode(key) + " differs";
  }
  for (const auto& [key, value] : replayed) {
    if (!live.contains(key)) return HexEncode(key) + " is in the replay alone";
  }
  return {};
}

std::string_view TextOf(const flatbuffers::String* text) {
  return text ? text->string_view() : std::string_view();
}

std::vector<std::string> TagsOf(const PayloadRow& row) {
  std::vector<std::string> tags;
  if (row->tags() == nullptr) return tags;
  for (const auto* tag : *row->tags()) tags.push_back(tag->str());
  return tags;
}

}  // namespace

// One space's log, read from its first entry on.
struct StoreCheck::Walk {
  SpaceId space;
  const SpaceKeys& keys;
  Chain chain;
  TreeState tree;
  testing::NaiveReplay naive;
};

void StoreCheck::CheckLog(SpaceId space, const SpaceKeys& keys) {
  const LastSeqs last = disk_.Last(space);
  const auto tail = ReadTail(disk_, {space, "simulation", keys.signing.public_key}, last, true);
  if (!tail) {
    oracle_.Fail("log", fmt::format("space {} does not open: {}", space, tail.error().message));
    return;
  }
  Walk walk{space, keys, Chain(space), {}, {}};
  for (Seq seq = 1; seq <= last.entry; ++seq) {
    if (!Take(walk, seq)) return;
    if (chance_.OneIn(kLooksBack)) CompareMemories(walk, walk.chain.head().time);
  }
  CompareMemories(walk, walk.chain.head().time);
  CheckCurrentTexts(walk);
  if (tail->head.hash != walk.chain.head().hash) {
    oracle_.Fail("log", fmt::format("the head of space {} is not its last entry", space));
  }
  if (tail->tree.Root() != walk.tree.Root()) {
    oracle_.Fail("log", fmt::format("the tree of space {} is not that of its entries", space));
  }
}

bool StoreCheck::Take(Walk& walk, Seq seq) {
  const auto bytes = disk_.Get(Family::kLog, tables::LogEntry(walk.space, seq));
  const Status linked = *bytes ? walk.chain.Next(**bytes) : Fail(Code::kCorrupt, "It is missing.");
  if (!linked) {
    oracle_.Fail("log", fmt::format("entry {} of space {} is not in its place: {}", seq, walk.space,
                                    linked.error().message));
    return false;
  }
  const auto entry = Entry::Parse(**bytes);
  const auto payload = ReadPayload(disk_, **entry);
  const fb::Payload* view = payload && *payload ? &***payload : nullptr;
  const ReplayBase base(disk_, replayed_);
  Overlay overlay(base);
  const Status applied = payload ? Apply(**entry, view, walk.keys.secret, overlay)
                                 : Status(std::unexpected(payload.error()));
  if (!applied) {
    oracle_.Fail("log", fmt::format("entry {} of space {} cannot be applied: {}", seq, walk.space,
                                    applied.error().message));
    return false;
  }
  std::vector<Mutation> projections;
  std::ranges::copy_if(overlay.mutations(), std::back_inserter(projections), [](const auto& m) {
    return m.family == Family::kState || m.family == Family::kRows;
  });
  replayed_.Apply(projections);
  const auto seen = oracle_.seen_.find(walk.space);
  if (seen != oracle_.seen_.end() && seen->second.seq == seq &&
      seen->second.hash != walk.chain.head().hash) {
    oracle_.Fail("lost", fmt::format("a reader saw another entry {} of space {}", seq, walk.space));
  }
  CheckClaims(walk, seq);
  NoteSession(walk, **entry);
  walk.naive.Take(**entry, view);
  walk.tree.Append(LeafHash(**bytes));
  return true;
}

void StoreCheck::NoteSession(const Walk& walk, const fb::Entry& entry) {
  const std::uint64_t session = entry.session();
  // A refusal is of a command that was not done, unless it is of one member of a batch.
  const bool is_of_member = entry.pass() != entry.seq();
  if (session == 0 || entry.event_type() == fb::Event::DryRunKept ||
      (entry.event_type() == fb::Event::WriteRefused && !is_of_member)) {
    return;
  }
  if (oracle_.nothing_.contains(session)) {
    oracle_.Fail("answer", fmt::format("session {} was answered with an error, and entry {} of "
                                       "space {} is of it",
                                       session, entry.seq(), walk.space));
  }
  const auto [at, is_new] =
      sessions_.try_emplace(session, Oracle::Done{walk.space, entry.pass(), 0, 0});
  Oracle::Done& done = at->second;
  if (!is_new &&
      (done.space != walk.space || done.last + 1 != entry.seq() || entry.pass() != done.first)) {
    if (!IsErased(walk, done)) {
      oracle_.Fail("key", fmt::format("session {} is in space {} twice: at {} and at {}", session,
                                      walk.space, done.first, entry.seq()));
    }
    done = {walk.space, entry.seq(), 0, 0};
  }
  done.last = entry.seq();
  done.time = entry.record_time();
}

// Whether the command's key may have gone with a memory that was erased, or with a payload.
bool StoreCheck::IsErased(const Walk& walk, const Oracle::Done& done) {
  for (Seq seq = done.first; seq <= done.last; ++seq) {
    const auto entry = ReadEntry(disk_, done.space, seq);
    const auto payload = ReadPayload(disk_, done.space, seq);
    if (entry && (*entry)->payload_digest() != nullptr && !*payload) return true;
    const fb::Id* id = entry ? MemoryOf(**entry) : nullptr;
    if (id == nullptr) continue;
    const auto memory = walk.naive.memories.find(FromId(*id));
    if (memory != walk.naive.memories.end() && memory->second.state == fb::MemoryState::erased) {
      return true;
    }
  }
  return false;
}

void StoreCheck::CheckClaims(const Walk& walk, Seq seq) {
  for (const Oracle::Claim& claim : oracle_.claims_) {
    if (claim.space != walk.space || claim.seq != seq) continue;
    const auto memory = walk.naive.memories.find(claim.memory);
    const std::size_t version =
        memory == walk.naive.memories.end() ? 0 : memory->second.versions.size();
    if (version == claim.version) continue;
    oracle_.Fail("conflict",
                 fmt::format("before entry {} of space {} memory {} has version {}, "
                             "its caller was told {}",
                             seq, walk.space, ToString(claim.memory), version, claim.version));
  }
}

void StoreCheck::CompareMemories(const Walk& walk, Micros as_of) {
  const DiskView then(disk_, as_of);
  for (const auto& [id, naive] : walk.naive.memories) CompareMemory(walk, id, naive, then);
}

// No compaction takes the texts of what a memory is now.
void StoreCheck::CheckCurrentTexts(const Walk& walk) {
  for (const auto& [id, naive] : walk.naive.memories) {
    if (naive.state == fb::MemoryState::erased) continue;
    const auto record = ReadMemory(disk_, walk.space, id);
    if (!record || !*record) continue;
    const auto text = ReadPayload(disk_, walk.space, (*record)->text_seq);
    const auto label = ReadPayload(disk_, walk.space, (*record)->label_seq);
    if (text && *text && label && *label) continue;
    oracle_.Fail("past",
                 fmt::format("memory {} of space {} has lost its text", ToString(id), walk.space));
  }
}

void StoreCheck::CompareMemory(const Walk& walk, const Uuid& id, const testing::NaiveMemory& naive,
                               const StateReader& then) {
  const auto record = ReadMemory(then, walk.space, id);
  bool same = record && *record && (*record)->state == naive.state &&
              (*record)->version == naive.versions.size();
  if (same && naive.state != fb::MemoryState::erased) {
    const auto text = ReadPayload(disk_, walk.space, (*record)->text_seq);
    const auto label = ReadPayload(disk_, walk.space, (*record)->label_seq);
    same = (*record)->pinned == naive.pinned &&
           (*record)->scope.container() == naive.now().container && text && label &&
           (!*text || TextOf((**text)->text()) == naive.now().text) &&
           (!*label || TextOf((**label)->title()) == naive.now().title);
    if (same && *label) same = TagsOf(**label) == naive.now().tags;
  }
  if (same && naive.state == fb::MemoryState::erased) {
    const auto text = ReadPayload(disk_, walk.space, (*record)->text_seq);
    const auto label = ReadPayload(disk_, walk.space, (*record)->label_seq);
    same = text && label && !*text && !*label;
  }
  if (same) return;
  oracle_.Fail("past", fmt::format("memory {} of space {} after entry {} is not what the log says",
                                   ToString(id), walk.space, walk.chain.head().seq));
}

void StoreCheck::CheckAnswers() {
  for (const auto& [session, done] : oracle_.done_) {
    const auto found = sessions_.find(session);
    if (found != sessions_.end() && found->second.space == done.space &&
        found->second.first == done.first && found->second.last == done.last &&
        found->second.time == done.time) {
      continue;
    }
    const Oracle::Done in_log = found == sessions_.end() ? Oracle::Done{} : found->second;
    oracle_.Fail("lost", fmt::format("session {} was answered with entries {} to {} of space {} "
                                     "(in the log: {} to {} of space {})",
                                     session, done.first, done.last, done.space, in_log.first,
                                     in_log.last, in_log.space));
  }
  for (const Oracle::Note& note : oracle_.notes_) {
    const auto entry = ReadEntry(disk_, note.space, note.seq);
    if (entry && (*entry)->event_type() == note.event && (*entry)->session() == note.session) {
      continue;
    }
    oracle_.Fail("lost", fmt::format("session {} was told of entry {} of space {}", note.session,
                                     note.seq, note.space));
  }
  for (const auto& [space, head] : oracle_.seen_) {
    if (disk_.Last(space).entry < head.seq) {
      oracle_.Fail("lost", fmt::format("a reader saw entry {} of space {}", head.seq, space));
    }
  }
}

void StoreCheck::CheckRecords() {
  for (const auto& [at, record] : oracle_.records_) {
    const auto& [space, id, as_of] = at;
    const auto now = disk_.Get(Family::kState, tables::Memory(space, id), as_of);
    if (*now == record) continue;
    oracle_.Fail("past",
                 fmt::format("memory {} as of {} is not what was read", ToString(id), as_of));
  }
}

void StoreCheck::CheckProjections() {
  std::string difference = FirstDifference(disk_.states(), replayed_.states());
  if (difference.empty()) difference = FirstDifference(disk_.rows(), replayed_.rows());
  if (!difference.empty()) oracle_.Fail("projections", difference);
}

void Oracle::CheckStore(const VirtualDisk& disk, const std::map<SpaceId, SpaceKeys>& keys,
                        Chance& chance) {
  StoreCheck check(*this, disk, chance);
  for (const auto& [space, space_keys] : keys) check.CheckLog(space, space_keys);
  check.CheckAnswers();
  check.CheckRecords();
  check.CheckProjections();
}

}  // namespace perdure::simulation
