#include "engine/decide/refusal.h"

#include <array>
#include <charconv>
#include <utility>

#include "engine/base/uuid.h"
#include "engine/model/codec.h"

namespace perdure {
namespace {

using fb::Gate;

// By number, from 1 on.
constexpr std::array<RuleFacts, kRules> kFacts = {{
    {Gate::authority, Code::kForbidden, "role"},
    {Gate::authority, Code::kForbidden, "scope"},
    {Gate::authority, Code::kNotFound, "no_memory"},
    {Gate::admission, Code::kErased, "erased"},
    {Gate::conflict, Code::kConflict, "state"},
    {Gate::idempotency, Code::kIdempotencyMismatch, "key_reused"},
    {Gate::conflict, Code::kConflict, "version"},
    {Gate::conflict, Code::kConflict, "text_not_found"},
    {Gate::conflict, Code::kConflict, "text_not_unique"},
    {Gate::admission, Code::kTooLarge, "limit"},
    {Gate::admission, Code::kInvalidArgument, "malformed"},
    {Gate::admission, Code::kInvalidArgument, "interval"},
    {Gate::admission, Code::kNotFound, "no_version"},
    {Gate::duplicate, Code::kConflict, "name_taken"},
    {Gate::admission, Code::kTooLarge, "too_many"},
    {Gate::admission, Code::kCompacted, "compacted"},
    {Gate::admission, Code::kNotFound, "nothing"},
    {Gate::admission, Code::kInvalidArgument, "kind"},
    {Gate::suppression, Code::kRefused, "suppressed"},
    {Gate::conflict, Code::kRefused, "stale_evidence"},
    {Gate::duplicate, Code::kRefused, "stands"},
    {Gate::duplicate, Code::kRefused, "waits"},
    {Gate::conflict, Code::kRefused, "challenge"},
    {Gate::conflict, Code::kRefused, "rival"},
    {Gate::admission, Code::kRefused, "quote_not_found"},
    {Gate::admission, Code::kRefused, "injection"},
    {Gate::admission, Code::kRefused, "shape"},
    {Gate::authority, Code::kRefused, "protected"},
    {Gate::admission, Code::kRefused, "cap"},
    {Gate::admission, Code::kInvalidArgument, "evidence"},
    {Gate::admission, Code::kRefused, "agent"},
    {Gate::admission, Code::kRefused, "rate"},
    {Gate::admission, Code::kRefused, "novelty"},
    {Gate::conflict, Code::kConflict, "not_empty"},
    {Gate::authority, Code::kConflict, "mirror"},
    {Gate::authority, Code::kConflict, "record"},
}};
static_assert(!kFacts.back().name.empty());

}  // namespace

RuleFacts FactsOf(Rule rule) {
  const auto number = static_cast<std::size_t>(rule);
  if (number == 0 || number > kFacts.size()) return {Gate::admission, Code::kInternal, "unknown"};
  return kFacts[number - 1];
}

bool IsVerdict(Rule rule) { return FactsOf(rule).code == Code::kRefused; }

std::unexpected<Error> Refuse(Rule rule, std::string message, std::string field) {
  const RuleFacts facts = FactsOf(rule);
  Error error{facts.code, std::move(message), std::move(field), {}};
  error.details.emplace_back("gate", fb::EnumNameGate(facts.gate));
  error.details.emplace_back("rule", facts.name);
  return std::unexpected(std::move(error));
}

std::unexpected<Error> RefuseWith(Rule rule, std::string message, const RefusalNotes& notes) {
  auto refusal = Refuse(rule, std::move(message));
  auto& details = refusal.error().details;
  if (notes.suppression != 0) {
    details.emplace_back("suppression", std::to_string(notes.suppression));
  }
  if (!notes.memory.empty()) details.emplace_back("memory", notes.memory);
  return refusal;
}

fb::WriteRefusedT RefusalEvent(const Error& error, std::uint8_t command) {
  const Rule rule = *RuleOf(error);
  fb::WriteRefusedT event;
  event.gate = FactsOf(rule).gate;
  event.rule = static_cast<std::uint16_t>(rule);
  event.command = command;
  event.review = rule == Rule::kStaleEvidence || rule == Rule::kRival;
  for (const auto& [key, value] : error.details) {
    if (key == "memory") event.memory = ToIdPtr(ParseUuid(value));
    if (key == "suppression") {
      std::from_chars(value.data(), value.data() + value.size(), event.suppression);
    }
  }
  return event;
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
