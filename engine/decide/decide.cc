#include "engine/decide/decide.h"

namespace perdure {
namespace {

// A command without a decision does not compile.
struct Decider {
  Transaction& txn;

  Status operator()(const StoreMemories& c) const { return DecideStore(txn, c); }
  Status operator()(const EditMemory& c) const { return DecideEdit(txn, c); }
  Status operator()(const DescribeMemory& c) const { return DecideDescribe(txn, c); }
  Status operator()(const MoveState& c) const { return DecideMoveState(txn, c); }
  Status operator()(const EraseMemories& c) const { return DecideErase(txn, c); }
  Status operator()(const RevertMemory& c) const { return DecideRevert(txn, c); }
  Status operator()(const Rollback& c) const { return DecideRollback(txn, c); }
  Status operator()(const NameSnapshot& c) const { return DecideSnapshot(txn, c); }
  Status operator()(const IssueToken& c) const { return DecideIssueToken(txn, c); }
  Status operator()(const RevokeToken& c) const { return DecideRevokeToken(txn, c); }
  Status operator()(const CreateSpace& c) const { return DecideCreateSpace(txn, c); }
  Status operator()(const CompleteErasure& c) const { return DecideCompleteErasure(txn, c); }
  Status operator()(const CompactHistory& c) const { return DecideCompactHistory(txn, c); }
  Status operator()(const DropPayloads& c) const { return DecideDropPayloads(txn, c); }
  Status operator()(const AssertFacts& c) const { return DecideAssert(txn, c); }
  Status operator()(const ProposeCandidate& c) const { return DecidePropose(txn, c); }
  Status operator()(const ReviewCandidate& c) const { return DecideReview(txn, c); }
  Status operator()(const UndoReview& c) const { return DecideUndoReview(txn, c); }
  Status operator()(const SuppressValue& c) const { return DecideSuppress(txn, c); }
  Status operator()(const LiftSuppression& c) const { return DecideLift(txn, c); }
  Status operator()(const DeclarePredicate& c) const { return DecideDeclarePredicate(txn, c); }
  Status operator()(const SetPolicy& c) const { return DecideSetPolicy(txn, c); }
  Status operator()(const VerifyMemory& c) const { return DecideVerify(txn, c); }
  Status operator()(const ScoreMemory& c) const { return DecideScore(txn, c); }
  Status operator()(const ChangeGenre& c) const { return DecideChangeGenre(txn, c); }
  Status operator()(const MergeMemories& c) const { return DecideMerge(txn, c); }
  Status operator()(const UnmergeMemory& c) const { return DecideUnmerge(txn, c); }
  Status operator()(const MarkRestored& c) const { return DecideMarkRestored(txn, c); }
  Status operator()(const CarrySuppression& c) const { return DecideCarry(txn, c); }
  Status operator()(const DismissRefusals& c) const { return DecideDismiss(txn, c); }
  Status operator()(const CreateContainer& c) const { return DecideCreateContainer(txn, c); }
  Status operator()(const DescribeContainer& c) const { return DecideDescribeContainer(txn, c); }
  Status operator()(const MoveContainer& c) const { return DecideMoveContainer(txn, c); }
  Status operator()(const DeleteContainer& c) const { return DecideDeleteContainer(txn, c); }
  Status operator()(const AddLink& c) const { return DecideAddLink(txn, c); }
  Status operator()(const RemoveLink& c) const { return DecideRemoveLink(txn, c); }
  Status operator()(const ForgetMatching& c) const { return DecideForgetMatching(txn, c); }
  Status operator()(const AddSource& c) const { return DecideAddSource(txn, c); }
  Status operator()(const RemoveSource& c) const { return DecideRemoveSource(txn, c); }
};

}  // namespace

Status Decide(Transaction& txn, const Command& command) {
  return std::visit(Decider{txn}, command);
}

}  // namespace perdure
