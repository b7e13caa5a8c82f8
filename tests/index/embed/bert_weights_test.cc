#include "index/embed/bert_weights.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "index/embed/minilm_specs.h"
#include "support/status_matchers.h"

namespace perdure {
namespace {

using ::testing::AllOf;
using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::MiniLmSpecs;
using testing::SafetensorsOf;

constexpr std::size_t kVocabulary = 100;

Status Load(const std::string& file, std::size_t vocabulary = kVocabulary) {
  ASSIGN_OR_RETURN(const Safetensors tensors, Safetensors::Parse(file));
  const Kernels& kernels = *SupportedKernels().kernels[0];
  ASSIGN_OR_RETURN(const BertWeights weights, BertWeights::Load(tensors, vocabulary, kernels));
  EXPECT_EQ(weights.word_embeddings.size(), vocabulary * bert::kHidden * 2);
  return {};
}

TEST(BertWeightsTest, NamesTheTensorThatIsMissing) {
  const auto whole = MiniLmSpecs(kVocabulary);
  ASSERT_THAT(Load(SafetensorsOf(whole)), IsOk());
  for (std::size_t i = 0; i < whole.size(); i += 9) {
    auto specs = whole;
    specs.erase(specs.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_THAT(Load(SafetensorsOf(specs)),
                FailsWith(Code::kCorrupt, AllOf(HasSubstr(whole[i].name), HasSubstr("missing"))));
  }
}

TEST(BertWeightsTest, NamesTheTensorOfAnotherShapeOrType) {
  const auto whole = MiniLmSpecs(kVocabulary);
  for (std::size_t i = 0; i < whole.size(); i += 9) {
    auto specs = whole;
    specs[i].shape.back() += 1;
    EXPECT_THAT(Load(SafetensorsOf(specs)),
                FailsWith(Code::kCorrupt, AllOf(HasSubstr(whole[i].name), HasSubstr("shape"))));
    specs = whole;
    specs[i].dtype = "BF16";
    EXPECT_THAT(Load(SafetensorsOf(specs)),
                FailsWith(Code::kCorrupt, AllOf(HasSubstr(whole[i].name), HasSubstr("BF16"))));
  }
}

TEST(BertWeightsTest, WantsARowOfWordEmbeddingsForEachToken) {
  const std::string file = SafetensorsOf(MiniLmSpecs(kVocabulary));
  EXPECT_THAT(Load(file, kVocabulary), IsOk());
  for (const std::size_t vocabulary : {kVocabulary - 1, kVocabulary + 1}) {
    EXPECT_THAT(Load(file, vocabulary),
                FailsWith(Code::kCorrupt, HasSubstr("word_embeddings.weight\" has shape [100")));
  }
}

}  // namespace
}  // namespace perdure
