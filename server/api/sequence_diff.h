// The difference of two sequences of tokens.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace perdure {

enum class DiffKind { kKept, kDeleted, kAdded };

// A run of tokens: kept ones count from `a` and `b`, deleted ones from `a`, added ones from `b`.
struct DiffRun {
  DiffKind kind = DiffKind::kKept;
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t count = 0;
};

// Runs that turn `a` into `b`; where both kinds meet, deletions come before additions. Shortest
// (Wu, Manber, Myers, Miller: An O(NP) sequence comparison algorithm, 1990) where what differs is
// of moderate size; beyond that it is first split at tokens that occur once on both sides (Cohen's
// patience diff), and what is still too large is replaced as a whole. So the cost is bounded:
// O(n log n) plus two million steps a part.
std::vector<DiffRun> DiffSequences(std::span<const std::string_view> a,
                                   std::span<const std::string_view> b);

}  // namespace perdure
