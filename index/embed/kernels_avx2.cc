#define PERDURE_KERNEL_LANES 8
#define PERDURE_KERNEL_VECTORS 2
#define PERDURE_KERNEL_TILE_ROWS 6
#include "index/embed/kernel_tables.h"
#include "index/embed/kernels_inl.h"

namespace perdure {

const Kernels& Avx2Kernels() {
  static constexpr Kernels kKernels = MakeKernels("avx2");
  return kKernels;
}

}  // namespace perdure
