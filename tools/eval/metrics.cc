#include "tools/eval/metrics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "engine/base/check.h"

namespace perdure::eval {
namespace {

constexpr std::uint64_t kSeed = 20'240'501;
constexpr std::size_t kSamples = 1000;
constexpr std::size_t kCut = kSamples / 40;  // 2.5 % on either side

double Gain(std::size_t rank) { return 1 / std::log2(1 + static_cast<double>(rank)); }

double NormalisedGain(std::span<const std::size_t> ranks, std::size_t relevant) {
  constexpr std::size_t kDepth = 10;
  double gained = 0;
  for (const std::size_t rank : ranks) gained += rank <= kDepth ? Gain(rank) : 0;
  double best = 0;
  for (std::size_t rank = 1; rank <= std::min(relevant, kDepth); ++rank) best += Gain(rank);
  return gained / best;
}

void Add(Scores& sum, const Scores& scores) {
  for (std::size_t m = 0; m < sum.size(); ++m) sum[m] += scores[m];
}

Scores Over(Scores sum, std::size_t count) {
  for (double& value : sum) value /= static_cast<double>(count);
  return sum;
}

}  // namespace

Scores ScoreRanks(std::span<const std::size_t> ranks, std::size_t relevant) {
  PERDURE_CHECK(relevant > 0 && ranks.size() <= relevant);
  const auto within = [&](std::size_t k) {
    return static_cast<std::size_t>(
        std::ranges::count_if(ranks, [k](std::size_t rank) { return rank <= k; }));
  };
  const auto recall = [&](std::size_t k) {
    return static_cast<double>(within(k)) / static_cast<double>(relevant);
  };
  const double reciprocal = ranks.empty() ? 0 : 1 / static_cast<double>(ranks.front());
  return {recall(1),
          recall(5),
          recall(10),
          recall(20),
          reciprocal,
          NormalisedGain(ranks, relevant),
          within(5) > 0 ? 1.0 : 0.0,
          within(5) == relevant ? 1.0 : 0.0};
}

Estimate EstimateOf(std::span<const Scores> questions) {
  PERDURE_CHECK(!questions.empty());
  Estimate estimate;
  for (const Scores& scores : questions) Add(estimate.mean, scores);
  estimate.mean = Over(estimate.mean, questions.size());
  std::mt19937_64 generator(kSeed);
  std::vector<Scores> means(kSamples);
  for (Scores& mean : means) {
    Scores sum{};
    for (std::size_t i = 0; i < questions.size(); ++i) {
      Add(sum, questions[generator() % questions.size()]);
    }
    mean = Over(sum, questions.size());
  }
  for (std::size_t m = 0; m < kMetrics.size(); ++m) {
    std::ranges::sort(means, {}, [m](const Scores& mean) { return mean[m]; });
    estimate.interval[m] = {means[kCut][m], means[kSamples - 1 - kCut][m]};
  }
  return estimate;
}

double QuantileOf(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

}  // namespace perdure::eval
