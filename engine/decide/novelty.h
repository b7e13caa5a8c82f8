// Whether a fact nearly says what its slot says already.
#pragma once

#include <optional>
#include <string_view>

#include "engine/decide/assert.h"
#include "engine/decide/refusal.h"
#include "engine/decide/transaction.h"

namespace perdure {

// Whether two objects, in canonical form, differ in nothing but the order of words, punctuation,
// or one letter in eight. Numbers that differ never are nearly the same.
bool NearlySame(std::string_view a, std::string_view b);

// By the policy: refuses a value that nearly repeats one that stands in its slot, or names the rule
// that sends it to a reviewer. The same value is no matter of novelty.
Result<std::optional<Rule>> CheckNovelty(const Transaction& txn, const Claim& claim,
                                         const Slot& slot);

}  // namespace perdure
