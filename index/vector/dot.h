// Dot products, bit-identical whichever kernel runs: the float sums of the AVX2 kernel and of the
// portable one have the same order and neither fuses, and integer sums have no order. So a graph
// built on one machine is the graph built on another.
#pragma once

#include <cstddef>
#include <cstdint>

namespace perdure {

// What one round of a kernel takes; every length is a multiple of it, padded with zeros.
inline constexpr std::size_t kDotRound = 32;

using FloatDot = float (*)(const float* a, const float* b, std::size_t length);
// Values lie in [-127, 127].
using CodeDot = std::int32_t (*)(const std::int8_t* a, const std::int8_t* b, std::size_t length);

struct DotKernels {
  FloatDot floats;
  CodeDot codes;
};

DotKernels PortableDotKernels();
DotKernels FastestDotKernels();  // AVX2 where the CPU has it

}  // namespace perdure
