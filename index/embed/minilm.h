// all-MiniLM-L6-v2 of sentence-transformers: mean of BERT's last states, length 1.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "index/embed/bert_encoder.h"
#include "index/embed/embedder.h"
#include "index/embed/kernels.h"
#include "index/embed/mapped_file.h"
#include "index/embed/word_piece.h"

namespace perdure {

class MiniLm final : public Embedder {
 public:
  // weights_hash is what info() names; it is the caller's to check. Fails with kCorrupt when
  // either file is malformed or not of this model. Vectors of different kernels differ in their
  // last bits; those of one do not.
  static Result<std::unique_ptr<MiniLm>> Open(MappedFile weights, const Hash& weights_hash,
                                              std::string_view tokenizer_json,
                                              const Kernels& kernels);

  MiniLm(MappedFile weights, const Hash& weights_hash, WordPiece tokenizer, BertEncoder encoder);

  const EmbedderInfo& info() const override { return info_; }
  Result<std::vector<float>> Embed(std::span<const std::string_view> texts) const override;
  std::size_t CountTokens(std::string_view text) const override;

 private:
  EmbedderInfo info_;
  MappedFile weights_;  // encoder_ views into it
  WordPiece tokenizer_;
  BertEncoder encoder_;
};

}  // namespace perdure
