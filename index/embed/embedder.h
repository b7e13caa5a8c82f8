// Turns texts into vectors whose dot product is their likeness in meaning.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/result.h"

namespace perdure {

// What a cached vector is keyed by: two embedders with equal name and weights_hash give the same
// vector for the same text.
struct EmbedderInfo {
  std::string name;
  std::size_t dimensions = 0;
  Hash weights_hash{};    // SHA-256 of the weights file; of a stand-in, its version
  bool stand_in = false;  // shares no meaning between different words; answers must say so
};

// All methods are const and safe to call from any number of threads.
class Embedder {
 public:
  virtual ~Embedder() = default;

  virtual const EmbedderInfo& info() const = 0;

  // Row-major texts.size() x dimensions. Each row has length 1 (L2), or is all zeros when a
  // stand-in finds nothing in the text. A row depends on its own text alone: it is bit-identical
  // whatever else is in the call and on whatever thread. Any bytes are accepted; what is not UTF-8
  // is skipped. A text past the model's limit is embedded by its beginning.
  virtual Result<std::vector<float>> Embed(std::span<const std::string_view> texts) const = 0;

  // Tokens of the whole text, special tokens not counted, nothing cut.
  virtual std::size_t CountTokens(std::string_view text) const = 0;
};

}  // namespace perdure
