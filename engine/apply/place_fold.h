// The folds of where memories live: nodes of the scope tree, and folders that stores mirror.
#pragma once

#include <optional>

#include "engine/base/result.h"
#include "engine/proof/keys.h"
#include "engine/storage/keys.h"
#include "engine/storage/state.h"
#include "schema/entry_generated.h"
#include "schema/payload_generated.h"
#include "schema/records_generated.h"

namespace perdure {

// The record of a scope node, or nullopt.
Result<std::optional<fb::ScopeNodeRecordT>> ReadNode(const StateReader& reader, SpaceId space,
                                                     Seq node);

void FoldScopeNode(const fb::Entry& entry, const fb::ScopeNodeCreated& event,
                   const fb::Payload* payload, const Secret& secret, Overlay& state);
// A container described, moved, deleted or made again. Rows of former names stay.
Status FoldContainer(const fb::Entry& entry, const fb::Payload* payload, const Secret& secret,
                     Overlay& state);
Status FoldSourceAdded(const fb::Entry& entry, const fb::SourceAdded& event, Overlay& state);
Status FoldSourceRemoved(const fb::Entry& entry, const fb::SourceRemoved& event, Overlay& state);

}  // namespace perdure
