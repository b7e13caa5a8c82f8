// What an erasure takes from the store: every payload of the memory and every row computed from
// one. The entries stay.
#pragma once

#include <vector>

#include "engine/base/result.h"
#include "engine/base/uuid.h"
#include "engine/proof/keys.h"
#include "engine/storage/keys.h"
#include "engine/storage/state.h"
#include "schema/entry_generated.h"
#include "schema/payload_generated.h"

namespace perdure {

// The seqs of the memory's entries that were written with a payload, ascending: also of those that
// have lost it, so that the erasure accounts for it.
Result<std::vector<Seq>> PayloadsOf(const StateReader& reader, SpaceId space, const Uuid& id);

// Deletes what the MemoryErased entry covers. Where a payload is gone already, as in the replay of
// an erased log, its rows were never made.
Status EraseRows(const fb::Entry& entry, const Secret& secret, Overlay& state);

// Deletes the words of the suppression that the entry names; its keys stay.
Status EraseSuppression(const fb::Entry& entry, const fb::SuppressionErased& event,
                        const Secret& secret, Overlay& state);

// Deletes the rows that were made of the payload of entry `past`: labels, evidence, scoring
// pass and idempotency key.
Status DeleteRowsOf(const fb::Entry& past, const fb::Payload& payload, const Uuid& id,
                    const Secret& secret, Overlay& state);

}  // namespace perdure
