#include <fmt/format.h>

#include <set>

#include "engine/apply/memory_fold.h"
#include "engine/base/limits.h"
#include "engine/decide/decide.h"
#include "engine/decide/dispute.h"
#include "engine/decide/places.h"
#include "engine/decide/refusal.h"
#include "engine/decide/restore.h"
#include "engine/decide/rules.h"
#include "engine/decide/slot.h"
#include "engine/decide/suppression.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

struct Candidate {
  Uuid id;
  fb::MemoryRecordT now;
  std::optional<fb::MemoryRecordT> past;  // nullopt: created since
};

struct Plan {
  std::vector<Candidate> changes;
  std::uint32_t moved_out = 0;
  std::uint32_t erased = 0;
  std::uint32_t kept_out = 0;
};

// Whether a gate keeps the memory from being what it was. A whole scope goes back to what stood
// side by side then; one memory alone may find another value in its place.
Result<bool> IsKeptOut(const Transaction& txn, const Candidate& candidate, bool alone) {
  const fb::MemoryRecordT& past = *candidate.past;
  if (!ComesBack(past)) return false;
  Status allowed = CheckMayReturn(txn, past);
  if (allowed && alone && Stands(past)) allowed = CheckNoRival(txn, candidate.id, past);
  if (allowed) return false;
  if (alone || !RuleOf(allowed.error())) return std::unexpected(allowed.error());
  return true;
}

// Which memories are rolled back: one alone, or those of a scope.
struct Reach {
  std::optional<fb::ScopeRef> scope;
  bool exact = false;
};

// Sorts one memory that changed after `to` into the plan.
Status Consider(const Transaction& txn, Candidate candidate, const Reach& reach, Plan& plan) {
  const auto& scope = reach.scope;
  const auto inside = [&](const fb::MemoryRecordT& record) -> Result<bool> {
    if (!scope) return true;
    if (reach.exact && record.scope.container() != scope->container()) return false;
    return ScopeContains(txn.state(), txn.space(), *scope, record.scope);
  };
  ASSIGN_OR_RETURN(const bool inside_now, inside(candidate.now));
  if (!candidate.past) {
    if (inside_now && candidate.now.state == fb::MemoryState::live) {
      plan.changes.push_back(std::move(candidate));
    }
    return {};
  }
  ASSIGN_OR_RETURN(const bool inside_then, inside(*candidate.past));
  if (!inside_then) return {};
  if (candidate.now.state == fb::MemoryState::erased) {
    ++plan.erased;
  } else if (!inside_now) {
    ++plan.moved_out;
  } else if (!SameContent(candidate.now, *candidate.past) ||
             !SameState(candidate.now, *candidate.past)) {
    ASSIGN_OR_RETURN(const bool kept_out, IsKeptOut(txn, candidate, !scope));
    if (kept_out) {
      ++plan.kept_out;
    } else {
      plan.changes.push_back(std::move(candidate));
    }
  }
  return {};
}

Result<std::vector<Candidate>> ChangedSince(const Transaction& txn, const Rollback& command) {
  std::vector<Candidate> changed;
  if (command.memory) {
    ASSIGN_OR_RETURN(auto record, RequireMemory(txn, *command.memory));
    changed.push_back({*command.memory, std::move(record), {}});
  } else {
    const std::string prefix = tables::MemoryPrefix(txn.space());
    Status malformed;
    RETURN_IF_ERROR(txn.state().Scan(
        Family::kState, prefix, PrefixEnd(prefix),
        [&](std::string_view key, std::string_view value) {
          auto record = Unpack<fb::MemoryRecordT>(value);
          if (!record) malformed = std::unexpected(record.error());
          if (record && record->record_time > command.to) {
            changed.push_back({*UuidFromBytes(key.substr(prefix.size())), std::move(*record), {}});
          }
          return malformed.has_value();
        }));
    RETURN_IF_ERROR(malformed);
  }
  for (Candidate& candidate : changed) {
    ASSIGN_OR_RETURN(candidate.past, RecordAt(txn.state(), txn.space(), candidate.id, command.to));
    // How its predicate relates values is not rolled back.
    if (candidate.past) candidate.past->symmetric = candidate.now.symmetric;
  }
  return changed;
}

// Leaves out what would find in its place a fact that came there since and stays.
Status LeaveOutRivals(const Transaction& txn, Micros to, Plan& plan) {
  std::set<Uuid> together;
  for (const Candidate& candidate : plan.changes) together.insert(candidate.id);
  for (bool again = true; again;) {
    again = false;
    for (auto it = plan.changes.begin(); it != plan.changes.end();) {
      std::optional<Uuid> rival;
      if (it->past) {
        ASSIGN_OR_RETURN(rival, InTheWay(txn, it->id, *it->past, together, to));
      }
      if (!rival) {
        ++it;
        continue;
      }
      together.erase(it->id);
      it = plan.changes.erase(it);
      ++plan.kept_out;
      again = true;
    }
  }
  return {};
}

// What stood side by side then may claim one place now: its predicate was declared anew since.
Status SettleFacts(Transaction& txn, const Plan& plan) {
  std::vector<Member> facts;
  for (const Candidate& candidate : plan.changes) {
    if (candidate.now.kind != fb::MemoryKind::fact) continue;
    ASSIGN_OR_RETURN(auto record, ReadMemory(txn.state(), txn.space(), candidate.id));
    if (record) facts.push_back({candidate.id, std::move(*record)});
  }
  return SettlePlaces(txn, std::move(facts));
}

// Disputes are what waits for review now, not what waited then.
Status ReconcileDisputes(Transaction& txn, const Plan& plan) {
  std::set<Uuid> facts;
  for (const Candidate& candidate : plan.changes) {
    facts.insert(candidate.id);
    if (!candidate.past) continue;
    if (const auto rival = FromIdPtr(candidate.past->predecessor)) facts.insert(*rival);
  }
  for (const Uuid& id : facts) RETURN_IF_ERROR(ReconcileDispute(txn, id));
  return {};
}

}  // namespace

Status DecideRevert(Transaction& txn, const RevertMemory& command) {
  RETURN_IF_ERROR(RequireRole(txn, kAgent | kReviewer | kOperator, "Reverting a memory"));
  if (command.version.has_value() == command.as_of.has_value()) {
    return Refuse(Rule::kMalformed, "Give either version or as_of, for example version: 2.",
                  "version");
  }
  ASSIGN_OR_RETURN(const auto now, RequireMemory(txn, command.id));
  RETURN_IF_ERROR(RequireLive(now, "Reverting"));
  RETURN_IF_ERROR(RequireMayRewrite(txn, now));
  ASSIGN_OR_RETURN(auto past,
                   command.version
                       ? RecordOfVersion(txn.state(), txn.space(), command.id, *command.version)
                       : RecordAt(txn.state(), txn.space(), command.id, *command.as_of));
  if (!past) {
    return Refuse(Rule::kNoVersion,
                  fmt::format("The memory has no such version. It is at version {} and began at "
                              "{}; memory_history lists all.",
                              now.version, FormatTime(now.created_time)),
                  command.version ? "version" : "as_of");
  }
  RETURN_IF_ERROR(RequirePayload(txn, past->text_seq));
  RETURN_IF_ERROR(RequirePayload(txn, past->label_seq));
  past->scope = now.scope;  // a revert brings back what the memory said, not where it lived
  past->store = now.store;
  RETURN_IF_ERROR(CheckMayReturn(txn, *past));
  if (past->expires_at != now.expires_at) {
    RETURN_IF_ERROR(RequireMayPutAway(txn, now, "Dating it"));
    RETURN_IF_ERROR(CheckNoRival(txn, command.id, *past));
  }
  fb::MemoryRevertedT event = BackTo(command.id, now, *past);
  if (SameContent(now, *past)) {
    fb::MemorySeenAgainT seen;
    seen.memory = ToId(command.id);
    seen.version = now.version;
    ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(seen))));
    return {};
  }
  event.version = now.version + 1;
  event.to_version = past->version;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(event))));
  return {};
}

Status DecideRollback(Transaction& txn, const Rollback& command) {
  RETURN_IF_ERROR(RequireRole(txn, kReviewer | kOperator, "A rollback"));
  ASSIGN_OR_RETURN(const auto scope, FindOwnScope(txn, command.scope));
  if (!scope && !command.memory) {
    return Refuse(Rule::kNothing,
                  fmt::format("There is no scope '{}'.", FormatScope(command.scope)), "scope");
  }
  ASSIGN_OR_RETURN(std::vector<Candidate> changed, ChangedSince(txn, command));
  Plan plan;
  const Reach reach{command.memory ? std::nullopt : scope, command.scope_exact};
  for (Candidate& candidate : changed) {
    RETURN_IF_ERROR(Consider(txn, std::move(candidate), reach, plan));
  }
  if (!command.memory) RETURN_IF_ERROR(LeaveOutRivals(txn, command.to, plan));
  if (plan.changes.size() > limits::kRollbackMemoriesMax) {
    return Refuse(Rule::kTooMany,
                  fmt::format("The rollback would change {} memories; one may change {}. Roll back "
                              "narrower scopes one after another.",
                              plan.changes.size(), limits::kRollbackMemoriesMax),
                  "scope");
  }
  fb::ScopeRolledBackT event;
  if (command.memory) event.memory = std::make_unique<fb::Id>(ToId(*command.memory));
  if (scope) event.scope = *scope;
  event.to = command.to;
  event.changed = static_cast<std::uint32_t>(plan.changes.size());
  event.moved_out = plan.moved_out;
  event.erased = plan.erased;
  event.kept_out = plan.kept_out;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(event))));
  for (const Candidate& candidate : plan.changes) {
    RETURN_IF_ERROR(RollBack(txn, candidate.id, command.to));
  }
  RETURN_IF_ERROR(SettleFacts(txn, plan));
  return ReconcileDisputes(txn, plan);
}

}  // namespace perdure
