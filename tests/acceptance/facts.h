// Facts, rejections and reviews, as clients hand them in.
#pragma once

#include <string>
#include <vector>

#include "acceptance/house.h"

namespace perdure::testing {

inline constexpr Micros kDay = 86'400'000'000;

// The arguments of fact_assert. `more` adds to them, e.g. Quoted(...).
Json Fact(const std::string& subject, const std::string& predicate, const std::string& object,
          Json more = Json::object());
// {"evidence": ...}: said `days` after a new house begins. `source` may be a memory's id, which
// brings its own time.
Json Quoted(const std::string& quote, const std::string& source, int days = 0);

// What became of a claim: {"outcome", "id", "rule"}; of each of several; of a candidate.
Json Claim(AcceptanceHouse& house, const Caller& caller, const Json& fact);
Json ClaimAll(AcceptanceHouse& house, const Caller& caller, const Json& facts);
Json Propose(AcceptanceHouse& house, const Caller& caller, Json draft);
// The id of a claim that is let in.
std::string Claimed(AcceptanceHouse& house, const Caller& caller, const Json& fact);
// The objects that stand.
std::vector<std::string> Standing(AcceptanceHouse& house, const Caller& caller,
                                  const std::string& subject, const std::string& predicate);

// A reviewer forgets a memory, and its value may not come back.
void Reject(AcceptanceHouse& house, const std::string& id);
// Writes that rejections have turned down, of those in force; and how many are in force.
struct Rejections {
  std::size_t in_force = 0;
  std::uint64_t refused = 0;
};
Rejections RejectionsOf(AcceptanceHouse& house);

}  // namespace perdure::testing
