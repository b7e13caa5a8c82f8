// MiniLM gives the numbers that an independent engine gives for the same weights.
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "index/embed/kernel_list.h"
#include "index/embed/open_minilm.h"
#include "support/status_matchers.h"

namespace perdure {
namespace {

using testing::IsOk;

class ParityTest : public ::testing::TestWithParam<const Kernels*> {
 protected:
  static std::vector<float> Embed(const MiniLm& model, std::string_view text) {
    auto row = model.Embed(std::span(&text, 1));
    EXPECT_THAT(row, IsOk());
    return std::move(row).value();
  }
};

struct KnownText {
  std::string_view text;
  std::vector<std::pair<std::size_t, double>> components;
};

const std::vector<KnownText>& KnownTexts() {
  static const std::vector<KnownText> texts = {
      {"This is an example sentence",
       {{0, 0.0676554},
        {1, 0.0635565},
        {97, -0.0558271},
        {150, -0.0168638},
        {211, 0.0401235},
        {300, -0.0656033},
        {383, -0.0422536}}},
      {"日本語のテキスト and 中文 mixed with English.",
       {{0, -0.0284628},
        {1, 0.0684792},
        {97, 0.0267377},
        {150, 0.0293649},
        {211, -0.0234971},
        {300, 0.0417843},
        {383, 0.0667866}}},
      {"ПРИВЕТ мир, как дела?",
       {{0, -0.0093594},
        {1, 0.0746239},
        {97, -0.0508015},
        {150, -0.0022185},
        {211, 0.0003054},
        {300, -0.0796846},
        {383, -0.0149435}}},
  };
  return texts;
}

TEST_P(ParityTest, GivesTheKnownNumbersOfSomeTexts) {
  SKIP_WITHOUT_MODEL();
  const auto model = testing::OpenMiniLm(*GetParam());
  ASSERT_THAT(model, IsOk());
  for (const KnownText& known : KnownTexts()) {
    const std::vector<float> row = Embed(**model, known.text);
    for (const auto& [component, value] : known.components) {
      EXPECT_NEAR(row.at(component), value, 1e-5) << known.text << " " << component;
    }
  }
}

TEST_P(ParityTest, GivesTheNumbersOfTheSharedVectors) {
  SKIP_WITHOUT_MODEL();
  std::ifstream lines(PERDURE_SOURCE_DIR "/../shared/embed/parity.jsonl");
  if (!lines) GTEST_SKIP() << "skipped: ../shared/embed/parity.jsonl is absent";
  const auto model = testing::OpenMiniLm(*GetParam());
  ASSERT_THAT(model, IsOk());
  int texts = 0;
  double largest_difference = 0;
  double smallest_cosine = 1;
  for (std::string line; std::getline(lines, line); ++texts) {
    const auto expected = nlohmann::json::parse(line);
    const auto text = expected.at("text").get<std::string>();
    const auto vector = expected.at("vector").get<std::vector<double>>();
    const std::vector<float> row = Embed(**model, text);
    ASSERT_EQ(row.size(), vector.size());
    double product = 0;
    double squares = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double difference = std::abs(row[i] - vector[i]);
      EXPECT_LE(difference, 1e-5) << text << " " << i;
      largest_difference = std::max(largest_difference, difference);
      product += row[i] * vector[i];
      squares += vector[i] * vector[i];
    }
    const double cosine = product / std::sqrt(squares);
    EXPECT_GE(cosine, 0.99999) << text;
    smallest_cosine = std::min(smallest_cosine, cosine);
  }
  EXPECT_GE(texts, 11);
  std::cout << GetParam()->name << ": " << texts << " texts, largest difference "
            << largest_difference << ", smallest cosine 1 - " << 1 - smallest_cosine << '\n';
}

INSTANTIATE_TEST_SUITE_P(Every, ParityTest, ::testing::ValuesIn(testing::EveryKernel()),
                         testing::KernelName);

}  // namespace
}  // namespace perdure
