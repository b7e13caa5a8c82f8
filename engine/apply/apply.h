// Folds one entry into the projections. Pure: reads and writes go through the overlay alone, so
// the same log, payloads and keys give the same bytes on any machine.
#pragma once

#include "engine/base/result.h"
#include "engine/proof/keys.h"
#include "engine/storage/state.h"
#include "schema/entry_generated.h"
#include "schema/payload_generated.h"

namespace perdure {

// `payload` is nullptr when the entry has none or it was erased. `state` holds everything before
// the entry, and the entry's own log and payload rows.
Status Apply(const fb::Entry& entry, const fb::Payload* payload, const Secret& secret,
             Overlay& state);

}  // namespace perdure
