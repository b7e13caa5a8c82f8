// What is left of a fact once another one holds at a part of its time.
#pragma once

#include <optional>

#include "engine/decide/slot.h"
#include "engine/decide/transaction.h"
#include "schema/records_generated.h"

namespace perdure {

// The fact holds only before and after `by` from here on, at least one of which there is. Of two,
// the later is a memory of its own, since a memory has one interval: with the same evidence, and
// pinned where the fact is.
Status Bound(Transaction& txn, const Member& fact, const Uuid& by,
             const std::optional<ValidTime>& before, const std::optional<ValidTime>& after);

// Whether the memory of `record` is such a rest of `fact`: it says the same on the same evidence,
// so it does not fall with it.
Result<bool> IsRestOf(const Transaction& txn, const fb::MemoryRecordT& record, const Uuid& fact);

}  // namespace perdure
