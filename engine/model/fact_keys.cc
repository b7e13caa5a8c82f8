#include "engine/model/fact_keys.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "engine/base/canonical.h"
#include "engine/base/hash.h"
#include "engine/storage/keys.h"

namespace perdure {
namespace {

std::string CanonicalOf(std::string_view text) {
  Result<std::string> canonical = Canonical(text);
  return canonical ? *std::move(canonical) : std::string(text);
}

std::string_view TextOf(const flatbuffers::String* text) {
  return text ? text->string_view() : std::string_view();
}

// Of several texts: their hashes one after another, so that none runs into the next.
ValueKey KeyOf(const Secret& secret, std::string_view kind,
               std::initializer_list<std::string_view> texts, const fb::ScopeRef* scope = nullptr) {
  Key key;
  for (const std::string_view text : texts) key.Bytes(AsBytes(Sha256(text)));
  if (scope) {
    key.U64(scope->container()).U64(scope->user()).U64(scope->agent()).U64(scope->run());
  }
  return MakeValueKey(secret, kind, key.Take());
}

// Of the fact as it was said and, when symmetric, from its other end.
std::vector<ValueKey> BothWays(const Secret& secret, std::string_view kind, const FactWords& words,
                               bool symmetric, const fb::ScopeRef* scope = nullptr) {
  std::vector<ValueKey> keys = {
      KeyOf(secret, kind, {words.subject, words.predicate, words.object}, scope)};
  if (symmetric && words.object != words.subject) {
    keys.push_back(KeyOf(secret, kind, {words.object, words.predicate, words.subject}, scope));
  }
  return keys;
}

}  // namespace

FactWords FactWords::Of(std::string_view subject, std::string_view predicate,
                        std::string_view object) {
  return {CanonicalOf(subject), CanonicalOf(predicate), CanonicalOf(object)};
}

FactWords FactWords::Of(const fb::Payload& payload) {
  return Of(TextOf(payload.subject()), TextOf(payload.predicate()), TextOf(payload.object()));
}

FactKeys KeysOfFact(const Secret& secret, const FactWords& words, bool symmetric,
                    const fb::ScopeRef& scope) {
  FactKeys keys;
  const auto add = [&](std::string_view subject) {
    keys.subjects.push_back(SubjectKey(secret, subject));
    keys.slots.push_back(SlotKey(secret, subject, words.predicate));
    keys.scoped.push_back(KeyOf(secret, "slot in scope", {subject, words.predicate}, &scope));
  };
  add(words.subject);
  if (symmetric && words.object != words.subject) add(words.object);
  keys.values = BothWays(secret, "fact", words, symmetric, &scope);
  return keys;
}

ValueKey SubjectKey(const Secret& secret, std::string_view canonical_subject) {
  return KeyOf(secret, "subject", {canonical_subject});
}

ValueKey SlotKey(const Secret& secret, std::string_view canonical_subject,
                 std::string_view canonical_predicate) {
  return KeyOf(secret, "slot", {canonical_subject, canonical_predicate});
}

ValueKey PredicateKey(const Secret& secret, std::string_view name) {
  return KeyOf(secret, "predicate", {CanonicalOf(name)});
}

std::vector<ValueKey> RefusedFactKeys(const Secret& secret, const FactWords& words,
                                      bool symmetric) {
  return BothWays(secret, "refused fact", words, symmetric);
}

ValueKey RefusedTextKey(const Secret& secret, std::string_view text) {
  return KeyOf(secret, "refused text", {CanonicalOf(text)});
}

std::vector<ValueKey> EvidenceKeys(const Secret& secret, const fb::Payload& payload,
                                   std::optional<Micros> time) {
  return EvidenceKeys(secret, TextOf(payload.evidence_source()), TextOf(payload.quote()), time);
}

std::vector<ValueKey> EvidenceKeys(const Secret& secret, std::string_view source,
                                   std::string_view quote, std::optional<Micros> time) {
  std::vector<ValueKey> keys;
  if (!source.empty()) keys.push_back(KeyOf(secret, "source", {CanonicalOf(source)}));
  if (!quote.empty()) {
    const std::string when = Key().U64(static_cast<std::uint64_t>(time.value_or(kTimeMin))).Take();
    keys.push_back(KeyOf(secret, "quote", {CanonicalOf(quote), when}));
  }
  return keys;
}

ValueKey PassKey(const Secret& secret, std::string_view pass) {
  return KeyOf(secret, "pass", {pass});
}

}  // namespace perdure
