#include "index/embed/bert_encoder.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/base/check.h"

namespace perdure {

using bert::kFeedForward;
using bert::kHidden;

struct BertEncoder::Buffers {
  explicit Buffers(std::size_t tokens, std::size_t longest)
      : rows(tokens),
        states(tokens * kHidden),
        query_key_value(tokens * 3 * kHidden),
        context(tokens * kHidden),
        intermediate(tokens * kFeedForward),
        scratch(std::max(kFeedForward * kPanelColumnsMax, AttentionScratchFloats(longest))) {}

  std::size_t rows;
  std::vector<float> states;
  std::vector<float> query_key_value;
  std::vector<float> context;
  std::vector<float> intermediate;
  std::vector<float> scratch;
};

std::vector<float> BertEncoder::SumOfStates(std::span<const TokenSequence> sequences) const {
  std::size_t tokens = 0;
  std::size_t longest = 0;
  for (const TokenSequence& sequence : sequences) {
    PERDURE_CHECK(!sequence.empty());
    PERDURE_CHECK(sequence.size() <= limits::kEmbedTokensMax);
    tokens += sequence.size();
    longest = std::max(longest, sequence.size());
  }
  Buffers buffers(tokens, longest);
  Embed(sequences, buffers);
  for (const BertLayer& layer : weights_.layers) Apply(layer, sequences, buffers);

  std::vector<float> sums(sequences.size() * kHidden);
  const float* state = buffers.states.data();
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    for (std::size_t token = 0; token < sequences[s].size(); ++token, state += kHidden) {
      for (std::size_t i = 0; i < kHidden; ++i) sums[s * kHidden + i] += state[i];
    }
  }
  return sums;
}

void BertEncoder::Embed(std::span<const TokenSequence> sequences, Buffers& buffers) const {
  std::array<std::uint16_t, kHidden> halves{};
  float* state = buffers.states.data();
  for (const TokenSequence& sequence : sequences) {
    const float* position = weights_.positions.data();
    for (const std::uint32_t token : sequence) {
      const std::size_t at = token * sizeof halves;
      PERDURE_CHECK(at < weights_.word_embeddings.size());
      std::memcpy(halves.data(), weights_.word_embeddings.data() + at, sizeof halves);
      kernels_.widen(halves.data(), kHidden, state);
      for (std::size_t i = 0; i < kHidden; ++i) state[i] += position[i];
      position += kHidden;
      state += kHidden;
    }
  }
  kernels_.layer_norm(weights_.embedding_norm.view(), nullptr, buffers.rows, buffers.states.data());
}

void BertEncoder::Apply(const BertLayer& layer, std::span<const TokenSequence> sequences,
                        Buffers& buffers) const {
  const auto linear = [&](const LinearWeights& weights, const std::vector<float>& from,
                          std::vector<float>& to) {
    kernels_.linear(weights.view(), from.data(), buffers.rows, to.data(), buffers.scratch.data());
  };
  const auto add_and_norm = [&](const LayerNormWeights& norm, const std::vector<float>& residual) {
    kernels_.layer_norm(norm.view(), residual.data(), buffers.rows, buffers.states.data());
  };

  linear(layer.query_key_value, buffers.states, buffers.query_key_value);
  std::size_t row = 0;
  for (const TokenSequence& sequence : sequences) {
    kernels_.attend(buffers.query_key_value.data() + row * 3 * kHidden, sequence.size(),
                    buffers.context.data() + row * kHidden, buffers.scratch.data());
    row += sequence.size();
  }
  std::vector<float>& residual = buffers.query_key_value;  // no longer needed; large enough
  linear(layer.attention_output, buffers.context, residual);
  add_and_norm(layer.attention_norm, residual);
  linear(layer.intermediate, buffers.states, buffers.intermediate);
  kernels_.gelu(buffers.intermediate.size(), buffers.intermediate.data());
  linear(layer.output, buffers.intermediate, residual);
  add_and_norm(layer.output_norm, residual);
}

}  // namespace perdure
