// The source of every Kernels table. The including file sets the vector width and the tile, and
// CMake the instruction set. See kernels.h for what may be included here.

#include "index/embed/bert_shape.h"
#include "index/embed/kernels.h"

namespace perdure {
namespace {  // NOLINT(google-build-namespaces): each including source has its own

constexpr std::size_t kLanes = PERDURE_KERNEL_LANES;
constexpr std::size_t kVectors = PERDURE_KERNEL_VECTORS;  // of a panel's row
constexpr std::size_t kTileRows = PERDURE_KERNEL_TILE_ROWS;
constexpr std::size_t kPanelColumns = kLanes * kVectors;
constexpr std::size_t kBlockRows = 128;  // of x, so that it stays in the second-level cache
constexpr std::size_t kQkv = 3 * bert::kHidden;

static_assert(bert::kHeadSize % kPanelColumns == 0 && kPanelColumns <= kPanelColumnsMax);

using Floats [[gnu::vector_size(kLanes * sizeof(float))]] = float;
using Words [[gnu::vector_size(kLanes * sizeof(float))]] = std::uint32_t;
using Halves [[gnu::vector_size(kLanes * sizeof(std::uint16_t))]] = std::uint16_t;

inline Floats Load(const float* from) {
  Floats value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}

inline void Store(Floats value, float* to) { __builtin_memcpy(to, &value, sizeof value); }

inline Floats Splat(float value) { return value - Floats{}; }

inline Floats Max(Floats a, Floats b) { return a > b ? a : b; }
inline Floats Min(Floats a, Floats b) { return a < b ? a : b; }

inline float Sum(Floats value) {
  float sum = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) sum += value[lane];
  return sum;
}

inline float Largest(Floats value) {
  float largest = value[0];
  for (std::size_t lane = 1; lane < kLanes; ++lane) {
    largest = value[lane] > largest ? value[lane] : largest;
  }
  return largest;
}

// Moves exponent and fraction into place and corrects the exponent's bias by a multiplication,
// which is exact for every finite half, subnormal or not.
inline Floats LoadHalves(const std::uint16_t* from) {
  Halves halves;
  __builtin_memcpy(&halves, from, sizeof halves);
  const Words words = __builtin_convertvector(halves, Words);
  const auto magnitude = reinterpret_cast<Floats>((words & 0x7fffU) << 13U) * 0x1p112F;
  return reinterpret_cast<Floats>(reinterpret_cast<Words>(magnitude) | ((words & 0x8000U) << 16U));
}

void Widen(const std::uint16_t* halves, std::size_t count, float* floats) {
  for (std::size_t i = 0; i < count; i += kLanes) Store(LoadHalves(halves + i), floats + i);
}

// c[rows x kPanelColumns] = a[rows x depth] * panel[depth x kPanelColumns] + bias.
struct Product {
  const float* a;
  std::size_t a_stride;
  const float* panel;
  std::size_t depth;
  const float* bias;
  float* c;
  std::size_t c_stride;
};

// The loops over the tile must be unrolled, the first and last too, or the sums leave the
// registers.
template <std::size_t Rows>
void MultiplyTile(const Product& product) {
  Floats sums[Rows][kVectors];
#pragma GCC unroll 16
  for (std::size_t row = 0; row < Rows; ++row) {
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v) sums[row][v] = Load(product.bias + v * kLanes);
  }
  const float* panel = product.panel;
  const float* a = product.a;
  const std::size_t stride = product.a_stride;
  for (const float* const end = a + product.depth; a != end; ++a, panel += kPanelColumns) {
    Floats columns[kVectors];
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v) columns[v] = Load(panel + v * kLanes);
#pragma GCC unroll 16
    for (std::size_t row = 0; row < Rows; ++row) {
      const Floats factor = Splat(a[row * stride]);
#pragma GCC unroll 16
      for (std::size_t v = 0; v < kVectors; ++v) sums[row][v] += factor * columns[v];
    }
  }
#pragma GCC unroll 16
  for (std::size_t row = 0; row < Rows; ++row) {
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v) {
      Store(sums[row][v], product.c + row * product.c_stride + v * kLanes);
    }
  }
}

template <std::size_t RowsMax>
void MultiplyRows(std::size_t rows, const Product& product) {
  if (rows == RowsMax) return MultiplyTile<RowsMax>(product);
  if constexpr (RowsMax > 1) MultiplyRows<RowsMax - 1>(rows, product);
}

// In tiles of nearly equal height: a low tile at the end would wait for its own sums.
void Multiply(std::size_t rows, Product product) {
  for (std::size_t tiles = (rows + kTileRows - 1) / kTileRows; tiles > 0; --tiles) {
    const std::size_t height = (rows + tiles - 1) / tiles;
    MultiplyRows<kTileRows>(height, product);
    product.a += height * product.a_stride;
    product.c += height * product.c_stride;
    rows -= height;
  }
}

void Linear(const LinearView& linear, const float* x, std::size_t rows, float* y, float* scratch) {
  for (std::size_t block = 0; block < rows; block += kBlockRows) {
    const std::size_t height = rows - block < kBlockRows ? rows - block : kBlockRows;
    for (std::size_t column = 0; column < linear.outputs; column += kPanelColumns) {
      Widen(linear.panels + column * linear.inputs, linear.inputs * kPanelColumns, scratch);
      Multiply(height, {.a = x + block * linear.inputs,
                        .a_stride = linear.inputs,
                        .panel = scratch,
                        .depth = linear.inputs,
                        .bias = linear.bias + column,
                        .c = y + block * linear.outputs + column,
                        .c_stride = linear.outputs});
    }
  }
}

// e^x for x in [-87, 88], clamped to it; relative error about 1e-7. Range reduction and polynomial
// of Cephes (Moshier, expf.c).
inline Floats Exp(Floats x) {
  constexpr float kRound = 0x1.8p23F;  // adding it leaves the nearest integer in the low bits
  // ln 2 in two parts, the first of so few bits that its product with n is exact.
  // NOLINTBEGIN(modernize-use-std-numbers)
  constexpr float kLog2E = 1.44269504F;
  constexpr float kLn2High = 0.693359375F;
  constexpr float kLn2Low = -2.12194440e-4F;
  // NOLINTEND(modernize-use-std-numbers)
  x = Max(Min(x, Splat(88.0F)), Splat(-87.0F));
  const Floats shifted = x * kLog2E + kRound;
  const Floats n = shifted - kRound;
  const Floats r = (x - n * kLn2High) - n * kLn2Low;
  Floats y = r * 1.9875691500e-4F + 1.3981999507e-3F;
  y = y * r + 8.3334519073e-3F;
  y = y * r + 4.1665795894e-2F;
  y = y * r + 1.6666665459e-1F;
  y = y * r + 5.0000001201e-1F;
  y = (r * r) * y + (r + 1.0F);
  const Words power = (reinterpret_cast<Words>(shifted) << 23U) + 0x3f800000U;
  return y * reinterpret_cast<Floats>(power);
}

// erf by Abramowitz and Stegun 7.1.26, absolute error below 1.5e-7.
void Gelu(std::size_t count, float* x) {
  constexpr std::uint32_t kSign = 0x80000000U;
  for (std::size_t i = 0; i < count; i += kLanes) {
    const Floats value = Load(x + i);
    const auto z = reinterpret_cast<Words>(value * 0.70710678F);
    const auto size = reinterpret_cast<Floats>(z & ~kSign);
    const Floats t = 1.0F / (size * 0.3275911F + 1.0F);
    Floats y = t * 1.061405429F - 1.453152027F;
    y = y * t + 1.421413741F;
    y = y * t - 0.284496736F;
    y = y * t + 0.254829592F;
    const Floats erf_size = 1.0F - (y * t) * Exp(-(size * size));
    const auto erf = reinterpret_cast<Floats>(reinterpret_cast<Words>(erf_size) | (z & kSign));
    const Floats half = value * 0.5F;
    Store(half * erf + half, x + i);
  }
}

void NormRow(const LayerNormView& norm, const float* residual, float* x) {
  constexpr auto kSize = static_cast<float>(bert::kHidden);
  Floats sum{};
  for (std::size_t i = 0; i < bert::kHidden; i += kLanes) {
    Floats value = Load(x + i);
    if (residual != nullptr) value += Load(residual + i);
    Store(value, x + i);
    sum += value;
  }
  const Floats mean = Splat(Sum(sum) / kSize);
  Floats squares{};
  for (std::size_t i = 0; i < bert::kHidden; i += kLanes) {
    const Floats distance = Load(x + i) - mean;
    squares += distance * distance;
  }
  const float deviation = __builtin_sqrtf(Sum(squares) / kSize + bert::kLayerNormEpsilon);
  const Floats scale = Splat(1.0F / deviation);
  for (std::size_t i = 0; i < bert::kHidden; i += kLanes) {
    const Floats value = (Load(x + i) - mean) * scale;
    Store(value * Load(norm.weight + i) + Load(norm.bias + i), x + i);
  }
}

void LayerNorm(const LayerNormView& norm, const float* residual, std::size_t rows, float* x) {
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t at = row * bert::kHidden;
    NormRow(norm, residual == nullptr ? nullptr : residual + at, x + at);
  }
}

// scores[0..padded) = softmax(scores[0..count) / sqrt(kHeadSize)); what pads is left out of it.
void Softmax(std::size_t count, std::size_t padded, float* scores) {
  constexpr float kScale = 0.176776695F;
  for (std::size_t i = count; i < padded; ++i) scores[i] = -1e30F;  // e^-87 vanishes beside e^0
  Floats largest = Load(scores);
  for (std::size_t i = kLanes; i < padded; i += kLanes) largest = Max(largest, Load(scores + i));
  const Floats top = Splat(Largest(largest));
  Floats sum{};
  for (std::size_t i = 0; i < padded; i += kLanes) {
    const Floats power = Exp((Load(scores + i) - top) * kScale);
    Store(power, scores + i);
    sum += power;
  }
  const Floats share = Splat(1.0F / Sum(sum));
  for (std::size_t i = 0; i < padded; i += kLanes) Store(Load(scores + i) * share, scores + i);
}

// panels[d][c] = key c's component d; keys past `tokens` are zero.
void PackKeys(const float* keys, std::size_t tokens, std::size_t padded, float* panels) {
  for (std::size_t column = 0; column < padded; ++column) {
    float* const panel = panels + column / kPanelColumns * kPanelColumns * bert::kHeadSize;
    for (std::size_t d = 0; d < bert::kHeadSize; ++d) {
      panel[d * kPanelColumns + column % kPanelColumns] =
          column < tokens ? keys[column * kQkv + d] : 0.0F;
    }
  }
}

void PackValues(const float* values, std::size_t tokens, float* panels) {
  for (std::size_t d = 0; d < bert::kHeadSize; d += kLanes) {
    float* const panel = panels + d / kPanelColumns * kPanelColumns * tokens + d % kPanelColumns;
    for (std::size_t token = 0; token < tokens; ++token) {
      Store(Load(values + token * kQkv + d), panel + token * kPanelColumns);
    }
  }
}

void AttendHead(const float* queries, std::size_t tokens, float* out, float* scratch) {
  alignas(64) static constexpr float kZeros[kPanelColumns] = {};
  const std::size_t padded = (tokens + kPanelColumns - 1) / kPanelColumns * kPanelColumns;
  float* const keys = scratch;
  float* const values = keys + padded * bert::kHeadSize;
  float* const scores = values + padded * bert::kHeadSize;
  PackKeys(queries + bert::kHidden, tokens, padded, keys);
  PackValues(queries + 2 * bert::kHidden, tokens, values);
  for (std::size_t column = 0; column < padded; column += kPanelColumns) {
    Multiply(tokens, {.a = queries,
                      .a_stride = kQkv,
                      .panel = keys + column * bert::kHeadSize,
                      .depth = bert::kHeadSize,
                      .bias = kZeros,
                      .c = scores + column,
                      .c_stride = padded});
  }
  for (std::size_t row = 0; row < tokens; ++row) Softmax(tokens, padded, scores + row * padded);
  for (std::size_t d = 0; d < bert::kHeadSize; d += kPanelColumns) {
    Multiply(tokens, {.a = scores,
                      .a_stride = padded,
                      .panel = values + d * tokens,
                      .depth = tokens,
                      .bias = kZeros,
                      .c = out + d,
                      .c_stride = bert::kHidden});
  }
}

void Attend(const float* qkv, std::size_t tokens, float* out, float* scratch) {
  for (std::size_t head = 0; head < bert::kHeads; ++head) {
    const std::size_t at = head * bert::kHeadSize;
    AttendHead(qkv + at, tokens, out + at, scratch);
  }
}

constexpr Kernels MakeKernels(const char* name) {
  return {name, kPanelColumns, Linear, LayerNorm, Gelu, Attend, Widen};
}

}  // namespace
}  // namespace perdure
