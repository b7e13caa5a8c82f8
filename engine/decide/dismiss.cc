#include <fmt/format.h>

#include "engine/apply/governance_fold.h"
#include "engine/base/limits.h"
#include "engine/decide/decide.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"

namespace perdure {
namespace {

// A refusal about a memory that the caller may not see is not the caller's either.
Result<bool> Waits(const Transaction& txn, Seq refusal) {
  ASSIGN_OR_RETURN(const auto row,
                   txn.state().Get(Family::kState, RefusalKey(txn.space(), refusal)));
  if (!row) return false;
  ASSIGN_OR_RETURN(const Entry entry, ReadEntry(txn.state(), txn.space(), refusal));
  const fb::Id* memory = MemoryOf(*entry);
  return memory && FindMemory(txn, FromId(*memory)).has_value();
}

}  // namespace

Status DecideDismiss(Transaction& txn, const DismissRefusals& command) {
  RETURN_IF_ERROR(RequireRole(txn, kReviewer | kOperator, "Dismissing a refusal"));
  if (command.refusals.empty() || command.refusals.size() > limits::kListLimitMax) {
    return Refuse(Rule::kTooMany,
                  fmt::format("One call dismisses 1 to {} refusals; this one names {}.",
                              limits::kListLimitMax, command.refusals.size()),
                  "refusals");
  }
  for (const Seq refusal : command.refusals) {
    ASSIGN_OR_RETURN(const bool waits, Waits(txn, refusal));
    if (!waits) {
      return Refuse(Rule::kNothing,
                    fmt::format("No refusal {} waits for this token. review_list with queue "
                                "refusals shows those that do.",
                                refusal),
                    "refusals");
    }
    fb::RefusalDismissedT event;
    event.refusal = refusal;
    ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(event))));
  }
  return {};
}

}  // namespace perdure
