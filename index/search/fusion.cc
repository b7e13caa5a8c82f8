#include "index/search/fusion.h"

#include <cmath>

namespace perdure {
namespace {

constexpr double kRelevanceFloor = .343;
constexpr double kCoverageWeight = .2;
constexpr std::size_t kCoverageTop = 3;
// What neighbouring turns are like on average.
constexpr double kNeighboursCosine = .44;

}  // namespace

double TurnLengthPrior(std::uint32_t words) {
  return kTurnLengthWeight * std::min(std::log1p(words), 4.0) / 4;
}

double CosineInContext(double own, std::span<const SharedCosine> neighbours) {
  double sum = 1;
  double squares = 1;
  double cosine = own;
  for (const SharedCosine& neighbour : neighbours) {
    sum += neighbour.share;
    squares += neighbour.share * neighbour.share;
    cosine += neighbour.share * neighbour.cosine;
  }
  const double length = std::sqrt(squares + kNeighboursCosine * (sum * sum - squares));
  return kTurnCosineWeight * own + kContextCosineWeight * cosine / length;
}

void ImputePending(std::vector<Candidate>& candidates, double max_cosine) {
  double max_lexical = 0;
  for (const Candidate& candidate : candidates) {
    max_lexical = std::max(max_lexical, candidate.lexical);
  }
  if (max_lexical <= 0) return;
  for (Candidate& candidate : candidates) {
    if (!candidate.is_pending || candidate.has_cosine) continue;
    candidate.cosine = max_cosine * candidate.lexical / max_lexical;
  }
}

void RankCandidates(std::vector<Candidate>& candidates, double cosine_weight, std::size_t limit) {
  const auto better = [cosine_weight](const Candidate& a, const Candidate& b) {
    const double sum_a = a.Sum(cosine_weight);
    const double sum_b = b.Sum(cosine_weight);
    if (sum_a != sum_b) return sum_a > sum_b;
    return a.lexical != b.lexical ? a.lexical > b.lexical : a.memory > b.memory;
  };
  const std::size_t kept = std::min(limit, candidates.size());
  std::ranges::partial_sort(candidates, candidates.begin() + static_cast<std::ptrdiff_t>(kept),
                            better);
  candidates.resize(kept);
}

bool IsNothingRelevant(const std::vector<Candidate>& ranked, double max_cosine) {
  double coverage = 0;
  for (std::size_t i = 0; i < std::min(kCoverageTop, ranked.size()); ++i) {
    if (ranked[i].is_pending) return false;
    coverage = std::max(coverage, ranked[i].coverage);
  }
  return max_cosine + kCoverageWeight * coverage < kRelevanceFloor;
}

}  // namespace perdure
