#include "index/embed/feature_hasher.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "support/status_matchers.h"

namespace perdure {
namespace {

using ::testing::Each;

std::vector<float> Embed(std::string_view text) {
  return FeatureHasher().Embed(std::span(&text, 1)).value();
}

double Likeness(std::string_view a, std::string_view b) {
  const auto left = Embed(a);
  const auto right = Embed(b);
  return std::inner_product(left.begin(), left.end(), right.begin(), 0.0);
}

TEST(FeatureHasherTest, SaysThatItIsAStandIn) {
  const FeatureHasher hasher;
  EXPECT_TRUE(hasher.info().stand_in);
  EXPECT_EQ(hasher.info().name, "feature-hashing-384");
  EXPECT_EQ(hasher.info().dimensions, 384U);
}

TEST(FeatureHasherTest, RanksSharedWordsInflectionsAndMisspellingsAboveStrangers) {
  EXPECT_NEAR(Likeness("The user prefers dark mode", "the USER prefers dark mode"), 1, 1e-6);
  const double stranger = Likeness("embedding vectors", "quarterly tax report");
  EXPECT_GT(Likeness("embedding vectors", "vectors of an embedding"), stranger + 0.4);
  EXPECT_GT(Likeness("embedding vectors", "embedded vector"), stranger + 0.2);
  EXPECT_GT(Likeness("embedding vectors", "embeding vectrs"), stranger + 0.2);
}

TEST(FeatureHasherTest, GivesLengthOneOrNothing) {
  for (const std::string_view text : {"a", "日本語", "many words of text", "!"}) {
    const auto row = Embed(text);
    const double squares = std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
    EXPECT_NEAR(squares, 1, 1e-6) << text;
  }
  for (const std::string_view text : {"", "  ", "\xff"}) EXPECT_THAT(Embed(text), Each(0.0F));
}

TEST(FeatureHasherTest, GivesATextTheSameBitsInEveryBatch) {
  const std::vector<std::string_view> texts = {"one text", "", "another, longer text", "one text"};
  const std::vector<float> rows = FeatureHasher().Embed(texts).value();
  ASSERT_EQ(rows.size(), 4 * 384U);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto row = rows.begin() + static_cast<std::ptrdiff_t>(i * 384);
    const auto alone = Embed(texts[i]);
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), row)) << i;
  }
}

// Cached vectors outlive a release: this changes only together with the version in info().
TEST(FeatureHasherTest, KeepsToItsWrittenMethod) {
  const auto row = Embed("hi");  // the word, and the grams "<hi", "hi>", "<hi>"
  std::vector<std::pair<std::size_t, float>> found;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] != 0) found.emplace_back(i, row[i] * std::sqrt(2.0F));
  }
  const float gram = 1 / std::sqrt(3.0F);
  const std::vector<std::pair<std::size_t, float>> expected = {
      {68, gram}, {183, gram}, {300, -1.0F}, {374, gram}};
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].first, expected[i].first);
    EXPECT_NEAR(found[i].second, expected[i].second, 1e-6);
  }
  EXPECT_EQ(FeatureHasher().info().weights_hash, Hash{1});
}

TEST(FeatureHasherTest, EstimatesTokensFromTheLengthsOfWords) {
  const FeatureHasher hasher;
  EXPECT_EQ(hasher.CountTokens(""), 0U);
  EXPECT_EQ(hasher.CountTokens("sixsix"), 1U);
  EXPECT_EQ(hasher.CountTokens("sixsix7"), 2U);
  EXPECT_EQ(hasher.CountTokens("日本語 is three, and more"), 3U + 2 + 1 + 2);
}

}  // namespace
}  // namespace perdure
