#include "engine/decide/admission.h"

#include <fmt/format.h>

#include "engine/decide/injection.h"

namespace perdure {
namespace {

// What the policy makes of a write that `rule` found.
Result<std::optional<Rule>> Apply(fb::Admission policy, Rule rule, const std::string& why,
                                  std::string_view field) {
  switch (policy) {
    case fb::Admission::admit:
      return std::nullopt;
    case fb::Admission::quarantine:
      return rule;
    case fb::Admission::refuse:
      break;
  }
  return Refuse(rule, why, std::string(field));
}

Status CheckAmount(const Transaction& txn, const Policy& policy, std::string_view text) {
  if (policy.text_bytes_max != 0 && text.size() > policy.text_bytes_max) {
    return Refuse(Rule::kLimit,
                  fmt::format("The text has {} bytes; the policy of this space allows {}.",
                              text.size(), policy.text_bytes_max),
                  "text");
  }
  if (policy.writes_per_minute != 0 && txn.writes_of_minute() >= policy.writes_per_minute) {
    return Refuse(Rule::kRate, fmt::format("This token may write {} times a minute. Wait, or store "
                                           "many memories in one call.",
                                           policy.writes_per_minute));
  }
  return {};
}

Result<std::optional<Rule>> CheckInjection(fb::Admission policy, std::string_view text) {
  if (policy == fb::Admission::admit) return std::nullopt;
  const auto pattern = FindInjection(text);
  if (!pattern) return std::nullopt;
  return Apply(policy, Rule::kInjection,
               fmt::format("The text gives orders to whoever reads it ({}). Say what happened "
                           "instead, or ask a reviewer to change the policy.",
                           *pattern),
               "text");
}

}  // namespace

Result<std::optional<Rule>> AdmitNote(const Transaction& txn, const Policy& policy,
                                      std::string_view text) {
  RETURN_IF_ERROR(CheckAmount(txn, policy, text));
  return CheckInjection(policy.note_injection, text);
}

Result<std::optional<Rule>> AdmitFact(const Transaction& txn, const Policy& policy,
                                      std::string_view text) {
  RETURN_IF_ERROR(CheckAmount(txn, policy, text));
  ASSIGN_OR_RETURN(const auto orders, CheckInjection(policy.injection, text));
  if (orders || txn.principal().Has(kReviewer | kOperator)) return orders;
  return Apply(policy.agents, Rule::kAgentFact,
               "The policy of this space takes no facts from agents: propose a candidate.", "");
}

}  // namespace perdure
