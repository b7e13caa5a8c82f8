// The settings of a space and the predicates that it declared.
#pragma once

#include <optional>
#include <string_view>

#include "engine/decide/transaction.h"
#include "schema/entry_generated.h"

namespace perdure {

// How facts gain and lose confidence, and what is let in.
struct Policy {
  fb::Repetition repetition = fb::Repetition::evidence;
  float first = 0.5f;      // confidence of the first value of a slot
  float newcomer = 0.6f;   // of a value that has rivals
  float reinforce = 0.1f;  // what new evidence adds
  float fade = 0.6f;       // what is left of a rival's
  float critical = 0.8f;   // from this importance on a rival fades by critical_fade instead
  float critical_fade = 0.9f;
  float archive_below = 0.25f;  // a rival under it is superseded
  fb::Admission injection = fb::Admission::refuse;
  fb::Admission note_injection = fb::Admission::admit;  // an answer marks what notes say as data
  fb::Admission agents = fb::Admission::admit;   // facts of tokens that are no more than agents
  fb::Admission novelty = fb::Admission::admit;  // facts that nearly repeat their slot
  std::uint32_t text_bytes_max = 0;              // 0: as much as the engine takes
  std::uint32_t writes_per_minute = 0;           // of one principal; 0: any number
};
Result<Policy> ReadPolicy(const StateReader& reader, SpaceId space);

// As nobody declared it: one value a subject, of any shape.
struct Predicate {
  bool multi_valued = false;
  bool symmetric = false;
  fb::ValueShape shape = fb::ValueShape::any;
};
Result<Predicate> ReadPredicate(const StateReader& reader, SpaceId space, const Secret& secret,
                                std::string_view name);

// Refuses an object that has not the shape.
Status CheckShape(fb::ValueShape shape, std::string_view object);

}  // namespace perdure
