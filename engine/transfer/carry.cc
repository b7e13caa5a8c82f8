#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "engine/apply/memory_fold.h"
#include "engine/base/limits.h"
#include "engine/decide/rules.h"
#include "engine/decide/suppression.h"
#include "engine/log/key_check.h"
#include "engine/model/tables.h"
#include "engine/transfer/tombstones.h"

namespace perdure {
namespace {

constexpr std::size_t kPage = 1'000;
constexpr std::size_t kErasedAtOnce = limits::kRollbackMemoriesMax;
constexpr const char* kReason = "from a tombstone bundle";

// Takes the entries of one bundle over, one after another.
class Carrier {
 public:
  Carrier(Engine& engine, SpaceId space, const Tombstones& stones)
      : engine_(engine), space_(space), stones_(stones), principal_(BootstrapPrincipal()) {
    principal_.space = space;
    principal_.roles = kOperator | kReviewer;
    for (const Entry& entry : stones.entries) by_seq_.emplace(entry->seq(), &entry);
  }

  Result<CarryReport> Run() {
    const Mutation digests = KeyDigestsOf(space_, engine_.KeysOf(space_));
    same_secret_ = HexEncode(digests.value->substr(0, 32)) == stones_.secret_digest;
    for (const Entry& entry : stones_.entries) {
      if (const auto* lift = entry->event_as_SuppressionLifted())
        lifted_.insert(lift->suppression());
    }
    std::vector<Uuid> erased;
    for (const Entry& entry : stones_.entries) {
      ASSIGN_OR_RETURN(const bool known, IsHere(entry));
      if (known) {
        ++report_.known;
      } else if (const auto* gone = entry->event_as_MemoryErased()) {
        erased.push_back(FromId(*gone->memory()));
      } else if (entry->event_type() == fb::Event::ValueSuppressed) {
        RETURN_IF_ERROR(CarrySuppressed(entry));
      } else if (const auto* lift = entry->event_as_SuppressionLifted()) {
        RETURN_IF_ERROR(CarryLift(lift->suppression(), entry));
      }
    }
    RETURN_IF_ERROR(EraseAgain(erased));
    RETURN_IF_ERROR(ForgetHolders());
    return std::move(report_);
  }

 private:
  // Whether this log holds the very entry.
  Result<bool> IsHere(const Entry& entry) const {
    ASSIGN_OR_RETURN(const auto own,
                     engine_.Latest().Get(Family::kLog, tables::LogEntry(space_, entry->seq())));
    return own == entry.bytes();
  }

  // So that the same entry is taken over once.
  WriteOptions OptionsFor(const Entry& entry) const {
    WriteOptions options;
    options.request_digest = HexEncode(AsBytes(Sha256(entry.bytes())));
    options.idempotency_key = "tombstone " + options.request_digest;
    options.reason = kReason;
    return options;
  }

  Status CarrySuppressed(const Entry& entry) {
    const fb::ValueSuppressed& event = *entry->event_as_ValueSuppressed();
    const auto until = ToStd(event.expires_at());
    if (lifted_.contains(entry->seq())) return {};
    if (until && *until <= engine_.clock().Now()) return {};
    if (!same_secret_) {
      report_.not_carried.push_back(entry->seq());
      return {};
    }
    CarrySuppression command;
    if (event.keys()) {
      for (const fb::Id* id : *event.keys()) command.keys.push_back(ToKey(*id));
    }
    ASSIGN_OR_RETURN(command.scope, PathOf(*event.scope()));
    if (event.memory()) command.memory = FromId(*event.memory());
    command.until = until;
    const auto payload = stones_.payloads.find(entry->seq());
    if (payload != stones_.payloads.end() && payload->second->text()) {
      command.text = payload->second->text()->str();
    }
    ASSIGN_OR_RETURN(const auto done, engine_.Write(principal_, command, OptionsFor(entry)));
    ASSIGN_OR_RETURN(const bool holds, IsInForce(done));
    if (holds) carried_.push_back({std::move(command.keys), std::move(command.scope)});
    ++(done.repeated ? report_.known : report_.suppressed);
    if (!done.repeated) report_.forgotten += done.memories.size();
    return {};
  }

  // A suppression that was carried over before may have been lifted here.
  Result<bool> IsInForce(const WriteOutcome& carried) const {
    for (Seq seq = carried.first_seq; seq <= carried.seq; ++seq) {
      ASSIGN_OR_RETURN(const auto bytes,
                       engine_.Latest().Get(Family::kState, tables::Suppression(space_, seq)));
      if (!bytes) continue;
      ASSIGN_OR_RETURN(const auto record, Unpack<fb::SuppressionRecordT>(*bytes));
      return record.lifted_seq == 0;
    }
    return false;
  }

  Status CarryLift(Seq suppression, const Entry& entry) {
    const auto made = by_seq_.find(suppression);
    if (made != by_seq_.end()) {  // suppressed and lifted since: only where this log has both ends
      ASSIGN_OR_RETURN(const bool known, IsHere(*made->second));
      if (!known) return {};
    }
    const auto done = engine_.Write(principal_, LiftSuppression{suppression}, OptionsFor(entry));
    if (!done && done.error().code != Code::kConflict) return std::unexpected(done.error());
    ++(done && !done->repeated ? report_.lifted : report_.known);
    return {};
  }

  Status EraseAgain(const std::vector<Uuid>& ids) {
    std::vector<Uuid> here;
    for (const Uuid& id : ids) {
      ASSIGN_OR_RETURN(const auto record, ReadMemory(engine_.Latest(), space_, id));
      if (!record) continue;  // younger than this log
      if (record->state == fb::MemoryState::erased) {
        ++report_.known;
      } else {
        here.push_back(id);
      }
    }
    for (std::size_t from = 0; from < here.size(); from += kErasedAtOnce) {
      const auto until =
          here.begin() + static_cast<std::ptrdiff_t>(std::min(here.size(), from + kErasedAtOnce));
      EraseMemories command;
      command.ids.assign(here.begin() + static_cast<std::ptrdiff_t>(from), until);
      report_.erased += command.ids.size();
      RETURN_IF_ERROR(engine_.Erase(principal_, std::move(command), {.reason = kReason}));
    }
    return {};
  }

  // The names of a scope: of nodes that this log does not have, from the bundle.
  Result<ScopePath> PathOf(const fb::ScopeRef& scope) const {
    ScopePath path;
    for (Seq node = scope.container(); node != 0;) {
      ASSIGN_OR_RETURN(const Node found, NodeOf(node));
      path.containers.push_back(found.name);
      node = found.parent;
    }
    std::ranges::reverse(path.containers);
    for (const auto& [node, name] :
         {std::pair(scope.user(), &path.user), std::pair(scope.agent(), &path.agent),
          std::pair(scope.run(), &path.run)}) {
      if (node == 0) continue;
      ASSIGN_OR_RETURN(const Node found, NodeOf(node));
      *name = found.name;
    }
    return path;
  }

  struct Node {
    std::string name;
    Seq parent = 0;
  };
  Result<Node> NodeOf(Seq seq) const {
    const auto listed = by_seq_.find(seq);
    std::optional<Entry> own;
    if (listed == by_seq_.end()) {
      ASSIGN_OR_RETURN(own, ReadEntry(engine_.Latest(), space_, seq));
    }
    const Entry& entry = own ? *own : *listed->second;
    const auto* made = entry->event_as_ScopeNodeCreated();
    std::optional<PayloadRow> row;
    if (own) {
      ASSIGN_OR_RETURN(row, ReadPayload(engine_.Latest(), **own));
    } else if (const auto payload = stones_.payloads.find(seq); payload != stones_.payloads.end()) {
      row = payload->second;
    }
    if (!made || !row || !(*row)->name() || made->parent() >= seq) {
      return Fail(Code::kCorrupt, fmt::format("Entry {} names no node of a scope.", seq));
    }
    return Node{(*row)->name()->str(), made->parent()};
  }

  // What has a value that was carried over leaves the reads, as it did where it was rejected.
  Status ForgetHolders() {
    if (carried_.empty()) return {};
    std::vector<Uuid> holders;
    std::string cursor;
    ListFilter live;
    live.states = {fb::MemoryState::live};
    live.genres = {fb::Genre::factual, fb::Genre::associative, fb::Genre::personal,
                   fb::Genre::random};
    ASSIGN_OR_RETURN(const ReadView view, engine_.Read(principal_));
    do {
      ASSIGN_OR_RETURN(const MemoryPage page, view.List(live, kPage, cursor));
      for (const Memory& listed : page.memories) {
        ASSIGN_OR_RETURN(const Memory memory, view.Get(listed.id));
        ASSIGN_OR_RETURN(const bool refused, IsRefused(memory));
        if (refused) holders.push_back(memory.id);
      }
      cursor = page.cursor;
    } while (!cursor.empty());
    for (const Uuid& id : holders) {
      RETURN_IF_ERROR(
          engine_.Write(principal_, MoveState{id, Transition::kForget, {}}, {.reason = kReason}));
      ++report_.forgotten;
    }
    return {};
  }

  Result<bool> IsRefused(const Memory& memory) const {
    const Secret& secret = engine_.KeysOf(space_).secret;
    const std::vector<ValueKey> keys =
        memory.record.kind == fb::MemoryKind::fact
            ? RefusedKeys(secret, {memory.subject, memory.predicate, memory.object},
                          memory.record.symmetric, memory.text)
            : RefusedKeys(secret, memory.text);
    for (const Carried& carried : carried_) {
      if (std::ranges::find_first_of(keys, carried.keys) == keys.end()) continue;
      ASSIGN_OR_RETURN(const auto outer,
                       FindScope(engine_.Latest(), space_, secret, carried.scope));
      if (!outer) continue;
      ASSIGN_OR_RETURN(const bool inside,
                       ScopeContains(engine_.Latest(), space_, *outer, memory.record.scope));
      if (inside) return true;
    }
    return false;
  }

  struct Carried {
    std::vector<ValueKey> keys;
    ScopePath scope;
  };

  Engine& engine_;
  const SpaceId space_;
  const Tombstones& stones_;
  Principal principal_;
  bool same_secret_ = false;
  std::map<Seq, const Entry*> by_seq_;
  std::set<Seq> lifted_;  // suppressions that the bundle lifts, too
  std::vector<Carried> carried_;
  CarryReport report_;
};

// A key that the space knew before the bundle came.
Status CheckSigner(const Engine& engine, SpaceId space, const Tombstones& stones,
                   const std::vector<std::string>& trusted) {
  if (std::ranges::find(trusted, stones.verifier_key) != trusted.end()) return {};
  ASSIGN_OR_RETURN(const VerifierKey signer, ParseVerifierKey(stones.verifier_key));
  bool known = signer.key == engine.KeysOf(space).signing.public_key;
  const std::string prefix = Key().U8(6).U32(space).Take();  // seals of an adopted export
  RETURN_IF_ERROR(engine.Latest().Scan(
      Family::kMeta, prefix, PrefixEnd(prefix), [&](std::string_view, std::string_view seal) {
        const auto sealer = ParseVerifierKey(seal.substr(0, seal.find('\n')));
        known = known || (sealer && sealer->key == signer.key);
        return !known;
      }));
  if (known) return {};
  return Fail(Code::kForbidden,
              fmt::format("The tombstone bundle is signed by {}, which is no key of this space's "
                          "log. Name it with --key if you trust it.",
                          stones.verifier_key),
              "key");
}

Status CheckBeginning(const Engine& engine, SpaceId space, const Tombstones& stones) {
  const TreeState tree = engine.Tree(space);
  if (tree.Size() < stones.since) {
    return Fail(Code::kConflict,
                fmt::format("The tombstone bundle goes on after entry {}, but this log ends at {}. "
                            "Export one from {} or before.",
                            stones.since, tree.Size(), tree.Size()),
                "file");
  }
  ASSIGN_OR_RETURN(const Hash root, RootAt(stones.since, {tree, engine.Tiles(space)}));
  if (stones.since == 0 || VerifyConsistency(stones.since, stones.head.size, root, stones.head.root,
                                             stones.consistency)) {
    return {};
  }
  return Fail(Code::kConflict,
              fmt::format("The tombstone bundle is of another log: its first {} entries are not "
                          "those of this one.",
                          stones.since),
              "file");
}

}  // namespace

Result<CarryReport> CarryTombstones(Engine& engine, const Tombstones& tombstones,
                                    const std::vector<std::string>& trusted) {
  ASSIGN_OR_RETURN(const SpaceId space, engine.SpaceByName(tombstones.space));
  RETURN_IF_ERROR(CheckSigner(engine, space, tombstones, trusted));
  RETURN_IF_ERROR(CheckBeginning(engine, space, tombstones));
  return Carrier(engine, space, tombstones).Run();
}

}  // namespace perdure
