// Every kernel that this machine can run, as a test parameter.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "index/embed/kernels.h"

namespace perdure::testing {

inline std::vector<const Kernels*> EveryKernel() {
  std::vector<const Kernels*> all;
  const KernelList list = SupportedKernels();
  for (const Kernels* const kernels : list.kernels) {
    if (kernels != nullptr) all.push_back(kernels);
  }
  return all;
}

inline std::string KernelName(const ::testing::TestParamInfo<const Kernels*>& info) {
  return info.param->name;
}

}  // namespace perdure::testing
