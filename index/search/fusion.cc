#include "index/search/fusion.h"

#include <cmath>
#include <numeric>

namespace perdure {
namespace {

constexpr double kAgreementGap = .2;
constexpr double kAgreementSpan = .5;
constexpr double kShortSpan = .035;
constexpr double kRecentHalfLife = 30.0 * 24 * 3600 * 1e6;
// What neighbouring turns are like on average.
constexpr double kNeighboursCosine = .44;

}  // namespace

double Priors::Sum() const { return std::accumulate(of_.begin(), of_.end(), 0.0); }

double RecencyPrior(Micros age) {
  return kRecentWeight *
         std::exp2(-static_cast<double>(std::max<Micros>(age, 0)) / kRecentHalfLife);
}

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

void WeighAgreement(std::vector<Candidate>& candidates, double max_cosine) {
  for (Candidate& candidate : candidates) {
    if (!candidate.has_cosine) continue;
    const double gap = max_cosine - candidate.own_cosine - kAgreementGap;
    const double share = std::clamp(gap / kAgreementSpan, 0.0, 1.0);
    candidate.priors.Add(Prior::kAgreement, -candidate.lexical * share);
  }
}

void WeighShortTexts(std::vector<Candidate>& ranked, double cosine_weight, double max_cosine) {
  const auto sum = [cosine_weight](const Candidate& c) { return c.Sum(cosine_weight); };
  const std::size_t count = std::min(kSecondPass, ranked.size());
  const double least = ranked.size() > count ? sum(ranked[count]) : 0;
  for (std::size_t i = 0; i < count; ++i) {
    Candidate& candidate = ranked[i];
    const bool is_pinned = candidate.priors.Of(Prior::kPin) > 0;
    if (!candidate.is_short || !candidate.has_cosine || is_pinned) continue;
    const double share = std::min(1.0, (max_cosine - candidate.own_cosine) / kShortSpan);
    const double words = candidate.lexical + candidate.priors.Of(Prior::kAgreement);
    const double room = std::max(0.0, sum(candidate) - least);
    candidate.priors.Add(Prior::kAgreement, -std::min(room, words * share));
  }
  const auto end = ranked.begin() + static_cast<std::ptrdiff_t>(count);
  std::stable_sort(ranked.begin(), end,
                   [&](const Candidate& a, const Candidate& b) { return sum(a) > sum(b); });
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

}  // namespace perdure
