// The folds of what may be remembered: suppressions, declared predicates, settings, and the sums of
// scoring passes.
#pragma once

#include "engine/base/result.h"
#include "engine/base/uuid.h"
#include "engine/proof/keys.h"
#include "engine/storage/keys.h"
#include "engine/storage/state.h"
#include "schema/entry_generated.h"
#include "schema/payload_generated.h"
#include "schema/records_generated.h"

namespace perdure {

void FoldPredicate(const fb::Entry& entry, const fb::Payload* payload, const Secret& secret,
                   Overlay& state);
void FoldBranch(const fb::Entry& entry, const fb::LogRestored& event, Overlay& state);
void FoldPolicy(const fb::Entry& entry, Overlay& state);

Status FoldSuppressed(const fb::Entry& entry, const fb::ValueSuppressed& event, Overlay& state);
Status FoldLifted(const fb::Entry& entry, const fb::SuppressionLifted& event, Overlay& state);
// A refused write: counted for the suppression that turned it down, queued for a reviewer.
Status FoldRefused(const fb::Entry& entry, const fb::WriteRefused& event, Overlay& state);
void FoldDismissed(const fb::Entry& entry, const fb::RefusalDismissed& event, Overlay& state);
// Under which a refusal waits for a reviewer.
std::string RefusalKey(SpaceId space, Seq seq);

// How far one scoring pass has moved a memory, both ways added up.
struct Moved {
  float importance = 0;
  float confidence = 0;
};
Result<Moved> MovedBy(const StateReader& reader, SpaceId space, const ValueKey& pass,
                      const Uuid& id);
// Of a score, or of a description that counts as one: nothing for an entry without a pass.
Status FoldScored(const fb::Entry& entry, const fb::Payload* payload, const Secret& secret,
                  const fb::MemoryRecordT& before, Overlay& state);

}  // namespace perdure
