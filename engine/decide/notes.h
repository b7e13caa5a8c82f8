// What store and review share about notes.
#pragma once

#include "engine/decide/command.h"
#include "engine/decide/transaction.h"
#include "schema/records_generated.h"

namespace perdure {

// Parks the note for a reviewer. Refuses what stands already or waits.
Status ProposeNote(Transaction& txn, const NoteDraft& draft);

// Stores what several memories become, even where the same note stands: its parts leave.
Result<Uuid> StoreMerged(Transaction& txn, const NoteDraft& draft);

// Refuses when default reads show the same note as the candidate with this record.
Status CheckNoSameNote(const Transaction& txn, const fb::MemoryRecordT& record);

}  // namespace perdure
