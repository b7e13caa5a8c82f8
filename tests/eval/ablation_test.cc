#include "tools/eval/ablation.h"

#include <gtest/gtest.h>

namespace perdure::eval {
namespace {

SearchHit HitWith(std::uint8_t id, std::vector<ScorePart> parts) {
  SearchHit hit;
  hit.id = Uuid{{id}};
  hit.explanation.emplace();
  hit.explanation->parts = std::move(parts);
  return hit;
}

constexpr std::size_t kMrr = 4;

TEST(EvalAblationTest, RanksTheSameHitsWithoutATerm) {
  ASSERT_STREQ(kMetrics[kMrr], "MRR");
  const auto is_second = [](const SearchHit& hit) { return hit.id == Uuid{{2}}; };
  Ablation ablation;
  // By words alone the second is first, by both the first is.
  ablation.Add({HitWith(1, {{"words", .2F}, {"cosine", .5F}}),
                HitWith(2, {{"words", .3F}, {"cosine", .1F}})},
               is_second, 1);
  const auto means = ablation.Means();
  ASSERT_EQ(means.size(), 2u);
  EXPECT_EQ(means.at("cosine")[kMrr], 1);
  EXPECT_EQ(means.at("words")[kMrr], .5);
}

TEST(EvalAblationTest, AQuestionWithoutATermCountsAsItWas) {
  const auto is_first = [](const SearchHit& hit) { return hit.id == Uuid{{1}}; };
  Ablation ablation;
  ablation.Add({HitWith(2, {{"words", .4F}, {"pin", .2F}}), HitWith(1, {{"words", .5F}})}, is_first,
               1);
  ablation.Add({HitWith(1, {{"words", .5F}}), HitWith(2, {{"words", .4F}})}, is_first, 1);
  EXPECT_EQ(ablation.Means().at("pin")[kMrr], 1);
  EXPECT_EQ(ablation.Means().at("words")[kMrr], .75);  // equals stay as they were
}

}  // namespace
}  // namespace perdure::eval
