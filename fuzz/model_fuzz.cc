// Bytes as a model's weights (safetensors) and as its tokenizer file.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/base/check.h"
#include "index/embed/safetensors.h"
#include "index/embed/word_piece.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto tensors = perdure::Safetensors::Parse(bytes)) {
    static constexpr std::array<std::uint64_t, 2> kShape = {2, 3};
    if (const auto halves = tensors->FiniteHalves("a", kShape)) {
      PERDURE_CHECK(halves->size() == 12);
    }
  }
  if (const auto pieces = perdure::WordPiece::Parse(bytes)) {
    for (const std::uint32_t token : pieces->Encode("hello, wörld \xff 中文", 16)) {
      PERDURE_CHECK(token < pieces->size());
    }
  }
  return 0;
}
