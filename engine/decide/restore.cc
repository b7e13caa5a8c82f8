#include "engine/decide/restore.h"

#include "engine/apply/memory_fold.h"
#include "engine/apply/place_fold.h"
#include "engine/decide/rules.h"
#include "engine/decide/slot.h"

namespace perdure {
namespace {

bool SameId(const std::unique_ptr<fb::Id>& a, const std::unique_ptr<fb::Id>& b) {
  return FromIdPtr(a) == FromIdPtr(b);
}

std::unique_ptr<fb::Id> Copy(const std::unique_ptr<fb::Id>& id) {
  return id ? std::make_unique<fb::Id>(*id) : nullptr;
}

Status Archive(Transaction& txn, const Uuid& id, const fb::MemoryRecordT& record) {
  fb::MemoryArchivedT event;
  event.memory = ToId(id);
  event.version = record.version;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), {}, {.with_reason = false}));
  return {};
}

Status PutBackWith(Transaction& txn, const Uuid& id, Micros to, bool with_trust) {
  ASSIGN_OR_RETURN(const auto now, ReadMemory(txn.state(), txn.space(), id));
  ASSIGN_OR_RETURN(const auto past, RecordAt(txn.state(), txn.space(), id, to));
  if (!past) return Archive(txn, id, *now);
  RETURN_IF_ERROR(RequirePayload(txn, past->text_seq));
  RETURN_IF_ERROR(RequirePayload(txn, past->label_seq));
  fb::MemoryRevertedT event = WhollyBackTo(id, *now, *past);
  ASSIGN_OR_RETURN(const auto place, ReadNode(txn.state(), txn.space(), past->scope.container()));
  if (place && place->deleted_seq != 0) event.scope = now->scope;  // there is no such place now
  if (with_trust) event.trust = past->trust;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), {}, {.with_reason = false}));
  return {};
}

}  // namespace

bool SameContent(const fb::MemoryRecordT& a, const fb::MemoryRecordT& b) {
  return a.text_seq == b.text_seq && a.label_seq == b.label_seq && SameScope(a.scope, b.scope) &&
         a.authorship == b.authorship && a.importance == b.importance &&
         a.expires_at == b.expires_at && a.store == b.store && a.memory_class == b.memory_class;
}

bool SameState(const fb::MemoryRecordT& a, const fb::MemoryRecordT& b) {
  return a.state == b.state && a.pinned == b.pinned && a.confidence == b.confidence &&
         a.genre == b.genre && a.shadowed == b.shadowed && a.dispute == b.dispute &&
         SameId(a.predecessor, b.predecessor) && SameId(a.successor, b.successor) &&
         a.valid_from == b.valid_from && a.valid_until == b.valid_until;
}

fb::MemoryRevertedT BackTo(const Uuid& id, const fb::MemoryRecordT& now,
                           const fb::MemoryRecordT& past) {
  fb::MemoryRevertedT event;
  event.memory = ToId(id);
  const bool same = SameContent(now, past);
  event.version = same ? now.version : now.version + 1;
  event.to_version = same ? now.version : past.version;
  event.text_seq = past.text_seq;
  event.label_seq = past.label_seq;
  event.scope = past.scope;
  event.authorship = past.authorship;
  event.importance = past.importance;
  event.expires_at = past.expires_at;
  event.store = past.store;
  event.memory_class = past.memory_class;
  return event;
}

fb::MemoryRevertedT WhollyBackTo(const Uuid& id, const fb::MemoryRecordT& now,
                                 const fb::MemoryRecordT& past) {
  fb::MemoryRevertedT event = BackTo(id, now, past);
  event.state = past.state;
  event.pinned = past.pinned;
  event.confidence = past.confidence;
  event.genre = past.genre;
  event.shadowed = past.shadowed;
  event.dispute = past.dispute;
  event.predecessor = Copy(past.predecessor);
  event.successor = Copy(past.successor);
  event.because = past.because;
  event.valid_from = past.valid_from;
  event.valid_until = past.valid_until;
  event.frequency = past.frequency;
  event.accepted_time = past.accepted_time;
  event.evidence_time = past.evidence_time;
  return event;
}

bool ComesBack(const fb::MemoryRecordT& past) {
  return past.state == fb::MemoryState::live || past.state == fb::MemoryState::pending ||
         past.state == fb::MemoryState::disputed;
}

Result<std::optional<Uuid>> InTheWay(const Transaction& txn, const Uuid& id,
                                     const fb::MemoryRecordT& past, const std::set<Uuid>& together,
                                     Micros to) {
  if (past.kind != fb::MemoryKind::fact || !Stands(past)) return std::nullopt;
  ASSIGN_OR_RETURN(const Slot slot, SlotOf(txn, id, past));
  for (const auto* members : {&slot.same, &slot.rivals}) {
    for (const Member& member : *members) {
      if (!Stands(member.record) || together.contains(member.id)) continue;
      if (member.record.record_time > to) return member.id;
    }
  }
  return std::nullopt;
}

Status PutBack(Transaction& txn, const Uuid& id, Micros to) {
  return PutBackWith(txn, id, to, true);
}

Status RollBack(Transaction& txn, const Uuid& id, Micros to) {
  return PutBackWith(txn, id, to, false);
}

}  // namespace perdure
