// A stored vector with an 8-bit code of itself, in one allocation. Codes are a quarter of the bytes
// and lead the way, through a graph as in a scan; a bound on what they can be wrong by says when
// the vector itself must be asked, so that a scan stays exact.
//
// row := scale:f32 error:f32 zero{24} code:i8{padded} zero{to 64} value:f32{padded}
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "index/vector/dot.h"

namespace perdure {

struct alignas(64) CacheLine {
  float values[16];
};
using Row = std::unique_ptr<CacheLine[]>;

class RowFormat {
 public:
  explicit RowFormat(std::size_t dimensions, const DotKernels& kernels = FastestDotKernels());

  Row Make(std::span<const float> vector) const;
  void Wipe(const Row& row) const;  // overwrites all of it
  std::span<const float> Vector(const CacheLine* row) const {
    return {row[code_lines_].values, dimensions_};
  }
  void Prefetch(const CacheLine* row) const {
    for (std::size_t line = 0; line < code_lines_; ++line) __builtin_prefetch(row + line);
  }

  float Cosine(const CacheLine* a, const CacheLine* b) const {
    return kernels_.floats(a[code_lines_].values, b[code_lines_].values, padded_);
  }
  float CodeCosine(const CacheLine* a, const CacheLine* b) const {
    const auto dot = static_cast<float>(kernels_.codes(Code(a), Code(b), padded_));
    return dot * (a->values[kScale] * b->values[kScale]);
  }
  // No less than |Cosine - CodeCosine|, for vectors whose norm is 1 within half a percent:
  // |x.y - x'.y'| <= |x||y - y'| + |x - x'||y'|.
  float CodeError(const CacheLine* a, const CacheLine* b) const {
    const float x = a->values[kError];
    const float y = b->values[kError];
    return 1.01F * (x + y + x * y) + 1e-5F;
  }

  std::size_t dimensions() const { return dimensions_; }
  std::size_t row_bytes() const { return lines_ * sizeof(CacheLine); }

 private:
  static constexpr std::size_t kScale = 0;
  static constexpr std::size_t kError = 1;
  static constexpr std::size_t kCodeOffset = 32;

  static const std::int8_t* Code(const CacheLine* row) {
    return reinterpret_cast<const std::int8_t*>(row) + kCodeOffset;
  }

  std::size_t dimensions_;
  std::size_t padded_;
  std::size_t code_lines_;
  std::size_t lines_;
  DotKernels kernels_;
};

}  // namespace perdure
