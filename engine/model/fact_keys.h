// The value keys of facts: how a slot, a value, a rejected value and evidence are found again
// without their text. All are of canonical forms.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/time.h"
#include "engine/proof/keys.h"
#include "schema/entry_generated.h"
#include "schema/payload_generated.h"

namespace perdure {

// What a fact says, in canonical form.
struct FactWords {
  std::string subject;
  std::string predicate;
  std::string object;

  static FactWords Of(std::string_view subject, std::string_view predicate,
                      std::string_view object);
  static FactWords Of(const fb::Payload& payload);
};

// Every key that finds one fact.
struct FactKeys {
  std::vector<ValueKey> subjects;  // in any scope; two when symmetric
  std::vector<ValueKey> slots;     // subject and predicate, in any scope
  std::vector<ValueKey> scoped;    // the same, in the fact's own scope: where its rivals are
  std::vector<ValueKey> values;    // the whole fact in its own scope; two when symmetric
};
FactKeys KeysOfFact(const Secret& secret, const FactWords& words, bool symmetric,
                    const fb::ScopeRef& scope);

ValueKey SubjectKey(const Secret& secret, std::string_view canonical_subject);
ValueKey SlotKey(const Secret& secret, std::string_view canonical_subject,
                 std::string_view canonical_predicate);
ValueKey PredicateKey(const Secret& secret, std::string_view name);

// What a suppression refuses, in every scope that it reaches: a fact's value, from both ends when
// it is symmetric, so that a later declaration of the predicate changes nothing; and a text.
std::vector<ValueKey> RefusedFactKeys(const Secret& secret, const FactWords& words, bool symmetric);
ValueKey RefusedTextKey(const Secret& secret, std::string_view text);

// Of the evidence in `payload`: its source, and its quote with the time it is from. Evidence has
// counted for a fact when the fact has a row for one of them.
std::vector<ValueKey> EvidenceKeys(const Secret& secret, const fb::Payload& payload,
                                   std::optional<Micros> time);
std::vector<ValueKey> EvidenceKeys(const Secret& secret, std::string_view source,
                                   std::string_view quote, std::optional<Micros> time);

ValueKey PassKey(const Secret& secret, std::string_view pass);  // of a scoring pass

}  // namespace perdure
