#include "index/vector/row.h"

#include <strings.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "engine/base/check.h"

namespace perdure {
namespace {

constexpr std::size_t RoundUp(std::size_t size, std::size_t unit) {
  return (size + unit - 1) / unit * unit;
}

}  // namespace

RowFormat::RowFormat(std::size_t dimensions, const DotKernels& kernels)
    : dimensions_(dimensions),
      padded_(RoundUp(dimensions, kDotRound)),
      vector_lines_(RoundUp(padded_ * sizeof(float), sizeof(CacheLine)) / sizeof(CacheLine)),
      kernels_(kernels) {}

void RowFormat::Encode(std::span<const float> vector, RowCode* code) const {
  PERDURE_CHECK(vector.size() == dimensions_);
  *code = {};
  std::int8_t* values = code->values();
  std::memset(values, 0, padded_);
  float largest = 0;
  for (const float value : vector) largest = std::max(largest, std::abs(value));
  if (largest == 0) return;
  code->scale = largest / 127;
  double error = 0;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    const float rounded = std::clamp(std::nearbyint(vector[i] / code->scale), -127.0F, 127.0F);
    values[i] = static_cast<std::int8_t>(rounded);
    const double lost = static_cast<double>(vector[i]) - static_cast<double>(rounded * code->scale);
    error += lost * lost;
  }
  code->error = static_cast<float>(std::sqrt(error));
}

RowTable::~RowTable() {
  while (size() > 0) MoveLastTo(size() - 1);
}

void RowTable::Append(std::span<const float> vector) {
  const std::size_t row = size();
  if (row == blocks_.size() * kBlockRows) {
    blocks_.push_back(std::make_unique<CacheLine[]>(
        RoundUp(kBlockRows * format_.code_bytes(), sizeof(CacheLine)) / sizeof(CacheLine)));
  }
  format_.Encode(vector, MutableCode(row));
  vectors_.push_back(std::make_unique<CacheLine[]>(format_.vector_lines()));
  std::memcpy(vectors_.back().get(), vector.data(), vector.size_bytes());
}

void RowTable::MoveLastTo(std::size_t row) {
  const std::size_t last = size() - 1;
  explicit_bzero(vectors_[row].get(), format_.vector_lines() * sizeof(CacheLine));
  if (row != last) {
    vectors_[row] = std::move(vectors_[last]);
    std::memcpy(MutableCode(row), CodeOf(last), format_.code_bytes());
  }
  explicit_bzero(MutableCode(last), format_.code_bytes());
  vectors_.pop_back();
  if (last % kBlockRows == 0) blocks_.pop_back();
}

std::size_t RowTable::MemoryBytes() const {
  return vectors_.size() * format_.vector_lines() * sizeof(CacheLine) +
         blocks_.size() * kBlockRows * format_.code_bytes() +
         vectors_.capacity() * sizeof(CacheLines);
}

}  // namespace perdure
