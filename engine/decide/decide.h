// Turns a command into events, or into the reason why not. Pure: depends on the transaction alone.
#pragma once

#include "engine/base/result.h"
#include "engine/decide/command.h"
#include "engine/decide/transaction.h"

namespace perdure {

// Appends the command's entries to `txn`. An error made by Refuse is a refusal, any other a fault;
// either way the transaction is to be thrown away.
Status Decide(Transaction& txn, const Command& command);

// What the entries of one command did. Payloads are read through `reader`.
Result<WriteOutcome> OutcomeOf(const std::vector<Entry>& entries, const StateReader& reader);

// The commands by family, one file each.
Status DecideStore(Transaction& txn, const StoreMemories& command);
Status DecideEdit(Transaction& txn, const EditMemory& command);
Status DecideDescribe(Transaction& txn, const DescribeMemory& command);
Status DecideMoveState(Transaction& txn, const MoveState& command);
Status DecideErase(Transaction& txn, const EraseMemories& command);
Status DecideRevert(Transaction& txn, const RevertMemory& command);
Status DecideRollback(Transaction& txn, const Rollback& command);
Status DecideSnapshot(Transaction& txn, const NameSnapshot& command);
Status DecideIssueToken(Transaction& txn, const IssueToken& command);
Status DecideRevokeToken(Transaction& txn, const RevokeToken& command);
Status DecideCreateSpace(Transaction& txn, const CreateSpace& command);
Status DecideCompleteErasure(Transaction& txn, const CompleteErasure& command);
Status DecideCompactHistory(Transaction& txn, const CompactHistory& command);
Status DecideDropPayloads(Transaction& txn, const DropPayloads& command);
Status DecideAssert(Transaction& txn, const AssertFacts& command);
Status DecidePropose(Transaction& txn, const ProposeCandidate& command);
Status DecideReview(Transaction& txn, const ReviewCandidate& command);
Status DecideUndoReview(Transaction& txn, const UndoReview& command);
Status DecideSuppress(Transaction& txn, const SuppressValue& command);
Status DecideLift(Transaction& txn, const LiftSuppression& command);
Status DecideDeclarePredicate(Transaction& txn, const DeclarePredicate& command);
Status DecideSetPolicy(Transaction& txn, const SetPolicy& command);
Status DecideVerify(Transaction& txn, const VerifyMemory& command);
Status DecideScore(Transaction& txn, const ScoreMemory& command);
Status DecideChangeGenre(Transaction& txn, const ChangeGenre& command);
Status DecideMerge(Transaction& txn, const MergeMemories& command);
Status DecideDismiss(Transaction& txn, const DismissRefusals& command);
Status DecideUnmerge(Transaction& txn, const UnmergeMemory& command);
Status DecideMarkRestored(Transaction& txn, const MarkRestored& command);
Status DecideCarry(Transaction& txn, const CarrySuppression& command);
Status DecideCreateContainer(Transaction& txn, const CreateContainer& command);
Status DecideDescribeContainer(Transaction& txn, const DescribeContainer& command);
Status DecideMoveContainer(Transaction& txn, const MoveContainer& command);
Status DecideDeleteContainer(Transaction& txn, const DeleteContainer& command);
Status DecideAddLink(Transaction& txn, const AddLink& command);
Status DecideRemoveLink(Transaction& txn, const RemoveLink& command);
Status DecideForgetMatching(Transaction& txn, const ForgetMatching& command);
Status DecideAddSource(Transaction& txn, const AddSource& command);
Status DecideRemoveSource(Transaction& txn, const RemoveSource& command);

}  // namespace perdure
