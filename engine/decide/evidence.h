// What carries a claim: checked, and told apart from what has counted before.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/decide/fact_commands.h"
#include "engine/decide/transaction.h"

namespace perdure {

struct Support {
  std::string quote;
  std::string source;
  std::optional<Uuid> memory;             // the source, when it is a memory that the caller may see
  std::optional<Micros> time;             // of a memory its reference time or when it was stored
  fb::Trust trust = fb::Trust::inferred;  // verbatim: the quote stands in the memory
  std::vector<ValueKey> keys;             // by which it is known again; none without evidence
};

// Refuses with quote_not_found when `claimed` is verbatim and the quote is not found by code in the
// memory that is its source; the message shows the nearest passage.
Result<Support> CheckEvidence(const Transaction& txn, const std::optional<Evidence>& evidence,
                              fb::Trust claimed);

// Whether the evidence has counted for the fact.
Result<bool> HasCounted(const Transaction& txn, const Uuid& fact, const Support& support);

// Where `quote` stands in `text`, both in canonical form; else the line that shares most words.
struct Passage {
  bool found = false;
  std::string nearest;
};
Passage FindQuote(std::string_view text, std::string_view quote);

void SetEvidence(const Support& support, fb::PayloadT& payload);

}  // namespace perdure
