#include "engine/decide/refusal.h"

#include <utility>

namespace perdure {
namespace {

constexpr std::uint16_t kRules = 17;

}  // namespace

RuleFacts FactsOf(Rule rule) {
  using fb::Gate;
  switch (rule) {
    case Rule::kRole:
      return {Gate::authority, Code::kForbidden, "role"};
    case Rule::kScope:
      return {Gate::authority, Code::kForbidden, "scope"};
    case Rule::kNoMemory:
      return {Gate::authority, Code::kNotFound, "no_memory"};
    case Rule::kErased:
      return {Gate::admission, Code::kErased, "erased"};
    case Rule::kState:
      return {Gate::conflict, Code::kConflict, "state"};
    case Rule::kKeyReused:
      return {Gate::idempotency, Code::kIdempotencyMismatch, "key_reused"};
    case Rule::kVersion:
      return {Gate::conflict, Code::kConflict, "version"};
    case Rule::kTextNotFound:
      return {Gate::conflict, Code::kConflict, "text_not_found"};
    case Rule::kTextNotUnique:
      return {Gate::conflict, Code::kConflict, "text_not_unique"};
    case Rule::kLimit:
      return {Gate::admission, Code::kTooLarge, "limit"};
    case Rule::kMalformed:
      return {Gate::admission, Code::kInvalidArgument, "malformed"};
    case Rule::kInterval:
      return {Gate::admission, Code::kInvalidArgument, "interval"};
    case Rule::kNoVersion:
      return {Gate::admission, Code::kNotFound, "no_version"};
    case Rule::kNameTaken:
      return {Gate::duplicate, Code::kConflict, "name_taken"};
    case Rule::kTooMany:
      return {Gate::admission, Code::kTooLarge, "too_many"};
    case Rule::kCompacted:
      return {Gate::admission, Code::kCompacted, "compacted"};
    case Rule::kNothing:
      return {Gate::admission, Code::kNotFound, "nothing"};
  }
  return {Gate::admission, Code::kInternal, "unknown"};
}

std::unexpected<Error> Refuse(Rule rule, std::string message, std::string field) {
  const RuleFacts facts = FactsOf(rule);
  Error error{facts.code, std::move(message), std::move(field), {}};
  error.details.emplace_back("gate", fb::EnumNameGate(facts.gate));
  error.details.emplace_back("rule", facts.name);
  return std::unexpected(std::move(error));
}

std::optional<Rule> RuleOf(const Error& error) {
  for (const auto& [key, value] : error.details) {
    if (key != "rule") continue;
    for (std::uint16_t n = 1; n <= kRules; ++n) {
      if (FactsOf(static_cast<Rule>(n)).name == value) return static_cast<Rule>(n);
    }
  }
  return std::nullopt;
}

}  // namespace perdure
