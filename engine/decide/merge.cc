#include <fmt/format.h>

#include <set>

#include "engine/apply/memory_fold.h"
#include "engine/base/limits.h"
#include "engine/decide/decide.h"
#include "engine/decide/notes.h"
#include "engine/decide/refusal.h"
#include "engine/decide/restore.h"
#include "engine/decide/rules.h"
#include "engine/decide/suppression.h"

namespace perdure {
namespace {

Status CheckParts(const Transaction& txn, const std::vector<Uuid>& parts) {
  const std::set<Uuid> distinct(parts.begin(), parts.end());
  if (distinct.size() < 2 || distinct.size() != parts.size() ||
      parts.size() > limits::kSourcesMax) {
    return Refuse(Rule::kTooMany,
                  fmt::format("A merge takes 2 to {} different memories.", limits::kSourcesMax),
                  "parts");
  }
  for (const Uuid& part : parts) {
    ASSIGN_OR_RETURN(const auto record, FindMemory(txn, part));
    RETURN_IF_ERROR(RequireLive(record, "Merging"));
    RETURN_IF_ERROR(RequireMayPutAway(txn, record, "Merging"));
    if (record.kind == fb::MemoryKind::fact) {
      return Refuse(Rule::kKind, "Facts are not merged: assert what is true.", "parts");
    }
  }
  return {};
}

// The parts that the merge of `merged` took in, as its entries name them.
Result<std::vector<Entry>> EntriesOfMerge(const Transaction& txn, const Uuid& id,
                                          const fb::MemoryRecordT& merged) {
  ASSIGN_OR_RETURN(std::vector<Entry> entries,
                   ReadPass(txn.state(), txn.space(), merged.created_seq, txn.head().seq));
  std::erase_if(entries, [&](const Entry& entry) {
    const auto* part = entry->event_as_MemoryMerged();
    return !part || FromId(*part->into()) != id;
  });
  if (!entries.empty()) return entries;
  return Refuse(Rule::kState, "This memory is not the result of a merge.", "id");
}

Status CheckMayComeBack(const Transaction& txn, const Uuid& part, Seq merged_seq, Micros before) {
  ASSIGN_OR_RETURN(const auto now, FindMemory(txn, part));
  if (now.seq != merged_seq) {
    return Refuse(
        Rule::kState,
        fmt::format("Part {} has changed since the merge, by entry {}.", ToString(part), now.seq),
        "id");
  }
  ASSIGN_OR_RETURN(const auto past, RecordAt(txn.state(), txn.space(), part, before));
  return CheckMayReturn(txn, *past);
}

}  // namespace

Status DecideMerge(Transaction& txn, const MergeMemories& command) {
  RETURN_IF_ERROR(RequireRole(txn, kAgent | kReviewer | kOperator, "Merging memories"));
  RETURN_IF_ERROR(CheckParts(txn, command.parts));
  NoteDraft draft = command.merged;
  draft.derived_from = command.parts;
  ASSIGN_OR_RETURN(const Uuid merged, StoreMerged(txn, draft));
  for (const Uuid& part : command.parts) {
    ASSIGN_OR_RETURN(const auto record, FindMemory(txn, part));
    fb::MemoryMergedT event;
    event.memory = ToId(part);
    event.version = record.version;
    event.into = ToId(merged);
    ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                     txn.Append(MakeEvent(std::move(event)), {}, {.with_reason = false}));
  }
  return {};
}

Status DecideUnmerge(Transaction& txn, const UnmergeMemory& command) {
  RETURN_IF_ERROR(RequireRole(txn, kAgent | kReviewer | kOperator, "Undoing a merge"));
  ASSIGN_OR_RETURN(const auto merged, RequireMemory(txn, command.id));
  RETURN_IF_ERROR(RequireLive(merged, "Undoing a merge"));
  RETURN_IF_ERROR(RequireMayPutAway(txn, merged, "Undoing a merge"));
  ASSIGN_OR_RETURN(const auto parts, EntriesOfMerge(txn, command.id, merged));
  const Micros before = merged.created_time - 1;
  for (const Entry& part : parts) {
    RETURN_IF_ERROR(CheckMayComeBack(txn, FromId(*MemoryOf(*part)), part->seq(), before));
  }
  fb::MergeUndoneT event;
  event.memory = ToId(command.id);
  event.version = merged.version;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(event))));
  for (const Entry& part : parts) {
    RETURN_IF_ERROR(PutBack(txn, FromId(*MemoryOf(*part)), before));
  }
  return PutBack(txn, command.id, before);  // it did not exist then: archived
}

}  // namespace perdure
