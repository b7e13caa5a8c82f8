#include "index/search/fusion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "index/search/relevance.h"

namespace perdure {
namespace {

using ::testing::ElementsAre;

Candidate Short(std::uint32_t memory, double lexical, double cosine) {
  Candidate candidate{.memory = memory};
  candidate.lexical = lexical;
  candidate.cosine = candidate.own_cosine = cosine;
  candidate.has_cosine = true;
  candidate.is_short = true;
  return candidate;
}

std::vector<std::uint32_t> InOrder(std::vector<Candidate> candidates) {
  RankCandidates(candidates, kCosineWeight, candidates.size());
  WeighShortTexts(candidates, kCosineWeight, .6);
  std::vector<std::uint32_t> memories;
  for (const Candidate& candidate : candidates) memories.push_back(candidate.memory);
  return memories;
}

TEST(Fusion, WordsThatTheVectorDoesNotBearOutDoNotWinOverAParaphrase) {
  const Candidate decoy = Short(1, .5, .5);
  const Candidate paraphrase = Short(2, 0, .6);
  EXPECT_THAT(InOrder({decoy, paraphrase}), ElementsAre(2, 1));
}

TEST(Fusion, WordsWinWhereTheVectorBearsThemOut) {
  EXPECT_THAT(InOrder({Short(1, .5, .6), Short(2, 0, .6)}), ElementsAre(1, 2));
  EXPECT_THAT(InOrder({Short(1, .5, .59), Short(2, 0, .6)}), ElementsAre(1, 2));
}

TEST(Fusion, WordsOfALongTextWinAsBefore) {
  Candidate match = Short(1, .5, .5);
  match.is_short = false;
  EXPECT_THAT(InOrder({match, Short(2, 0, .6)}), ElementsAre(1, 2));
}

TEST(Fusion, WordsCountLessTheFartherTheVectorIs) {
  std::vector<Candidate> candidates = {Short(0, .4, .9), Short(1, .4, .7), Short(2, .4, .45),
                                       Short(3, .4, .1)};
  WeighAgreement(candidates, .9);
  std::vector<double> left;
  for (const Candidate& c : candidates) left.push_back(c.Sum(0));
  EXPECT_DOUBLE_EQ(left[0], .4);
  EXPECT_DOUBLE_EQ(left[1], .4);
  EXPECT_NEAR(left[2], .2, 1e-9);
  EXPECT_NEAR(left[3], 0, 1e-9);
}

TEST(Fusion, ASecondPassPutsNobodyBehindThoseItDoesNotLookAt) {
  std::vector<Candidate> candidates = {Short(0, .9, .1)};
  for (std::uint32_t i = 1; i < kSecondPass; ++i) candidates.push_back(Short(i, .35, .6));
  candidates.push_back(Short(kSecondPass, .3, .6));
  const auto order = InOrder(candidates);
  EXPECT_NE(order[0], 0u);
  EXPECT_EQ(order[kSecondPass], kSecondPass);
}

TEST(Fusion, AgeTakesAwayWhatTheNewestGains) {
  constexpr Micros kDay = 24LL * 3600 * 1'000'000;
  EXPECT_DOUBLE_EQ(RecencyPrior(0), kRecentWeight);
  EXPECT_DOUBLE_EQ(RecencyPrior(-kDay), kRecentWeight);  // it is yet to come
  EXPECT_NEAR(RecencyPrior(30 * kDay), kRecentWeight / 2, 1e-9);
  EXPECT_LT(RecencyPrior(3650 * kDay), 1e-9);
}

TEST(Relevance, GrowsWithMeaningAndWordsWithinZeroAndOne) {
  EXPECT_LT(RelevanceByMeaning(-1, 0), .01);
  EXPECT_GT(RelevanceByMeaning(1, 1), .99);
  EXPECT_LE(RelevanceByMeaning(1, 1), 1);
  EXPECT_LT(RelevanceByMeaning(.3, 0), RelevanceByMeaning(.3, .5));
  EXPECT_LT(RelevanceByMeaning(.3, .5), RelevanceByMeaning(.4, .5));
  EXPECT_LT(RelevanceByWords(0), kRelevanceFloor);
  EXPECT_GT(RelevanceByWords(1), kRelevanceFloor);
}

}  // namespace
}  // namespace perdure
