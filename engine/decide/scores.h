// How far importance and confidence may be moved without a reviewer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/apply/governance_fold.h"
#include "engine/decide/transaction.h"
#include "schema/records_generated.h"

namespace perdure {

// The new score, within the bounds of one call and of a whole pass that has `moved` it so far.
Result<float> BoundedScore(std::optional<float> wanted, float now, float moved,
                           std::string_view field);

// Refuses when a reviewer holds the memory up: it is not scored.
Status RequireMayScore(const fb::MemoryRecordT& record);

// The pass by which the descriptions of an agent count: all that it makes of one memory together.
std::string PassOfDescriptions(const Transaction& txn);
// Whether the caller may give memory `id` this importance by describing it: a reviewer any, an
// agent within the bounds of one pass.
Status CheckImportanceBound(const Transaction& txn, const Uuid& id, const fb::MemoryRecordT& record,
                            float importance);

}  // namespace perdure
