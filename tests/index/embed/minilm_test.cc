#include "index/embed/minilm.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "index/embed/kernel_list.h"
#include "index/embed/minilm_specs.h"
#include "index/embed/open_minilm.h"
#include "support/status_matchers.h"

namespace perdure {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;

constexpr std::size_t kDimensions = 384;

// Texts of 0 to 400 words.
std::vector<std::string> SomeTexts(std::size_t count) {
  static constexpr const char* kWords[] = {"memory", "engine", "Perdure", "日本",      "café",
                                           "12",     "a",      "🚀",      "unaffable", "!"};
  std::mt19937_64 random(5);
  std::vector<std::string> texts(count);
  for (std::string& text : texts) {
    const std::uint64_t longest = random() % 10 == 0 ? 400 : 30;
    for (std::uint64_t words = random() % longest; words > 0; --words) {
      text += kWords[random() % std::size(kWords)];
      text += ' ';
    }
  }
  return texts;
}

std::vector<float> EmbedAlone(const Embedder& model, std::string_view text) {
  return model.Embed(std::span(&text, 1)).value();
}

double Dot(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

class MiniLmTest : public ::testing::TestWithParam<const Kernels*> {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_MODEL();
    auto model = testing::OpenMiniLm(*GetParam());
    ASSERT_THAT(model, IsOk());
    model_ = std::move(*model);
  }

  std::unique_ptr<MiniLm> model_;
};

TEST_P(MiniLmTest, GivesATextTheSameBitsInEveryBatch) {
  const std::vector<std::string> texts = SomeTexts(40);
  std::vector<std::vector<float>> alone;
  for (const std::string& text : texts) alone.push_back(EmbedAlone(*model_, text));
  std::mt19937_64 random(9);
  for (int round = 0; round < 3; ++round) {
    std::vector<std::size_t> order(texts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    order.resize(1 + random() % order.size());
    std::vector<std::string_view> batch;
    for (const std::size_t i : order) batch.emplace_back(texts[i]);
    const auto rows = model_->Embed(batch);
    ASSERT_THAT(rows, IsOk());
    ASSERT_EQ(rows->size(), batch.size() * kDimensions);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto row = rows->begin() + static_cast<std::ptrdiff_t>(i * kDimensions);
      ASSERT_TRUE(std::equal(alone[order[i]].begin(), alone[order[i]].end(), row)) << order[i];
    }
  }
}

TEST_P(MiniLmTest, GivesEachThreadTheSameBits) {
  const std::vector<std::string> texts = SomeTexts(12);
  const std::vector<std::string_view> batch(texts.begin(), texts.end());
  const std::vector<float> expected = model_->Embed(batch).value();
  std::vector<std::vector<float>> found(4);
  std::vector<std::thread> threads;
  for (std::vector<float>& rows : found) {
    threads.emplace_back([&] { rows = model_->Embed(batch).value(); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<float>& rows : found) EXPECT_EQ(rows, expected);
}

TEST_P(MiniLmTest, GivesVectorsOfLengthOneForAnyBytes) {
  std::string every_byte;
  for (int byte = 0; byte < 256; ++byte) every_byte += static_cast<char>(byte);
  const std::string long_word(1 << 20, 'x');
  const std::vector<std::string_view> texts = {
      "",         " \n\t",        std::string_view("\0\0", 2),
      "\xff\xfe", "\u0301\u0301", "👩‍👩‍👧‍👦🇩🇪",
      every_byte, long_word};
  const auto rows = model_->Embed(texts);
  ASSERT_THAT(rows, IsOk());
  ASSERT_EQ(rows->size(), texts.size() * kDimensions);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    double squares = 0;
    for (std::size_t d = 0; d < kDimensions; ++d) {
      squares += std::pow(rows->at(i * kDimensions + d), 2);
    }
    EXPECT_NEAR(squares, 1, 1e-5) << i;
  }
}

TEST_P(MiniLmTest, EmbedsALongTextByItsBeginning) {
  std::string cut;
  for (std::size_t i = 0; i < limits::kEmbedTokensMax - 2; ++i) cut += "memory ";
  EXPECT_EQ(EmbedAlone(*model_, cut + "and what follows"), EmbedAlone(*model_, cut));
  const std::string shorter = cut.substr(7);
  EXPECT_NE(EmbedAlone(*model_, shorter + "and"), EmbedAlone(*model_, shorter));
}

TEST_P(MiniLmTest, FindsAParaphraseNearerThanAnotherSubject) {
  const auto cat = EmbedAlone(*model_, "A kitten naps on the sofa.");
  const auto paraphrase = EmbedAlone(*model_, "The young cat is sleeping upon a couch.");
  const auto other = EmbedAlone(*model_, "Interest rates rose again this quarter.");
  EXPECT_GT(Dot(cat, paraphrase), Dot(cat, other) + 0.3);
}

TEST_P(MiniLmTest, CountsTokensAsTheReferenceTokenizerDoes) {
  EXPECT_EQ(model_->CountTokens(""), 0U);
  EXPECT_EQ(model_->CountTokens("This is an example sentence"), 5U);
  EXPECT_EQ(model_->CountTokens("[MASK]"), 3U);     // not the special token
  EXPECT_EQ(model_->CountTokens("unaffable"), 3U);  // una ##ffa ##ble
}

INSTANTIATE_TEST_SUITE_P(Every, MiniLmTest, ::testing::ValuesIn(testing::EveryKernel()),
                         testing::KernelName);

TEST(MiniLmOpenTest, AnEmptyBatchHasNoRows) {
  SKIP_WITHOUT_MODEL();
  const auto model = testing::OpenMiniLm(*SupportedKernels().kernels[0]);
  ASSERT_THAT(model, IsOk());
  EXPECT_THAT((*model)->Embed({}), IsOk());
  EXPECT_TRUE((*model)->Embed({})->empty());
}

TEST(MiniLmOpenTest, SaysSoWhenWeightsGiveNoDirection) {
  SKIP_WITHOUT_MODEL();
  const auto tokenizer = MappedFile::Open(testing::ModelDir() + "/tokenizer.json");
  ASSERT_THAT(tokenizer, IsOk());
  const std::string path = ::testing::TempDir() + "zero.safetensors";
  std::ofstream(path, std::ios::binary) << testing::SafetensorsOf(testing::MiniLmSpecs(30'522));
  auto weights = MappedFile::Open(path);
  std::filesystem::remove(path);
  ASSERT_THAT(weights, IsOk());
  const auto model =
      MiniLm::Open(std::move(*weights), Hash{}, tokenizer->bytes(), *SupportedKernels().kernels[0]);
  ASSERT_THAT(model, IsOk());
  const std::string_view text = "text";
  EXPECT_THAT((*model)->Embed(std::span(&text, 1)),
              FailsWith(Code::kCorrupt, HasSubstr("no direction")));
}

}  // namespace
}  // namespace perdure
