// Stored vectors, each with an 8-bit code of itself. Codes are a quarter of the bytes, lie side by
// side and lead the way, through a graph as in a scan; a bound on what they can be wrong by says
// when a vector itself must be asked, so that a scan stays exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "index/vector/dot.h"

namespace perdure {

struct alignas(64) CacheLine {
  float values[16];
};
using CacheLines = std::unique_ptr<CacheLine[]>;

// code := scale:f32 error:f32 zero{24} value:i8{padded}
struct alignas(32) RowCode {
  float scale;
  float error;  // of the vector against its code: the length of the difference
  std::byte zero[24];

  const std::int8_t* values() const { return reinterpret_cast<const std::int8_t*>(this + 1); }
  std::int8_t* values() { return reinterpret_cast<std::int8_t*>(this + 1); }
};
static_assert(sizeof(RowCode) == 32);

struct RowView {
  const RowCode* code;
  const float* vector;
};

class RowFormat {
 public:
  explicit RowFormat(std::size_t dimensions, const DotKernels& kernels = FastestDotKernels());

  void Encode(std::span<const float> vector, RowCode* code) const;

  float Cosine(const float* a, const float* b) const { return kernels_.floats(a, b, padded_); }
  float CodeCosine(const RowCode* a, const RowCode* b) const {
    return static_cast<float>(kernels_.codes(a->values(), b->values(), padded_)) *
           (a->scale * b->scale);
  }
  // No less than |Cosine - CodeCosine|, for vectors whose norm is 1 within half a percent:
  // |x.y - x'.y'| <= |x||y - y'| + |x - x'||y'|.
  static float CodeError(const RowCode* a, const RowCode* b) {
    return 1.01F * (a->error + b->error + a->error * b->error) + 1e-5F;
  }
  void Prefetch(const RowCode* code) const {
    for (std::size_t i = 0; i < code_bytes(); i += sizeof(CacheLine)) {
      __builtin_prefetch(reinterpret_cast<const std::byte*>(code) + i);
    }
  }

  std::size_t dimensions() const { return dimensions_; }
  std::size_t vector_lines() const { return vector_lines_; }
  std::size_t code_bytes() const { return sizeof(RowCode) + padded_; }

 private:
  std::size_t dimensions_;
  std::size_t padded_;
  std::size_t vector_lines_;
  DotKernels kernels_;
};

// Rows numbered from 0, at addresses that stay. Memory is overwritten before it is freed: whatever
// is erased later cannot be left over in the heap.
class RowTable {
 public:
  explicit RowTable(const RowFormat& format) : format_(format) {}
  ~RowTable();
  RowTable(const RowTable&) = delete;
  RowTable& operator=(const RowTable&) = delete;

  void Append(std::span<const float> vector);
  void MoveLastTo(std::size_t row);  // the last row takes the place, number and code, of `row`

  std::size_t size() const { return vectors_.size(); }
  const RowCode* CodeOf(std::size_t row) const {
    return reinterpret_cast<const RowCode*>(
        reinterpret_cast<const std::byte*>(blocks_[row / kBlockRows].get()) +
        row % kBlockRows * format_.code_bytes());
  }
  const float* Values(std::size_t row) const { return vectors_[row][0].values; }
  std::span<const float> Vector(std::size_t row) const {
    return {Values(row), format_.dimensions()};
  }
  RowView View(std::size_t row) const { return {CodeOf(row), Values(row)}; }
  const RowFormat& format() const { return format_; }
  std::size_t MemoryBytes() const;

 private:
  static constexpr std::size_t kBlockRows = 64;
  RowCode* MutableCode(std::size_t row) { return const_cast<RowCode*>(CodeOf(row)); }

  RowFormat format_;
  std::vector<CacheLines> blocks_;   // codes, kBlockRows a block
  std::vector<CacheLines> vectors_;  // padded with zeros
};

}  // namespace perdure
