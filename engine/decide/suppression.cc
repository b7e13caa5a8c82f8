#include "engine/decide/suppression.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/apply/memory_fold.h"
#include "engine/apply/place_fold.h"
#include "engine/base/canonical.h"
#include "engine/base/limits.h"
#include "engine/decide/decide.h"
#include "engine/decide/derived.h"
#include "engine/decide/labels.h"
#include "engine/decide/policy.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/decide/slot.h"
#include "engine/decide/twins.h"
#include "engine/model/fact_keys.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

Result<std::optional<fb::SuppressionRecordT>> ReadSuppression(const Transaction& txn, Seq seq) {
  ASSIGN_OR_RETURN(const auto bytes,
                   txn.state().Get(Family::kState, tables::Suppression(txn.space(), seq)));
  if (!bytes) return std::nullopt;
  return Unpack<fb::SuppressionRecordT>(*bytes);
}

// Where a suppression holds: what was rejected in a container that was deleted stays rejected where
// its memories went.
Result<fb::ScopeRef> ReachOf(const Transaction& txn, fb::ScopeRef scope) {
  while (scope.container() != 0) {
    ASSIGN_OR_RETURN(const auto node, ReadNode(txn.state(), txn.space(), scope.container()));
    if (!node || node->deleted_seq == 0 || !node->moved_to) break;
    scope.mutate_container(*node->moved_to);
  }
  return scope;
}

// Whether the suppression `seq` keeps anything out of `scope` now.
Result<bool> Holds(const Transaction& txn, Seq seq, const fb::ScopeRef& scope) {
  ASSIGN_OR_RETURN(const auto record, ReadSuppression(txn, seq));
  if (!record || record->lifted_seq != 0) return false;
  if (record->expires_at && *record->expires_at <= txn.NextTime()) return false;
  ASSIGN_OR_RETURN(const fb::ScopeRef reach, ReachOf(txn, record->scope));
  return ScopeContains(txn.state(), txn.space(), reach, scope);
}

std::unexpected<Error> Suppressed(Seq seq) {
  return RefuseWith(Rule::kSuppressed,
                    fmt::format("This was rejected and may not be remembered again (suppression "
                                "{}). A reviewer can lift it with a reason.",
                                seq),
                    {.suppression = seq, .memory = {}});
}

// What a suppression takes away: who has the value.
struct Value {
  std::optional<FactWords> words;  // of a fact
  bool symmetric = false;
  std::string text;
};

// Live facts with the same value that the suppression reaches.
Result<std::vector<Member>> FactsWithin(const Transaction& txn, const Value& value,
                                        const fb::ScopeRef& scope) {
  ASSIGN_OR_RETURN(std::vector<Member> members, FactsOfSlot(txn, *value.words, value.symmetric));
  const std::vector<ValueKey> refused =
      RefusedFactKeys(txn.secret(), *value.words, value.symmetric);
  std::vector<Member> holders;
  for (Member& member : members) {
    if (member.record.state != fb::MemoryState::live) continue;
    ASSIGN_OR_RETURN(const bool inside,
                     ScopeContains(txn.state(), txn.space(), scope, member.record.scope));
    if (!inside) continue;
    ASSIGN_OR_RETURN(const PayloadRow held, RequirePayload(txn, member.record.text_seq));
    const std::vector<ValueKey> keys = RefusedFactKeys(txn.secret(), FactWords::Of(*held), false);
    if (std::ranges::find(refused, keys.front()) != refused.end()) {
      holders.push_back(std::move(member));
    }
  }
  return holders;
}

// The same, and every other live memory that says it.
Result<std::map<Uuid, std::uint32_t>> HoldersWithin(const Transaction& txn, const Value& value,
                                                    const fb::ScopeRef& scope) {
  std::map<Uuid, std::uint32_t> versions;
  if (value.words) {
    ASSIGN_OR_RETURN(const auto facts, FactsWithin(txn, value, scope));
    for (const Member& fact : facts) versions.emplace(fact.id, fact.record.version);
  }
  ASSIGN_OR_RETURN(const std::string said, Canonical(value.text));
  const auto reached = [&](const fb::MemoryRecordT& record) -> Result<bool> {
    // One whose time has run out meets the gate when it is given more.
    if (record.state != fb::MemoryState::live || HasExpired(record, txn.NextTime())) return false;
    return ScopeContains(txn.state(), txn.space(), scope, record.scope);
  };
  ASSIGN_OR_RETURN(const Twins twins, TwinsOf(txn, {said}, reached));
  for (const auto& [text, twin] : twins) versions.emplace(twin.id, twin.record.version);
  return versions;
}

// No live memory within reach has the value from here on.
Status ForgetHolders(Transaction& txn, const Value& value, const fb::ScopeRef& scope) {
  ASSIGN_OR_RETURN(const auto holders, HoldersWithin(txn, value, scope));
  for (const auto& [id, version] : holders) {
    fb::MemoryForgottenT event;
    event.memory = ToId(id);
    event.version = version;
    ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                     txn.Append(MakeEvent(std::move(event)), {}, {.with_reason = false}));
    RETURN_IF_ERROR(DisputeDerived(txn, id));
  }
  return {};
}

// Whether both ends of the fact are one value: as it was stored, or as its predicate is now.
Result<bool> IsSymmetric(const Transaction& txn, const fb::MemoryRecordT& record,
                         const fb::Payload& text) {
  if (record.symmetric) return true;
  ASSIGN_OR_RETURN(const Predicate predicate,
                   ReadPredicate(txn.state(), txn.space(), txn.secret(),
                                 text.predicate() ? text.predicate()->string_view() : ""));
  return predicate.symmetric;
}

Result<Value> ValueOf(const Transaction& txn, const fb::MemoryRecordT& record) {
  ASSIGN_OR_RETURN(const PayloadRow held, RequirePayload(txn, record.text_seq));
  Value value;
  if (held->text()) value.text = held->text()->str();
  if (record.kind == fb::MemoryKind::fact) {
    value.words = FactWords::Of(*held);
    ASSIGN_OR_RETURN(value.symmetric, IsSymmetric(txn, record, *held));
  }
  return value;
}

}  // namespace

std::vector<ValueKey> RefusedKeys(const Secret& secret, const FactValue& value, bool symmetric,
                                  std::string_view text) {
  const FactWords words = FactWords::Of(value.subject, value.predicate, value.object);
  std::vector<ValueKey> keys = RefusedFactKeys(secret, words, symmetric);
  keys.push_back(RefusedTextKey(secret, text));
  return keys;
}

std::vector<ValueKey> RefusedKeys(const Secret& secret, std::string_view text) {
  return {RefusedTextKey(secret, text)};
}

Result<std::vector<ValueKey>> RefusedKeysOf(const Transaction& txn,
                                            const fb::MemoryRecordT& record) {
  ASSIGN_OR_RETURN(const PayloadRow text, RequirePayload(txn, record.text_seq));
  const std::string_view words = text->text() ? text->text()->string_view() : "";
  if (record.kind != fb::MemoryKind::fact) return RefusedKeys(txn.secret(), words);
  ASSIGN_OR_RETURN(const bool symmetric, IsSymmetric(txn, record, *text));
  std::vector<ValueKey> keys = RefusedFactKeys(txn.secret(), FactWords::Of(*text), symmetric);
  keys.push_back(RefusedTextKey(txn.secret(), words));
  return keys;
}

Result<bool> HasSuppressions(const Transaction& txn) {
  ASSIGN_OR_RETURN(const auto any,
                   txn.state().Get(Family::kRows, tables::Suppressed(txn.space(), ValueKey{})));
  return any.has_value();
}

Status RefuseSuppressed(const Transaction& txn, const fb::ScopeRef& scope,
                        std::span<const ValueKey> keys) {
  for (const ValueKey& key : keys) {
    ASSIGN_OR_RETURN(const auto row,
                     txn.state().Get(Family::kRows, tables::Suppressed(txn.space(), key)));
    if (!row) continue;
    for (std::string_view seqs = *row; seqs.size() >= 8; seqs.remove_prefix(8)) {
      const Seq seq = ReadBigEndian(seqs.substr(0, 8));
      ASSIGN_OR_RETURN(const bool holds, Holds(txn, seq, scope));
      if (holds) return Suppressed(seq);
    }
  }
  return {};
}

Status CheckMayReturn(const Transaction& txn, const fb::MemoryRecordT& record) {
  return CheckNotSuppressed(txn, record.scope, [&] { return RefusedKeysOf(txn, record); });
}

Status Suppress(Transaction& txn, const Rejected& rejected) {
  RETURN_IF_ERROR(CheckExpiry(rejected.until, txn.NextTime()));
  fb::ValueSuppressedT event;
  for (const ValueKey& key : rejected.keys) event.keys.push_back(ToId(key));
  event.scope = rejected.scope;
  event.memory = ToIdPtr(rejected.memory);
  event.expires_at = ToFlat(rejected.until);
  fb::PayloadT payload;
  payload.text = rejected.text;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), std::move(payload)));
  return {};
}

Status SuppressMemory(Transaction& txn, const Uuid& id, const fb::MemoryRecordT& record,
                      const Refusing& refusing) {
  if (refusing.wide) RETURN_IF_ERROR(RequireWholeSpace(txn, "A wide rejection"));
  const fb::ScopeRef scope = refusing.wide ? fb::ScopeRef() : record.scope;
  ASSIGN_OR_RETURN(std::vector<ValueKey> keys, RefusedKeysOf(txn, record));
  RETURN_IF_ERROR(Suppress(txn, {std::move(keys), scope, id, refusing.until, {}}));
  ASSIGN_OR_RETURN(const Value value, ValueOf(txn, record));
  return ForgetHolders(txn, value, scope);
}

Status DecideSuppress(Transaction& txn, const SuppressValue& command) {
  RETURN_IF_ERROR(RequireRole(txn, kReviewer | kOperator, "Rejecting a value"));
  const ScopePath path = command.scope.value_or(txn.principal().scope);
  ASSIGN_OR_RETURN(const fb::ScopeRef scope, EnsureScope(txn, path));
  if (const auto* text = std::get_if<std::string>(&command.value)) {
    if (text->empty()) return Refuse(Rule::kMalformed, "text is empty.", "text");
    RETURN_IF_ERROR(CheckText(*text, limits::kTextBytesMax, "text"));
    RETURN_IF_ERROR(
        Suppress(txn, {RefusedKeys(txn.secret(), *text), scope, {}, command.until, *text}));
    return ForgetHolders(txn, {.words = {}, .text = *text}, scope);
  }
  const auto& value = std::get<FactValue>(command.value);
  RETURN_IF_ERROR(CheckFactValue(value));
  ASSIGN_OR_RETURN(const Predicate predicate,
                   ReadPredicate(txn.state(), txn.space(), txn.secret(), value.predicate));
  const std::string text = InWords(value);
  std::vector<ValueKey> keys = RefusedKeys(txn.secret(), value, predicate.symmetric, text);
  RETURN_IF_ERROR(Suppress(txn, {std::move(keys), scope, {}, command.until, text}));
  const FactWords words = FactWords::Of(value.subject, value.predicate, value.object);
  return ForgetHolders(txn, {words, predicate.symmetric, text}, scope);
}

Result<fb::SuppressionRecordT> RequireSuppression(const Transaction& txn, Seq seq) {
  ASSIGN_OR_RETURN(auto record, ReadSuppression(txn, seq));
  ASSIGN_OR_RETURN(const auto own,
                   FindScope(txn.state(), txn.space(), txn.secret(), txn.principal().scope));
  bool reachable = record && own;
  if (reachable) {
    ASSIGN_OR_RETURN(reachable, ScopeContains(txn.state(), txn.space(), *own, record->scope));
  }
  if (reachable) return *std::move(record);
  return Refuse(Rule::kNothing,
                fmt::format("There is no suppression {} that this token may lift.", seq),
                "suppression");
}

Status DecideCarry(Transaction& txn, const CarrySuppression& command) {
  RETURN_IF_ERROR(RequireRole(txn, kOperator, "Carrying a suppression over"));
  RETURN_IF_ERROR(RequireWholeSpace(txn, "Carrying a suppression over"));
  if (command.keys.empty()) {
    return Refuse(Rule::kMalformed, "A suppression without keys refuses nothing.", "keys");
  }
  RETURN_IF_ERROR(CheckText(command.text, limits::kTextBytesMax, "text"));
  ASSIGN_OR_RETURN(const fb::ScopeRef scope, EnsureScope(txn, command.scope));
  RETURN_IF_ERROR(
      Suppress(txn, {command.keys, scope, command.memory, command.until, command.text}));
  if (!command.memory) return ForgetHolders(txn, {.words = {}, .text = command.text}, scope);
  ASSIGN_OR_RETURN(const auto record, ReadMemory(txn.state(), txn.space(), *command.memory));
  if (!record || record->state == fb::MemoryState::erased) return {};
  ASSIGN_OR_RETURN(const Value value, ValueOf(txn, *record));
  return ForgetHolders(txn, value, scope);
}

Status LiftIfInForce(Transaction& txn, Seq suppression) {
  ASSIGN_OR_RETURN(const auto record, RequireSuppression(txn, suppression));
  if (record.lifted_seq != 0) return {};
  fb::SuppressionLiftedT event;
  event.suppression = suppression;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), {}, {.with_reason = false}));
  return {};
}

Status DecideLift(Transaction& txn, const LiftSuppression& command) {
  RETURN_IF_ERROR(RequireRole(txn, kReviewer | kOperator, "Lifting a suppression"));
  if (txn.options().reason.empty()) {
    return Refuse(Rule::kMalformed, "Lifting a suppression needs a reason.", "reason");
  }
  ASSIGN_OR_RETURN(const auto record, RequireSuppression(txn, command.suppression));
  if (record.lifted_seq != 0) {
    return Refuse(Rule::kState,
                  fmt::format("Suppression {} was lifted by entry {}.", command.suppression,
                              record.lifted_seq),
                  "suppression");
  }
  fb::SuppressionLiftedT event;
  event.suppression = command.suppression;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(event))));
  return {};
}

}  // namespace perdure
