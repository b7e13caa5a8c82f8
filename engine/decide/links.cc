#include <fmt/format.h>

#include "engine/base/limits.h"
#include "engine/decide/decide.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/model/labels.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

Status CheckType(const std::string& type) {
  if (type.empty()) {
    return Refuse(Rule::kMalformed, "A link has a type, for example relates_to.", "type");
  }
  return CheckText(type, limits::kLabelBytesMax, "type");
}

// Both ends are memories that the principal may see.
Status CheckEnds(const Transaction& txn, const AddLink& command) {
  if (command.from == command.to) {
    return Refuse(Rule::kMalformed, "A memory is not linked to itself.", "to");
  }
  ASSIGN_OR_RETURN(const auto from, FindMemory(txn, command.from));
  Result<fb::MemoryRecordT> to = FindMemory(txn, command.to);
  if (!to) {
    to.error().field = "to";
    return std::unexpected(to.error());
  }
  RETURN_IF_ERROR(RequireSameOwner(txn, from.scope, to->scope));
  const auto contains = [&](const fb::ScopeRef& a, const fb::ScopeRef& b) {
    return ScopeContains(txn.state(), txn.space(), {a.container(), 0, 0, 0},
                         {b.container(), 0, 0, 0});
  };
  ASSIGN_OR_RETURN(const bool down, contains(from.scope, to->scope));
  ASSIGN_OR_RETURN(const bool up, contains(to->scope, from.scope));
  if (down || up || txn.options().cross_scope) return {};
  return Refuse(Rule::kScope,
                "The memories lie in containers apart from each other. If the link is meant to "
                "cross, set cross_scope.",
                "cross_scope");
}

Status CheckRoom(const Transaction& txn, const Uuid& end) {
  std::size_t count = 0;
  const std::string prefix = tables::LinkPrefix(txn.space(), end);
  RETURN_IF_ERROR(txn.state().Scan(
      Family::kState, prefix, PrefixEnd(prefix),
      [&](std::string_view, std::string_view) { return ++count < limits::kLinksMax; }));
  if (count < limits::kLinksMax) return {};
  return Refuse(
      Rule::kLimit,
      fmt::format("Memory {} has {} links, which is the most.", ToString(end), limits::kLinksMax),
      "from");
}

Result<std::optional<std::string>> Row(const Transaction& txn, const Uuid& from, const Uuid& to,
                                       const std::string& type) {
  const ValueKey name = LinkKey(txn.secret(), from, to, type);
  return txn.state().Get(Family::kRows, tables::LinkName(txn.space(), name));
}

}  // namespace

Status DecideAddLink(Transaction& txn, const AddLink& command) {
  RETURN_IF_ERROR(RequireRole(txn, kAgent | kReviewer | kOperator, "Linking memories"));
  RETURN_IF_ERROR(CheckType(command.type));
  RETURN_IF_ERROR(CheckEnds(txn, command));
  ASSIGN_OR_RETURN(const auto row, Row(txn, command.from, command.to, command.type));
  if (row) {
    return Refuse(Rule::kNameTaken, "These memories are linked by this type already.", "type");
  }
  RETURN_IF_ERROR(CheckRoom(txn, command.from));
  RETURN_IF_ERROR(CheckRoom(txn, command.to));
  fb::LinkAddedT event;
  event.from = ToId(command.from);
  event.to = ToId(command.to);
  fb::PayloadT payload;
  payload.type = command.type;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), std::move(payload)));
  return {};
}

Status DecideRemoveLink(Transaction& txn, const RemoveLink& command) {
  RETURN_IF_ERROR(RequireRole(txn, kAgent | kReviewer | kOperator, "Removing a link"));
  ASSIGN_OR_RETURN([[maybe_unused]] const auto from, FindMemory(txn, command.from));
  ASSIGN_OR_RETURN([[maybe_unused]] const auto to, FindMemory(txn, command.to));
  ASSIGN_OR_RETURN(const auto row, Row(txn, command.from, command.to, command.type));
  if (!row) {
    return Refuse(Rule::kNothing, "These memories are not linked by this type.", "type");
  }
  fb::LinkRemovedT event;
  event.from = ToId(command.from);
  event.to = ToId(command.to);
  event.link = ReadBigEndian(*row);
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(event))));
  return {};
}

}  // namespace perdure
