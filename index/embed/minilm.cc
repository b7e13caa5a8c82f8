#include "index/embed/minilm.h"

#include <cmath>
#include <utility>

#include "engine/base/limits.h"

namespace perdure {
namespace {

// Computed together: enough that reading the weights costs little beside using them, few enough
// that the states stay in the cache.
constexpr std::size_t kGroupTokens = 128;

Status Normalize(std::span<float> row) {
  double squares = 0;
  for (const float value : row) squares += double{value} * value;
  const double length = std::sqrt(squares);
  if (!std::isfinite(length) || length == 0) {
    return Fail(Code::kCorrupt, "the embedding model's weights give no direction for a text");
  }
  for (float& value : row) value = static_cast<float>(value / length);
  return {};
}

}  // namespace

Result<std::unique_ptr<MiniLm>> MiniLm::Open(MappedFile weights, const Hash& weights_hash,
                                             std::string_view tokenizer_json,
                                             const Kernels& kernels) {
  ASSIGN_OR_RETURN(WordPiece tokenizer, WordPiece::Parse(tokenizer_json));
  ASSIGN_OR_RETURN(const Safetensors tensors, Safetensors::Parse(weights.bytes()));
  ASSIGN_OR_RETURN(BertWeights bert, BertWeights::Load(tensors, tokenizer.size(), kernels));
  return std::make_unique<MiniLm>(std::move(weights), weights_hash, std::move(tokenizer),
                                  BertEncoder(std::move(bert), kernels));
}

MiniLm::MiniLm(MappedFile weights, const Hash& weights_hash, WordPiece tokenizer,
               BertEncoder encoder)
    : info_{.name = "all-MiniLM-L6-v2",
            .dimensions = bert::kHidden,
            .weights_hash = weights_hash,
            .stand_in = false},
      weights_(std::move(weights)),
      tokenizer_(std::move(tokenizer)),
      encoder_(std::move(encoder)) {}

Result<std::vector<float>> MiniLm::Embed(std::span<const std::string_view> texts) const {
  std::vector<float> rows;
  rows.reserve(texts.size() * bert::kHidden);
  std::vector<TokenSequence> group;
  std::size_t group_tokens = 0;
  const auto finish_group = [&] {
    const std::vector<float> sums = encoder_.SumOfStates(group);
    rows.insert(rows.end(), sums.begin(), sums.end());
    group.clear();
    group_tokens = 0;
  };
  for (const std::string_view text : texts) {
    TokenSequence tokens = tokenizer_.Encode(text, limits::kEmbedTokensMax);
    if (!group.empty() && group_tokens + tokens.size() > kGroupTokens) finish_group();
    group_tokens += tokens.size();
    group.push_back(std::move(tokens));
  }
  if (!group.empty()) finish_group();
  for (std::size_t at = 0; at < rows.size(); at += bert::kHidden) {
    RETURN_IF_ERROR(Normalize(std::span(rows).subspan(at, bert::kHidden)));
  }
  return rows;
}

std::size_t MiniLm::CountTokens(std::string_view text) const {
  return tokenizer_.CountTokens(text);
}

}  // namespace perdure
