// The encoder's weights, checked and laid out for the kernels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/base/limits.h"
#include "engine/base/result.h"
#include "index/embed/bert_shape.h"
#include "index/embed/kernels.h"
#include "index/embed/safetensors.h"

namespace perdure {

struct LinearWeights {
  std::vector<std::uint16_t> panels;
  std::vector<float> bias;
  std::size_t inputs = 0;

  LinearView view() const { return {panels.data(), bias.data(), inputs, bias.size()}; }
};

struct LayerNormWeights {
  std::vector<float> weight;
  std::vector<float> bias;

  LayerNormView view() const { return {weight.data(), bias.data()}; }
};

struct BertLayer {
  LinearWeights query_key_value;
  LinearWeights attention_output;
  LayerNormWeights attention_norm;
  LinearWeights intermediate;
  LinearWeights output;
  LayerNormWeights output_norm;
};

struct BertWeights {
  // Views into `tensors`' file, which must outlive the result. Fails with kCorrupt unless every
  // tensor of all-MiniLM-L6-v2 is there, of its shape, with `vocabulary` rows of word embeddings.
  static Result<BertWeights> Load(const Safetensors& tensors, std::size_t vocabulary,
                                  const Kernels& kernels);

  std::string_view word_embeddings;  // vocabulary x kHidden halves, perhaps unaligned
  std::vector<float> positions;      // kEmbedTokensMax x kHidden, the token type's included
  LayerNormWeights embedding_norm;
  std::array<BertLayer, bert::kLayers> layers;
};

}  // namespace perdure
