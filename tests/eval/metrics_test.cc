#include "tools/eval/metrics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace perdure::eval {
namespace {

Scores Of(std::vector<std::size_t> ranks, std::size_t relevant) {
  return ScoreRanks(ranks, relevant);
}

// In the order of kMetrics: R@1, R@5, R@10, R@20, MRR, nDCG@10, any@5, all@5.
void ExpectScores(const Scores& found, const Scores& expected) {
  for (std::size_t m = 0; m < kMetrics.size(); ++m) {
    EXPECT_NEAR(found[m], expected[m], 1e-12) << kMetrics[m];
  }
}

TEST(MetricsTest, TheOnlyRelevantItemFirstIsPerfect) {
  ExpectScores(Of({1}, 1), {1, 1, 1, 1, 1, 1, 1, 1});
}

TEST(MetricsTest, NothingFoundIsZero) { ExpectScores(Of({}, 3), {0, 0, 0, 0, 0, 0, 0, 0}); }

TEST(MetricsTest, SeveralRelevantItemsCountByTheirShare) {
  // Ranks 2, 5, 6 of 4 relevant ones; the ideal ranking has them at 1, 2, 3, 4.
  const double gained = 1 / std::log2(3) + 1 / std::log2(6) + 1 / std::log2(7);
  const double best = 1 + 1 / std::log2(3) + 1 / std::log2(4) + 1 / std::log2(5);
  ExpectScores(Of({2, 5, 6}, 4), {0, .5, .75, .75, .5, gained / best, 1, 0});
}

TEST(MetricsTest, TheEdgesOfEachDepthLieInside) {
  ExpectScores(Of({5}, 1), {0, 1, 1, 1, .2, 1 / std::log2(6), 1, 1});
  ExpectScores(Of({6}, 1), {0, 0, 1, 1, 1.0 / 6, 1 / std::log2(7), 0, 0});
  ExpectScores(Of({10}, 1), {0, 0, 1, 1, .1, 1 / std::log2(11), 0, 0});
  ExpectScores(Of({11}, 1), {0, 0, 0, 1, 1.0 / 11, 0, 0, 0});
  ExpectScores(Of({20}, 1), {0, 0, 0, 1, .05, 0, 0, 0});
  ExpectScores(Of({21}, 1), {0, 0, 0, 0, 1.0 / 21, 0, 0, 0});
}

TEST(MetricsTest, MoreThanTenRelevantItemsCanStillRankPerfectly) {
  const Scores scores = Of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 12);
  EXPECT_NEAR(scores[5], 1, 1e-12);
  EXPECT_NEAR(scores[2], 10.0 / 12, 1e-12);
  EXPECT_EQ(scores[7], 0);
}

TEST(MetricsTest, MeansAndIntervalsAreTheSameInEveryRun) {
  std::vector<Scores> questions(40, Scores{});
  for (std::size_t i = 0; i < 10; ++i) questions[i].fill(1);
  const Estimate once = EstimateOf(questions);
  const Estimate again = EstimateOf(questions);
  for (std::size_t m = 0; m < kMetrics.size(); ++m) {
    EXPECT_DOUBLE_EQ(once.mean[m], .25);
    EXPECT_EQ(once.interval[m], again.interval[m]);
    // The standard error of a share of 1/4 in 40 is .068; 1.96 of it on either side.
    EXPECT_NEAR(once.interval[m].first, .25 - .134, .03);
    EXPECT_NEAR(once.interval[m].second, .25 + .134, .03);
  }
}

TEST(MetricsTest, OneQuestionHasNoSpread) {
  const Estimate estimate = EstimateOf(std::vector<Scores>{Of({2}, 1)});
  EXPECT_EQ(estimate.interval[4], std::pair(.5, .5));
}

TEST(MetricsTest, QuantilesAreValuesThatOccurred) {
  EXPECT_EQ(QuantileOf({}, .5), 0);
  EXPECT_EQ(QuantileOf({3, 1, 2}, .5), 2);
  EXPECT_EQ(QuantileOf({3, 1, 2}, .99), 2);
  EXPECT_EQ(QuantileOf({3, 1, 2}, 1), 3);
}

}  // namespace
}  // namespace perdure::eval
