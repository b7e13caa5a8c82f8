#include "index/embed/kernels.h"

#include "index/embed/bert_shape.h"
#include "index/embed/kernel_tables.h"

namespace perdure {

std::size_t AttentionScratchFloats(std::size_t tokens) {
  const std::size_t padded = (tokens + kPanelColumnsMax - 1) / kPanelColumnsMax * kPanelColumnsMax;
  return padded * (2 * bert::kHeadSize + tokens);
}

KernelList SupportedKernels() {
  KernelList list{};
  std::size_t count = 0;
#ifdef PERDURE_X86_KERNELS
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2 && __builtin_cpu_supports("avx512f")) list.kernels[count++] = &Avx512Kernels();
  if (avx2) list.kernels[count++] = &Avx2Kernels();
#endif
  list.kernels[count] = &PortableKernels();
  return list;
}

}  // namespace perdure
