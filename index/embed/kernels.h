// The arithmetic of the encoder, once for each instruction set, chosen at run time.
//
// Each output is a sum in one fixed order that depends on neither the number of rows nor their
// place in the batch; so a text's vector does not depend on what it is batched with.
#pragma once

#include <cstddef>
#include <cstdint>

namespace perdure {

// y = x * W^T + bias. W is kept as IEEE 754 half floats, all finite, in panels of panel_columns
// outputs: panel p holds, for each input i, W[p * panel_columns + c][i] for c in 0..panel_columns.
struct LinearView {
  const std::uint16_t* panels;
  const float* bias;
  std::size_t inputs;
  std::size_t outputs;  // a multiple of panel_columns
};

struct LayerNormView {
  const float* weight;
  const float* bias;
};

// This header and kernels_inl.h are compiled with instruction sets that the machine may lack, so
// they include nothing that holds an inline function: the linker could keep that copy for all.
struct Kernels {
  const char* name;
  std::size_t panel_columns;

  // y[rows x outputs] from x[rows x inputs]. scratch: inputs * panel_columns floats.
  void (*linear)(const LinearView& linear, const float* x, std::size_t rows, float* y,
                 float* scratch);

  // x = norm(x + residual) for each of the rows of bert::kHidden; residual may be null.
  void (*layer_norm)(const LayerNormView& norm, const float* residual, std::size_t rows, float* x);

  // x = 0.5 x (1 + erf(x / sqrt 2)); count is a multiple of 16.
  void (*gelu)(std::size_t count, float* x);

  // Self-attention of one sequence. qkv: rows of query, key, value (3 * bert::kHidden); out: rows
  // of bert::kHidden. scratch: AttentionScratchFloats(tokens).
  void (*attend)(const float* qkv, std::size_t tokens, float* out, float* scratch);

  // floats[i] = halves[i], exact; count is a multiple of 16.
  void (*widen)(const std::uint16_t* halves, std::size_t count, float* floats);
};

std::size_t AttentionScratchFloats(std::size_t tokens);

inline constexpr std::size_t kPanelColumnsMax = 32;

// What this machine can run, fastest first; the last one is portable. Ends with a null pointer.
struct KernelList {
  const Kernels* kernels[4];
};
KernelList SupportedKernels();

}  // namespace perdure
