// The admission gate: how much, how often, from whom, and what a text says.
#pragma once

#include <optional>
#include <string_view>

#include "engine/decide/policy.h"
#include "engine/decide/refusal.h"
#include "engine/decide/transaction.h"

namespace perdure {

// The rule that sends a text to a reviewer, or nullopt; refuses where the policy says so. Linear
// in the text.
Result<std::optional<Rule>> AdmitNote(const Transaction& txn, const Policy& policy,
                                      std::string_view text);
Result<std::optional<Rule>> AdmitFact(const Transaction& txn, const Policy& policy,
                                      std::string_view text);

}  // namespace perdure
