// The rows that find a fact by what it says, its rivals and its evidence, and the queues of what
// waits for review.
#pragma once

#include <optional>

#include "engine/base/result.h"
#include "engine/base/uuid.h"
#include "engine/proof/keys.h"
#include "engine/storage/keys.h"
#include "engine/storage/state.h"
#include "schema/entry_generated.h"
#include "schema/payload_generated.h"
#include "schema/records_generated.h"

namespace perdure {

// The queues of memories that wait for a reviewer, and of refusals worth a look.
enum class ReviewQueue : std::uint8_t { kCandidates = 1, kDisputes = 2, kRefusals = 3 };

// What the rows of a memory depend on.
struct Place {
  Seq text_seq = 0;
  fb::ScopeRef scope;
  bool symmetric = false;
  bool rival = false;      // a live fact: it contends for its slot
  bool candidate = false;  // waits for review
  bool disputed = false;
};
std::optional<Place> PlaceOf(const std::optional<fb::MemoryRecordT>& record);

struct FoldContext {
  const fb::Entry& entry;
  const fb::Payload* payload;
  const Uuid& id;
  const Secret& secret;
};

// Moves the rows of the memory from where it was to where `after` puts it.
Status FoldPlace(const FoldContext& context, const std::optional<Place>& before,
                 const fb::MemoryRecordT& after, Overlay& state);

// Deletes the rows that find the fact by the words of `record`; nothing for any other kind, or
// when its words are gone.
Status DeleteFactRows(SpaceId space, const Uuid& id, const fb::MemoryRecordT& record,
                      const Secret& secret, Overlay& state);

}  // namespace perdure
