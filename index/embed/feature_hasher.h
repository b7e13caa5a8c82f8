// The stand-in for a model that is not there: signed feature hashing (Weinberger et al.,
// arXiv:0902.2206) of words and of their character 3- to 5-grams, into 384 dimensions. It knows
// shared words, inflections and misspellings, and nothing of meaning.
//
//   word    := as bert_words.h splits
//   feature := 'w' word | 'g' gram, in UTF-8; a gram is 3 to 5 consecutive characters of "<word>"
//   hash    := fmix64 of MurmurHash3 over FNV-1a, 64 bits, of the feature's bytes
//   adds    := +-weight at dimension (hash >> 32) * 384 >> 32; the sign is + when hash is odd
//   weight  := 1 for a word; 1 / sqrt(grams of the word) for each gram
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "index/embed/embedder.h"

namespace perdure {

class FeatureHasher final : public Embedder {
 public:
  FeatureHasher();

  const EmbedderInfo& info() const override { return info_; }
  Result<std::vector<float>> Embed(std::span<const std::string_view> texts) const override;

  // An estimate of what MiniLM would count: a token for every 6 characters begun of a word.
  std::size_t CountTokens(std::string_view text) const override;

 private:
  EmbedderInfo info_;
};

}  // namespace perdure
