#include "engine/replay/log_walk.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/hash.h"
#include "engine/log/origin.h"
#include "engine/model/tables.h"
#include "engine/proof/tree_head.h"

namespace perdure {
namespace {

class Walk {
 public:
  Walk(const Store& store, const SpaceInfo& space, const SigningKey& key)
      : store_(store),
        space_(space),
        key_(key),
        chain_(space.id),
        origin_(Engine::OriginOf(space.name)) {}

  Result<LogHealth> Run(Seq until, const EntryVisitor& visit) {
    LogHealth health{.space = space_.id, .name = space_.name};
    ASSIGN_OR_RETURN(health.last, EndOfLog(store_, space_.id));
    const auto head = store_.Get(Family::kMeta, tables::Head(space_.id), kLatest);
    if (head && *head) head_ = LogHead::Decode(**head).value_or(LogHead{});
    for (Seq seq = 1; seq <= std::min(health.last, until); ++seq) {
      const Status good = Next(seq, visit);
      if (!good && good.error().code == Code::kCorrupt) {
        health.problem = good.error().message;
        break;
      }
      RETURN_IF_ERROR(good);
      health.last_good = seq;
    }
    if (!unexplained_.empty()) health.unexplained = *unexplained_.begin();
    return health;
  }

 private:
  static std::unexpected<Error> Bad(Seq seq, std::string_view what) {
    return Fail(Code::kCorrupt, fmt::format("Entry {} {}", seq, what));
  }

  Status Next(Seq seq, const EntryVisitor& visit) {
    const auto bytes = store_.Get(Family::kLog, tables::LogEntry(space_.id, seq), kLatest);
    if (!bytes) return Bad(seq, "cannot be read: " + bytes.error().message);
    if (!*bytes) return Bad(seq, "is missing.");
    RETURN_IF_ERROR(chain_.Next(**bytes));
    RETURN_IF_ERROR(CheckNext(seq));
    ASSIGN_OR_RETURN(const Entry entry, Entry::Parse(**bytes));
    const auto row = store_.Get(Family::kPayload, tables::PayloadOf(space_.id, seq), kLatest);
    if (!row) return Bad(seq, "has a payload that cannot be read: " + row.error().message);
    RETURN_IF_ERROR(CheckPayload(*entry, *row));
    const std::vector<Tile> tiles = tree_.Append(LeafHash(**bytes));
    origin_.Follow(*entry);
    if (HasTreeHead(*entry)) RETURN_IF_ERROR(CheckTreeHead(seq));
    if (!visit) return {};
    return visit({entry, *row, tiles, chain_.head(), tree_, origin_.now()});
  }

  // That the entry just taken is not the altered one of two that do not fit.
  Status CheckNext(Seq seq) const {
    const auto next = Bytes(seq + 1);
    if (!next) {
      const bool is_other = head_.seq == seq && head_.hash != chain_.head().hash;
      if (is_other) return Bad(seq, "is not the one that was last written.");
      return {};
    }
    const auto parsed = Entry::Parse(*next);
    if (parsed && FromDigest(*(*parsed)->prev_hash()) == chain_.head().hash) return {};
    const auto after = Bytes(seq + 2);
    if (!IsConfirmed(*next, after ? &*after : nullptr, head_)) return {};
    return Bad(seq, fmt::format("is not the one whose hash entry {} carries.", seq + 1));
  }

  std::optional<std::string> Bytes(Seq seq) const {
    auto bytes = store_.Get(Family::kLog, tables::LogEntry(space_.id, seq), kLatest);
    return bytes ? std::move(*bytes) : std::nullopt;
  }

  Status CheckPayload(const fb::Entry& entry, const std::optional<std::string>& row) {
    if (const auto* covered = CoveredBy(entry)) {
      for (const Seq seq : *covered) unexplained_.erase(seq);
    }
    if (!row) {
      if (entry.payload_digest()) unexplained_.insert(entry.seq());
      return {};
    }
    if (!entry.payload_digest() || Sha256(*row) != FromDigest(*entry.payload_digest())) {
      return Bad(entry.seq(), "has a payload that is not the one that was written.");
    }
    return {};
  }

  // A head that is absent or damaged says nothing: it can be signed again.
  Status CheckTreeHead(Seq seq) const {
    const auto note = store_.Get(Family::kMeta, tables::TreeHeadAt(space_.id, seq), kLatest);
    if (!note || !*note) return {};
    const auto head = OpenTreeHead(**note, origin_.now(), key_.public_key);
    if (head && head->size == seq && head->root != tree_.Root()) {
      return Bad(seq, "ends a stretch that is not the one whose tree head was signed.");
    }
    return {};
  }

  const Store& store_;
  const SpaceInfo& space_;
  const SigningKey& key_;
  Chain chain_;
  LogHead head_;  // as stored; empty where it cannot be read
  TreeState tree_;
  OriginTrail origin_;
  std::set<Seq> unexplained_;
};

}  // namespace

Result<LogHealth> WalkLog(const Store& store, const SpaceInfo& space, const SigningKey& key,
                          Seq until, const EntryVisitor& visit) {
  return Walk(store, space, key).Run(until, visit);
}

Result<Seq> EndOfLog(const Store& store, SpaceId space) {
  Seq end = 0;
  const auto head = store.Get(Family::kMeta, tables::Head(space), kLatest);
  if (head && *head) {
    if (const auto decoded = LogHead::Decode(**head)) end = decoded->seq;
  }
  const std::string prefix = Key().U32(space).Take();
  const auto last = store.LastKey(Family::kLog, prefix, PrefixEnd(prefix), kLatest);
  if (last && *last) end = std::max(end, ReadBigEndian(std::string_view(**last).substr(4)));
  if (end == 0 && !head) return std::unexpected(head.error());
  if (end == 0 && !last) return std::unexpected(last.error());
  return end;
}

Result<std::vector<SpaceInfo>> SpacesOfLog(const Store& store) {
  std::vector<SpaceInfo> spaces = {{kSystemSpace, "system"}};
  const StoreView reader(store, kLatest);
  ASSIGN_OR_RETURN(const Seq end, EndOfLog(store, kSystemSpace));
  for (Seq seq = 1; seq <= end; ++seq) {
    const auto entry = ReadEntry(reader, kSystemSpace, seq);
    if (!entry) break;
    const auto* created = (*entry)->event_as_SpaceCreated();
    if (!created || created->space() == kSystemSpace) continue;
    const auto payload = ReadPayload(reader, **entry);
    if (!payload || !*payload || !(**payload)->name()) break;
    spaces.push_back({created->space(), (**payload)->name()->str()});
  }
  return spaces;
}

}  // namespace perdure
