// Whether what waits for review doubts a fact that stands.
#pragma once

#include "engine/decide/transaction.h"
#include "schema/records_generated.h"

namespace perdure {

// The candidate `challenger`, whose record this is, no longer claims its rival's place.
Status SettleDispute(Transaction& txn, const Uuid& challenger, const fb::MemoryRecordT& record);

// The fact shows as challenged exactly while a candidate claims its place; nothing for any other
// memory.
Status ReconcileDispute(Transaction& txn, const Uuid& id);

}  // namespace perdure
