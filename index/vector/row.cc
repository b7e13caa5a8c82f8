#include "index/vector/row.h"

#include <strings.h>

#include <algorithm>
#include <cmath>
#include <cstring>

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
      code_lines_(RoundUp(kCodeOffset + padded_, sizeof(CacheLine)) / sizeof(CacheLine)),
      lines_(code_lines_ + RoundUp(padded_ * sizeof(float), sizeof(CacheLine)) / sizeof(CacheLine)),
      kernels_(kernels) {}

Row RowFormat::Make(std::span<const float> vector) const {
  PERDURE_CHECK(vector.size() == dimensions_);
  Row row = std::make_unique<CacheLine[]>(lines_);
  std::memcpy(&row[code_lines_], vector.data(), vector.size_bytes());
  float largest = 0;
  for (const float value : vector) largest = std::max(largest, std::abs(value));
  if (largest == 0) return row;
  const float scale = largest / 127;
  auto* code = reinterpret_cast<std::int8_t*>(row.get()) + kCodeOffset;
  double error = 0;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    const float rounded = std::clamp(std::nearbyint(vector[i] / scale), -127.0F, 127.0F);
    code[i] = static_cast<std::int8_t>(rounded);
    const double lost = static_cast<double>(vector[i]) - static_cast<double>(rounded * scale);
    error += lost * lost;
  }
  row[0].values[kScale] = scale;
  row[0].values[kError] = static_cast<float>(std::sqrt(error));
  return row;
}

void RowFormat::Wipe(const Row& row) const { explicit_bzero(row.get(), row_bytes()); }

}  // namespace perdure
