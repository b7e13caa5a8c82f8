// How a memory gets back what it was: by a revert, a rollback, or a review decision taken back.
#pragma once

#include <optional>
#include <set>

#include "engine/decide/transaction.h"
#include "schema/records_generated.h"

namespace perdure {

bool SameContent(const fb::MemoryRecordT& a, const fb::MemoryRecordT& b);
bool SameState(const fb::MemoryRecordT& a, const fb::MemoryRecordT& b);

// The event that gives memory `id` the content of `past`.
fb::MemoryRevertedT BackTo(const Uuid& id, const fb::MemoryRecordT& now,
                           const fb::MemoryRecordT& past);
// The same with the state of `past`; who vouched for it is never taken back.
fb::MemoryRevertedT WhollyBackTo(const Uuid& id, const fb::MemoryRecordT& now,
                                 const fb::MemoryRecordT& past);

// The memory is what it was at record time `to`; archived, if it was stored since.
Status PutBack(Transaction& txn, const Uuid& id, Micros to);
// The same, but for trust: who vouched for a text is not rolled back, nor brought back.
Status RollBack(Transaction& txn, const Uuid& id, Micros to);

// Whether it would be shown, or wait to be.
bool ComesBack(const fb::MemoryRecordT& past);

// Another fact that stands where `past` stood, came there after record time `to`, and is not among
// those that are put back together.
Result<std::optional<Uuid>> InTheWay(const Transaction& txn, const Uuid& id,
                                     const fb::MemoryRecordT& past, const std::set<Uuid>& together,
                                     Micros to);

}  // namespace perdure
