#include <fmt/format.h>

#include "engine/decide/decide.h"
#include "engine/decide/derived.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/decide/slot.h"
#include "engine/decide/suppression.h"

namespace perdure {
namespace {

using fb::MemoryState;

template <typename Event>
Status AppendState(Transaction& txn, const Uuid& id, const fb::MemoryRecordT& record) {
  Event event;
  event.memory = ToId(id);
  event.version = record.version;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(event))));
  return {};
}

Status AppendSeenAgain(Transaction& txn, const Uuid& id, const fb::MemoryRecordT& record) {
  return AppendState<fb::MemorySeenAgainT>(txn, id, record);
}

Status Pin(Transaction& txn, const Uuid& id, const fb::MemoryRecordT& record, bool pinned) {
  RETURN_IF_ERROR(RequireStanding(record, pinned ? "Pinning" : "Unpinning"));
  if (record.pinned == pinned) return AppendSeenAgain(txn, id, record);
  return pinned ? AppendState<fb::MemoryPinnedT>(txn, id, record)
                : AppendState<fb::MemoryUnpinnedT>(txn, id, record);
}

Status Archive(Transaction& txn, const Uuid& id, const fb::MemoryRecordT& record) {
  if (record.state == MemoryState::archived) return AppendSeenAgain(txn, id, record);
  RETURN_IF_ERROR(RequireMayPutAway(txn, record, "Archiving"));
  RETURN_IF_ERROR(RequireLive(record, "Archiving"));
  return AppendState<fb::MemoryArchivedT>(txn, id, record);
}

Status Restore(Transaction& txn, const Uuid& id, const fb::MemoryRecordT& record) {
  const bool faded = record.state == MemoryState::live && record.shadowed;
  if (record.state == MemoryState::live && !faded) return AppendSeenAgain(txn, id, record);
  if (!faded && record.state != MemoryState::archived && record.state != MemoryState::forgotten) {
    return Refuse(Rule::kState,
                  fmt::format("Only archived and forgotten memories can be restored; this one is "
                              "{}.",
                              fb::EnumNameMemoryState(record.state)),
                  "id");
  }
  RETURN_IF_ERROR(CheckMayReturn(txn, record));
  RETURN_IF_ERROR(CheckNoRival(txn, id, record));
  return AppendState<fb::MemoryRestoredT>(txn, id, record);
}

Status Forget(Transaction& txn, const MoveState& command, const fb::MemoryRecordT& record) {
  const Uuid& id = command.id;
  if (record.state == MemoryState::pending || record.state == MemoryState::rejected) {
    return Refuse(Rule::kState,
                  fmt::format("This memory is {}: a reviewer decides on it.",
                              fb::EnumNameMemoryState(record.state)),
                  "id");
  }
  RETURN_IF_ERROR(RequireMayPutAway(txn, record, "Forgetting"));
  RETURN_IF_ERROR(record.state == MemoryState::forgotten
                      ? AppendSeenAgain(txn, id, record)
                      : AppendState<fb::MemoryForgottenT>(txn, id, record));
  RETURN_IF_ERROR(DisputeDerived(txn, id));
  if (!command.refusing) return {};
  RETURN_IF_ERROR(RequireRole(txn, kReviewer | kOperator, "Refusing a value from now on"));
  return SuppressMemory(txn, id, record, *command.refusing);
}

}  // namespace

Status DecideMoveState(Transaction& txn, const MoveState& command) {
  const bool pins =
      command.transition == Transition::kPin || command.transition == Transition::kUnpin;
  RETURN_IF_ERROR(
      pins ? RequireRole(txn, kReviewer | kOperator, "Pinning a memory")
           : RequireRole(txn, kAgent | kReviewer | kOperator, "Changing the state of a memory"));
  ASSIGN_OR_RETURN(const auto record, RequireMemory(txn, command.id));
  if (command.refusing && command.transition != Transition::kForget) {
    return Refuse(Rule::kMalformed, "Only a forgetting refuses the value from now on.", "refuse");
  }
  if (!pins) RETURN_IF_ERROR(RequireEditable(txn, record));
  switch (command.transition) {
    case Transition::kPin:
      return Pin(txn, command.id, record, true);
    case Transition::kUnpin:
      return Pin(txn, command.id, record, false);
    case Transition::kArchive:
      return Archive(txn, command.id, record);
    case Transition::kRestore:
      return Restore(txn, command.id, record);
    case Transition::kForget:
      return Forget(txn, command, record);
  }
  return Fail(Code::kInternal, "An unknown transition. Report this as a bug.");
}

}  // namespace perdure
