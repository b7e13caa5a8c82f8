// The tables that kernels.cc chooses from. Call one only on a machine that has its instructions.
#pragma once

#include "index/embed/kernels.h"

namespace perdure {

const Kernels& PortableKernels();
const Kernels& Avx2Kernels();
const Kernels& Avx512Kernels();

}  // namespace perdure
