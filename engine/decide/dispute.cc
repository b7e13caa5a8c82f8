#include "engine/decide/dispute.h"

#include <algorithm>

#include "engine/apply/memory_fold.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/decide/slot.h"

namespace perdure {
namespace {

bool Challenges(const fb::MemoryRecordT& record) {
  return record.predecessor && record.because == static_cast<std::uint16_t>(Rule::kChallenge);
}

// A candidate, other than `but`, that claims the place of `id`.
Result<std::optional<Uuid>> ChallengerOf(const Transaction& txn, const Uuid& id,
                                         const fb::MemoryRecordT& record, const Uuid& but) {
  ASSIGN_OR_RETURN(const PayloadRow text, RequirePayload(txn, record.text_seq));
  ASSIGN_OR_RETURN(const auto members, FactsOfSlot(txn, FactWords::Of(*text), record.symmetric));
  const auto found = std::ranges::find_if(members, [&](const Member& member) {
    return member.id != but && member.record.state == fb::MemoryState::pending &&
           Challenges(member.record) && FromId(*member.record.predecessor) == id;
  });
  return found == members.end() ? std::nullopt : std::optional<Uuid>(found->id);
}

template <typename Event>
Status AppendAbout(Transaction& txn, Event event) {
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), {}, {.with_reason = false}));
  return {};
}

Status Reconcile(Transaction& txn, const Uuid& id, const Uuid& but) {
  ASSIGN_OR_RETURN(const auto record, ReadMemory(txn.state(), txn.space(), id));
  if (!record || record->kind != fb::MemoryKind::fact) return {};
  if (record->state == fb::MemoryState::erased) return {};
  ASSIGN_OR_RETURN(const auto challenger, ChallengerOf(txn, id, *record, but));
  if (!challenger && record->dispute == fb::Dispute::challenged) {
    fb::DisputeSettledT event;
    event.memory = ToId(id);
    event.version = record->version;
    return AppendAbout(txn, std::move(event));
  }
  if (challenger && record->dispute == fb::Dispute::none &&
      record->state == fb::MemoryState::live) {
    fb::MemoryDisputedT event;
    event.memory = ToId(id);
    event.version = record->version;
    event.dispute = fb::Dispute::challenged;
    event.by = ToId(*challenger);
    return AppendAbout(txn, std::move(event));
  }
  return {};
}

}  // namespace

Status SettleDispute(Transaction& txn, const Uuid& challenger, const fb::MemoryRecordT& record) {
  if (!Challenges(record)) return {};
  return Reconcile(txn, FromId(*record.predecessor), challenger);
}

Status ReconcileDispute(Transaction& txn, const Uuid& id) { return Reconcile(txn, id, {}); }

}  // namespace perdure
