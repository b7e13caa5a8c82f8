// The forward pass of a BERT encoder (arXiv:1810.04805) with post-layer normalisation.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "index/embed/bert_weights.h"
#include "index/embed/kernels.h"

namespace perdure {

using TokenSequence = std::vector<std::uint32_t>;

class BertEncoder {
 public:
  // kernels must be those that the weights were loaded for.
  BertEncoder(BertWeights weights, const Kernels& kernels)
      : weights_(std::move(weights)), kernels_(kernels) {}

  // For each sequence the sum of its tokens' last hidden states, one after another. A sequence has
  // 1 to kEmbedTokensMax tokens, each below the vocabulary's size. The sequences are computed side
  // by side without padding and do not touch each other's values. Thread-safe.
  std::vector<float> SumOfStates(std::span<const TokenSequence> sequences) const;

 private:
  struct Buffers;
  void Embed(std::span<const TokenSequence> sequences, Buffers& buffers) const;
  void Apply(const BertLayer& layer, std::span<const TokenSequence> sequences,
             Buffers& buffers) const;

  BertWeights weights_;
  const Kernels& kernels_;
};

}  // namespace perdure
