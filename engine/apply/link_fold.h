// The folds of links between memories. A link's record stands under both of its ends.
#pragma once

#include "engine/base/result.h"
#include "engine/proof/keys.h"
#include "engine/storage/state.h"
#include "schema/entry_generated.h"
#include "schema/payload_generated.h"

namespace perdure {

void FoldLinked(const fb::Entry& entry, const fb::LinkAdded& event, const fb::Payload* payload,
                const Secret& secret, Overlay& state);
Status FoldUnlinked(const fb::Entry& entry, const fb::LinkRemoved& event, const Secret& secret,
                    Overlay& state);
// No link leads to or from the memory that the entry erases.
Status EraseLinks(const fb::Entry& entry, const Secret& secret, Overlay& state);

}  // namespace perdure
