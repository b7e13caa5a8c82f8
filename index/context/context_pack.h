// What an agent should know, for a question or on entering a place, within a budget of tokens.
//
// First what is pinned, then the facts that stand, then other memories: with a query those that a
// search finds, by its score; without one by worth,
//
//   worth = .6 importance + .2 confidence + .2 [verified] + .1 [verbatim]
//
// and the newer first among equals. What says the same as one before it is left out, and so is what
// does not fit; shorter ones after it may still. The same memories give the same bytes: nothing in
// an entry depends on the clock or on a score.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "index/search/search_service.h"

namespace perdure {

struct ContextRequest {
  std::string query;               // empty: on entering the scope
  std::optional<ScopePath> scope;  // absent: the caller's own
  std::size_t tokens = 0;          // kContextTokensMin..kContextTokensMax
  ReadAt at;
};

enum class ContextReason {
  kPinned,
  kStandingFact,
  kRelevant,  // found by the query
  kWorth,
  kDuplicate,  // left out, like the next two
  kNoRoom,
  kNotRelevant,
};
std::string_view ContextReasonName(ContextReason reason);  // "pinned", "standing_fact", ...

struct ContextEntry {
  Memory memory;
  ContextReason reason = ContextReason::kWorth;
  std::string head;     // the server's words: id, kind, trust, date, dispute
  std::string content;  // stored text
  bool is_cut = false;  // the text goes on
};

// Every memory that was looked at, in the order of looking.
struct ContextConsidered {
  Uuid id;
  ContextReason reason = ContextReason::kWorth;
  float score = 0;                  // of the search, or the worth
  std::optional<Uuid> same_as;      // of a duplicate
  std::optional<Uuid> disputed_by;  // a candidate in its place, where the caller may see it
};

struct ContextPack {
  std::vector<ContextEntry> entries;
  std::vector<ContextConsidered> considered;
  std::size_t tokens = 0;         // about, of heads and contents
  bool nothing_relevant = false;  // to the query
  Micros as_of = 0;
};

// About how many tokens a model makes of a text: one for four characters of ASCII, one for each
// other character.
std::size_t EstimateTokens(std::string_view text);

// `search` is asked only where there is a query; nullptr without one. The errors of Engine::Read,
// ReadView::ResolveScope and Search; kInvalidArgument on `tokens`. Cost: three scans of the space's
// records, one read for each memory that is put in.
Result<ContextPack> AssembleContext(const Engine& engine, SearchService* search,
                                    const Principal& principal, const ContextRequest& request);

}  // namespace perdure
