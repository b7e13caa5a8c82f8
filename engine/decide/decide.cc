#include "engine/decide/decide.h"

#include <type_traits>

namespace perdure {
namespace {

template <typename>
inline constexpr bool kUnhandled = false;

}  // namespace

Status Decide(Transaction& txn, const Command& command) {
  return std::visit(
      [&txn](const auto& c) -> Status {
        using C = std::decay_t<decltype(c)>;
        if constexpr (std::is_same_v<C, StoreMemories>) {
          return DecideStore(txn, c);
        } else if constexpr (std::is_same_v<C, EditMemory>) {
          return DecideEdit(txn, c);
        } else if constexpr (std::is_same_v<C, DescribeMemory>) {
          return DecideDescribe(txn, c);
        } else if constexpr (std::is_same_v<C, MoveState>) {
          return DecideMoveState(txn, c);
        } else if constexpr (std::is_same_v<C, EraseMemories>) {
          return DecideErase(txn, c);
        } else if constexpr (std::is_same_v<C, RevertMemory>) {
          return DecideRevert(txn, c);
        } else if constexpr (std::is_same_v<C, Rollback>) {
          return DecideRollback(txn, c);
        } else if constexpr (std::is_same_v<C, NameSnapshot>) {
          return DecideSnapshot(txn, c);
        } else if constexpr (std::is_same_v<C, IssueToken>) {
          return DecideIssueToken(txn, c);
        } else if constexpr (std::is_same_v<C, RevokeToken>) {
          return DecideRevokeToken(txn, c);
        } else if constexpr (std::is_same_v<C, CreateSpace>) {
          return DecideCreateSpace(txn, c);
        } else if constexpr (std::is_same_v<C, CompleteErasure>) {
          return DecideCompleteErasure(txn, c);
        } else if constexpr (std::is_same_v<C, CompactHistory>) {
          return DecideCompactHistory(txn, c);
        } else if constexpr (std::is_same_v<C, DropPayloads>) {
          return DecideDropPayloads(txn, c);
        } else if constexpr (std::is_same_v<C, AssertFacts>) {
          return DecideAssert(txn, c);
        } else if constexpr (std::is_same_v<C, ProposeCandidate>) {
          return DecidePropose(txn, c);
        } else if constexpr (std::is_same_v<C, ReviewCandidate>) {
          return DecideReview(txn, c);
        } else if constexpr (std::is_same_v<C, UndoReview>) {
          return DecideUndoReview(txn, c);
        } else if constexpr (std::is_same_v<C, SuppressValue>) {
          return DecideSuppress(txn, c);
        } else if constexpr (std::is_same_v<C, LiftSuppression>) {
          return DecideLift(txn, c);
        } else if constexpr (std::is_same_v<C, DeclarePredicate>) {
          return DecideDeclarePredicate(txn, c);
        } else if constexpr (std::is_same_v<C, SetPolicy>) {
          return DecideSetPolicy(txn, c);
        } else if constexpr (std::is_same_v<C, VerifyMemory>) {
          return DecideVerify(txn, c);
        } else if constexpr (std::is_same_v<C, ScoreMemory>) {
          return DecideScore(txn, c);
        } else if constexpr (std::is_same_v<C, ChangeGenre>) {
          return DecideChangeGenre(txn, c);
        } else if constexpr (std::is_same_v<C, MergeMemories>) {
          return DecideMerge(txn, c);
        } else if constexpr (std::is_same_v<C, UnmergeMemory>) {
          return DecideUnmerge(txn, c);
        } else if constexpr (std::is_same_v<C, MarkRestored>) {
          return DecideMarkRestored(txn, c);
        } else if constexpr (std::is_same_v<C, CarrySuppression>) {
          return DecideCarry(txn, c);
        } else if constexpr (std::is_same_v<C, DismissRefusals>) {
          return DecideDismiss(txn, c);
        } else if constexpr (std::is_same_v<C, CreateContainer>) {
          return DecideCreateContainer(txn, c);
        } else if constexpr (std::is_same_v<C, DescribeContainer>) {
          return DecideDescribeContainer(txn, c);
        } else if constexpr (std::is_same_v<C, MoveContainer>) {
          return DecideMoveContainer(txn, c);
        } else if constexpr (std::is_same_v<C, DeleteContainer>) {
          return DecideDeleteContainer(txn, c);
        } else if constexpr (std::is_same_v<C, AddLink>) {
          return DecideAddLink(txn, c);
        } else if constexpr (std::is_same_v<C, RemoveLink>) {
          return DecideRemoveLink(txn, c);
        } else if constexpr (std::is_same_v<C, ForgetMatching>) {
          return DecideForgetMatching(txn, c);
        } else if constexpr (std::is_same_v<C, AddSource>) {
          return DecideAddSource(txn, c);
        } else if constexpr (std::is_same_v<C, RemoveSource>) {
          return DecideRemoveSource(txn, c);
        } else {
          static_assert(kUnhandled<C>, "a command without a decision");
        }
      },
      command);
}

}  // namespace perdure
