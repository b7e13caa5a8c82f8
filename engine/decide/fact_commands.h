// The commands on facts, on candidates and on what may be remembered at all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/time.h"
#include "engine/base/uuid.h"
#include "engine/decide/memory_commands.h"
#include "engine/model/scope.h"
#include "engine/proof/keys.h"
#include "engine/storage/keys.h"
#include "schema/entry_generated.h"

namespace perdure {

// Where a claim comes from. `source` is a memory's id or an opaque label.
struct Evidence {
  std::string quote;
  std::string source;
  std::optional<Uuid> memory;            // `source` as an id, when it is one
  std::optional<Micros> reference_time;  // of a label; a memory brings its own
};

struct FactValue {
  std::string subject;
  std::string predicate;
  std::string object;
};

struct FactDraft {
  FactValue value;
  std::string text;  // as it is shown and searched; empty: the value in words
  std::vector<std::string> tags;
  std::string theme;
  std::string metadata;
  std::optional<Evidence> evidence;
  fb::Trust claimed = fb::Trust::inferred;  // verbatim: the quote must be found in its source
  std::optional<ScopePath> scope;           // absent: the principal's own
  std::optional<float> importance;          // 0..1
  std::optional<float> confidence;          // of a value that is new, 0..1; absent: by the policy
  std::optional<fb::Authorship> authorship;
  std::optional<fb::Genre> genre;
  std::vector<Uuid> derived_from;    // memories that it was made from
  std::optional<Micros> valid_from;  // half-open
  std::optional<Micros> valid_until;
  std::optional<Micros> expires_at;
  std::string store;  // empty: `default`
  std::optional<fb::MemoryClass> memory_class;
};

struct AssertFacts {
  std::vector<FactDraft> facts;
  bool partial = false;  // members stand or fall alone
};

// A memory for a reviewer to let in; no read shows it before.
struct ProposeCandidate {
  std::variant<NoteDraft, FactDraft> draft;
};

struct ReviewCandidate {
  Uuid id;
  bool approve = false;
  std::optional<std::string> text;    // approved so: of a note
  std::optional<std::string> object;  // approved so: of a fact
  Refusing refusing;                  // when rejected
};
// Takes back what the review decision of pass `decision` did.
struct UndoReview {
  Seq decision = 0;
};

// By a reviewer's policy, without a memory that had the value.
struct SuppressValue {
  std::variant<FactValue, std::string> value;  // a fact's, or the text of a note
  std::optional<ScopePath> scope;              // absent: the principal's own
  std::optional<Micros> until;
};
struct LiftSuppression {
  Seq suppression = 0;  // the ValueSuppressed entry
};
// A suppression of a log that this one is an older copy of, by the keys that it had there.
struct CarrySuppression {
  std::vector<ValueKey> keys;
  ScopePath scope;
  std::optional<Uuid> memory;  // that it was made from; forgotten where it is live here
  std::optional<Micros> until;
  std::string text;  // of a value without a memory
};

// A reviewer has seen these refusals: their queue lists them no longer.
struct DismissRefusals {
  std::vector<Seq> refusals;
};

struct DeclarePredicate {
  std::string name;
  bool multi_valued = false;
  bool symmetric = false;
  fb::ValueShape shape = fb::ValueShape::any;
};

// Only what is set changes.
struct SetPolicy {
  std::optional<fb::Repetition> repetition;
  std::optional<float> fade;
  std::optional<float> critical;
  std::optional<float> critical_fade;
  std::optional<float> archive_below;
  std::optional<float> reinforce;
  std::optional<fb::Admission> injection;
  std::optional<fb::Admission> note_injection;
  std::optional<fb::Admission> agents;
  std::optional<fb::Admission> novelty;
  std::optional<std::uint32_t> text_bytes_max;
  std::optional<std::uint32_t> writes_per_minute;
};

struct VerifyMemory {
  Uuid id;
  Evidence evidence;
};

struct ScoreMemory {
  Uuid id;
  std::optional<float> importance;
  std::optional<float> confidence;
  std::string pass;  // the caller's name for the run that scores
};

struct ChangeGenre {
  Uuid id;
  fb::Genre genre = fb::Genre::factual;
};

}  // namespace perdure
