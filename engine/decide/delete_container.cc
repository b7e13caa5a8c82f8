#include <fmt/format.h>

#include <algorithm>

#include "engine/apply/memory_fold.h"
#include "engine/base/limits.h"
#include "engine/decide/containers.h"
#include "engine/decide/decide.h"
#include "engine/decide/places.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/decide/suppression.h"

namespace perdure {
namespace {

using Members = std::vector<std::pair<Uuid, fb::MemoryRecordT>>;

Status MoveOne(Transaction& txn, const Uuid& id, fb::MemoryRecordT record, Seq to) {
  record.scope.mutate_container(to);
  const bool may_be_shown =
      record.state == fb::MemoryState::live || record.state == fb::MemoryState::pending;
  if (may_be_shown) {
    Status allowed = CheckMayReturn(txn, record);
    if (!allowed) {
      allowed.error().message =
          fmt::format("Memory {} cannot be moved there. {}", ToString(id), allowed.error().message);
      return allowed;
    }
  }
  fb::MemoryMovedT event;
  event.memory = ToId(id);
  event.version = record.version + 1;
  event.scope = record.scope;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), {}, {.with_reason = false}));
  return {};
}

// Facts that come together may claim one place.
Status SettleFacts(Transaction& txn, const Members& members) {
  std::vector<Member> facts;
  for (const auto& [id, before] : members) {
    if (before.kind != fb::MemoryKind::fact) continue;
    ASSIGN_OR_RETURN(auto record, ReadMemory(txn.state(), txn.space(), id));
    if (record) facts.push_back({id, std::move(*record)});
  }
  return SettlePlaces(txn, std::move(facts));
}

std::unexpected<Error> NotEmpty(std::size_t count) {
  return Refuse(Rule::kNotEmpty,
                fmt::format("{} memories lie in the container or below it. Say with move_to where "
                            "they go.",
                            count),
                "move_to");
}

Result<std::optional<Seq>> TargetOf(const Transaction& txn, const DeleteContainer& command,
                                    const std::vector<Seq>& subtree) {
  if (!command.move_to) return std::nullopt;
  ASSIGN_OR_RETURN(const Seq target, RequireContainer(txn, *command.move_to, "move_to"));
  if (std::ranges::find(subtree, target) == subtree.end()) return std::optional(target);
  return Refuse(Rule::kMalformed, "move_to lies in the container that is to be deleted.",
                "move_to");
}

Status AppendDeleted(Transaction& txn, Seq node, const std::optional<Seq>& target,
                     const Members& members) {
  fb::ContainerDeletedT event;
  event.node = node;
  event.moved_to = ToFlat(target);
  event.memories = static_cast<std::uint32_t>(std::ranges::count_if(
      members, [&](const auto& member) { return member.second.scope.container() == node; }));
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(event))));
  return {};
}

}  // namespace

Status DecideDeleteContainer(Transaction& txn, const DeleteContainer& command) {
  RETURN_IF_ERROR(RequireRole(txn, kReviewer | kOperator, "Deleting a container"));
  RETURN_IF_ERROR(RequireAllInside(txn, "Deleting a container"));
  ASSIGN_OR_RETURN(const Seq node, RequireContainer(txn, command.container, "container"));
  if (node == 0) return Refuse(Rule::kMalformed, "The root cannot be deleted.", "container");
  ASSIGN_OR_RETURN(const Nodes nodes, ReadNodes(txn.state(), txn.space()));
  std::vector<Seq> subtree = Subtree(nodes, node);
  ASSIGN_OR_RETURN(const auto target, TargetOf(txn, command, subtree));
  ASSIGN_OR_RETURN(const Members members, MemoriesIn(txn, subtree));
  if (!target && !members.empty()) return NotEmpty(members.size());
  if (members.size() > limits::kRollbackMemoriesMax) {
    return Refuse(Rule::kTooMany,
                  fmt::format("{} memories would move; one command may move {}. Delete what lies "
                              "below it first, one after another.",
                              members.size(), limits::kRollbackMemoriesMax),
                  "container");
  }
  for (const auto& [id, record] : members) RETURN_IF_ERROR(MoveOne(txn, id, record, *target));
  std::ranges::reverse(subtree);
  for (const Seq one : subtree) RETURN_IF_ERROR(AppendDeleted(txn, one, target, members));
  return SettleFacts(txn, members);
}

}  // namespace perdure
