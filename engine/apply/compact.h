// What a compaction with payloads takes from a space: the texts and descriptions that only versions
// superseded before the horizon needed, and every row computed from one. The entries stay.
#pragma once

#include <vector>

#include "engine/base/result.h"
#include "engine/base/time.h"
#include "engine/base/uuid.h"
#include "engine/proof/keys.h"
#include "engine/storage/keys.h"
#include "engine/storage/state.h"
#include "schema/entry_generated.h"

namespace perdure {

// The seqs of the entries that made versions of the memory, still have a payload, and are needed by
// no version that holds at `before` or was made later; ascending.
Result<std::vector<Seq>> SupersededPayloads(const StateReader& reader, SpaceId space,
                                            const Uuid& id, Micros before);

// Deletes what the PayloadsCompacted entry covers. Where a payload is gone already, as in the
// replay of a compacted log, its rows were never made.
Status DropRows(const fb::Entry& entry, const Secret& secret, Overlay& state);

}  // namespace perdure
