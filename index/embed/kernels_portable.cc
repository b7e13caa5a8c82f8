#define PERDURE_KERNEL_LANES 4
#define PERDURE_KERNEL_VECTORS 4
#define PERDURE_KERNEL_TILE_ROWS 2
#include "index/embed/kernel_tables.h"
#include "index/embed/kernels_inl.h"

namespace perdure {

const Kernels& PortableKernels() {
  static constexpr Kernels kKernels = MakeKernels("portable");
  return kKernels;
}

}  // namespace perdure
