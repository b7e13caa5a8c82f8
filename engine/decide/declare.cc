// How the values of a predicate relate, and what that makes of the facts that there are.
#include <fmt/format.h>

#include "engine/base/limits.h"
#include "engine/decide/decide.h"
#include "engine/decide/places.h"
#include "engine/decide/policy.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/decide/slot.h"
#include "engine/model/fact_keys.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

// Every fact of the predicate that is not erased. Reads the record of every memory.
Result<std::vector<Member>> FactsOf(const Transaction& txn, std::string_view predicate) {
  std::vector<Member> facts;
  const std::string prefix = tables::MemoryPrefix(txn.space());
  Status failed;
  const auto take = [&](std::string_view key, std::string_view value) -> Status {
    ASSIGN_OR_RETURN(auto record, Unpack<fb::MemoryRecordT>(value));
    if (record.kind != fb::MemoryKind::fact || record.state == fb::MemoryState::erased) return {};
    facts.push_back({*UuidFromBytes(key.substr(prefix.size())), std::move(record)});
    return {};
  };
  RETURN_IF_ERROR(txn.state().Scan(Family::kState, prefix, PrefixEnd(prefix),
                                   [&](std::string_view key, std::string_view value) {
                                     failed = take(key, value);
                                     return failed.has_value();
                                   }));
  RETURN_IF_ERROR(failed);
  std::vector<Member> its;
  for (Member& fact : facts) {
    ASSIGN_OR_RETURN(const PayloadRow held, RequirePayload(txn, fact.record.text_seq));
    if (FactWords::Of(*held).predicate == predicate) its.push_back(std::move(fact));
  }
  return its;
}

// Whether its subject and object may be swapped is from now on as declared, for each of them.
Status Turn(Transaction& txn, const std::vector<Member>& facts, bool symmetric) {
  for (const Member& fact : facts) {
    if (fact.record.symmetric == symmetric) continue;
    fb::SymmetryChangedT event;
    event.memory = ToId(fact.id);
    event.version = fact.record.version;
    event.symmetric = symmetric;
    ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                     txn.Append(MakeEvent(std::move(event)), {}, {.with_reason = false}));
  }
  return {};
}

Status Declare(Transaction& txn, const DeclarePredicate& command) {
  fb::PredicateDeclaredT event;
  event.multi_valued = command.multi_valued;
  event.symmetric = command.symmetric;
  event.shape = command.shape;
  fb::PayloadT payload;
  payload.predicate = command.name;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), std::move(payload)));
  return {};
}

}  // namespace

Status DecideDeclarePredicate(Transaction& txn, const DeclarePredicate& command) {
  RETURN_IF_ERROR(RequireRole(txn, kReviewer | kOperator, "Declaring a predicate"));
  RETURN_IF_ERROR(RequireWholeSpace(txn, "Declaring a predicate"));
  if (command.name.empty()) return Refuse(Rule::kMalformed, "The predicate has no name.", "name");
  RETURN_IF_ERROR(CheckText(command.name, limits::kLabelBytesMax, "name"));
  ASSIGN_OR_RETURN(const Predicate before,
                   ReadPredicate(txn.state(), txn.space(), txn.secret(), command.name));
  RETURN_IF_ERROR(Declare(txn, command));
  const bool turns = before.symmetric != command.symmetric;
  const bool narrows = before.multi_valued && !command.multi_valued;
  if (!turns && !narrows) return {};
  const FactWords words = FactWords::Of({}, command.name, {});
  ASSIGN_OR_RETURN(std::vector<Member> facts, FactsOf(txn, words.predicate));
  if (facts.size() > limits::kRollbackMemoriesMax) {
    return Refuse(Rule::kTooMany,
                  fmt::format("{} facts have this predicate; it can be declared anew with at most "
                              "{}.",
                              facts.size(), limits::kRollbackMemoriesMax),
                  "name");
  }
  RETURN_IF_ERROR(Turn(txn, facts, command.symmetric));
  return SettlePlaces(txn, std::move(facts));
}

}  // namespace perdure
