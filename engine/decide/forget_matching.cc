#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/base/limits.h"
#include "engine/decide/decide.h"
#include "engine/decide/derived.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/model/labels.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

using Labelled = std::set<std::pair<Uuid, Seq>>;  // memory and the label_seq that carries it

Result<Labelled> WithLabel(const Transaction& txn, std::string_view kind, std::string_view label) {
  Labelled found;
  const std::string prefix = tables::ValuePrefix(txn.space(), LabelKey(txn.secret(), kind, label));
  RETURN_IF_ERROR(txn.state().Scan(
      Family::kRows, prefix, PrefixEnd(prefix), [&](std::string_view row, std::string_view) {
        row.remove_prefix(prefix.size());
        found.emplace(*UuidFromBytes(row.substr(0, 16)), ReadBigEndian(row.substr(16)));
        return true;
      }));
  return found;
}

struct Matcher {
  const Transaction& txn;
  const ForgetMatching& command;
  fb::ScopeRef scope;
  std::optional<Seq> store;
  std::vector<Labelled> labels;

  bool HasState(const fb::MemoryRecordT& record) const {
    if (record.state == fb::MemoryState::erased) return false;
    return command.erase ||
           (record.state != fb::MemoryState::pending && record.state != fb::MemoryState::rejected &&
            record.state != fb::MemoryState::forgotten);
  }

  Result<bool> Matches(const Uuid& id, const fb::MemoryRecordT& record) const {
    if (!HasState(record)) return false;
    if (store && record.store != *store) return false;
    if (command.created_before && record.created_time >= *command.created_before) return false;
    if (command.expired && !HasExpired(record, txn.NextTime())) return false;
    for (const Labelled& label : labels) {
      if (!label.contains({id, record.label_seq})) return false;
    }
    if (command.scope_exact && record.scope.container() != scope.container()) return false;
    return ScopeContains(txn.state(), txn.space(), scope, record.scope);
  }
};

bool NamesSomething(const ForgetMatching& command) {
  return !command.scope.empty() || command.scope_exact || command.store || command.created_before ||
         command.expired || !command.tags.empty() || !command.type.empty();
}

std::unexpected<Error> NothingMatches() {
  return Refuse(Rule::kNothing, "No memory matches, so nothing was forgotten.");
}

// False when nothing can match.
Result<bool> Prepare(const Transaction& txn, const ForgetMatching& command, Matcher& matcher) {
  ASSIGN_OR_RETURN(const auto scope, FindOwnScope(txn, command.scope));
  if (!scope) return false;
  matcher.scope = *scope;
  if (command.store) {
    ASSIGN_OR_RETURN(matcher.store,
                     FindStore(txn.state(), txn.space(), txn.secret(), *command.store));
    if (!matcher.store) return false;
  }
  for (const std::string& tag : command.tags) {
    ASSIGN_OR_RETURN(matcher.labels.emplace_back(), WithLabel(txn, "tag", tag));
  }
  if (!command.type.empty()) {
    ASSIGN_OR_RETURN(matcher.labels.emplace_back(), WithLabel(txn, "type", command.type));
  }
  return true;
}

Result<std::vector<Uuid>> Matching(const Matcher& matcher) {
  const Transaction& txn = matcher.txn;
  std::vector<Uuid> ids;
  const std::string prefix = tables::MemoryPrefix(txn.space());
  Status failed;
  RETURN_IF_ERROR(txn.state().Scan(
      Family::kState, prefix, PrefixEnd(prefix), [&](std::string_view key, std::string_view value) {
        const auto record = Unpack<fb::MemoryRecordT>(value);
        const Uuid id = *UuidFromBytes(key.substr(prefix.size()));
        const Result<bool> matches =
            record ? matcher.Matches(id, *record) : std::unexpected(record.error());
        if (!matches) failed = std::unexpected(matches.error());
        if (matches && *matches) ids.push_back(id);
        return failed.has_value();
      }));
  RETURN_IF_ERROR(failed);
  return ids;
}

Status ForgetOne(Transaction& txn, const Uuid& id) {
  ASSIGN_OR_RETURN(const auto record, FindMemory(txn, id));
  RETURN_IF_ERROR(RequireEditable(txn, record));
  fb::MemoryForgottenT event;
  event.memory = ToId(id);
  event.version = record.version;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(event))));
  return DisputeDerived(txn, id);
}

}  // namespace

Status DecideForgetMatching(Transaction& txn, const ForgetMatching& command) {
  RETURN_IF_ERROR(
      RequireRole(txn, command.erase ? kOperator : kReviewer | kOperator,
                  command.erase ? "Erasing all that matches" : "Forgetting all that matches"));
  if (!NamesSomething(command)) {
    return Refuse(Rule::kMalformed,
                  "This would be everything. Name a scope, a store, a time, tags or a type.",
                  "scope");
  }
  Matcher matcher{txn, command, {}, {}, {}};
  ASSIGN_OR_RETURN(const bool possible, Prepare(txn, command, matcher));
  if (!possible) return NothingMatches();
  ASSIGN_OR_RETURN(std::vector<Uuid> ids, Matching(matcher));
  if (ids.empty()) return NothingMatches();
  if (ids.size() > limits::kRollbackMemoriesMax) {
    return Refuse(Rule::kTooMany,
                  fmt::format("{} memories match; one command takes {}. Narrow it.", ids.size(),
                              limits::kRollbackMemoriesMax),
                  "scope");
  }
  if (command.erase) return DecideErase(txn, {.ids = std::move(ids), .suppressions = {}});
  for (const Uuid& id : ids) RETURN_IF_ERROR(ForgetOne(txn, id));
  return {};
}

}  // namespace perdure
