#define PERDURE_KERNEL_LANES 16
#define PERDURE_KERNEL_VECTORS 2
#define PERDURE_KERNEL_TILE_ROWS 12
#include "index/embed/kernel_tables.h"
#include "index/embed/kernels_inl.h"

namespace perdure {

const Kernels& Avx512Kernels() {
  static constexpr Kernels kKernels = MakeKernels("avx512");
  return kKernels;
}

}  // namespace perdure
