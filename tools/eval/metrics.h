// How good a ranking is. Relevance is yes or no; ranks count from 1; pure.
//
//   R@k      share of the relevant items among the first k
//   any@5    1 when a relevant item is among the first 5     all@5  1 when all of them are
//   MRR      1 / rank of the first relevant item, 0 when none was returned
//   nDCG@10  sum of 1 / log2(1 + rank) over the relevant items among the first 10, over the sum of
//            the best ranking possible (Jaervelin and Kekaelaeinen, 2002)
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace perdure::eval {

inline constexpr std::array kMetrics = {"R@1", "R@5",     "R@10",  "R@20",
                                        "MRR", "nDCG@10", "any@5", "all@5"};
using Scores = std::array<double, kMetrics.size()>;  // in the order of kMetrics

// `ranks`: where relevant items were returned, ascending. `relevant`: how many there are, not 0.
Scores ScoreRanks(std::span<const std::size_t> ranks, std::size_t relevant);

struct Estimate {
  Scores mean{};
  // The middle 95 % of the means of 1,000 samples of as many questions, drawn with replacement and
  // a fixed seed (percentile bootstrap; Efron, 1979). It tells what other questions of the kind
  // would give; not what another corpus would.
  std::array<std::pair<double, double>, kMetrics.size()> interval{};
};

// Of at least one question.
Estimate EstimateOf(std::span<const Scores> questions);

// The q-quantile, by the nearest value below; 0 of nothing.
double QuantileOf(std::vector<double> values, double q);

}  // namespace perdure::eval
