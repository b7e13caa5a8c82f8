// MiniLM on chosen kernels, from the files of ModelDir().
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "index/embed/minilm.h"
#include "index/embed/model_dir.h"

namespace perdure::testing {

inline Result<std::unique_ptr<MiniLm>> OpenMiniLm(const Kernels& kernels) {
  ASSIGN_OR_RETURN(MappedFile weights, MappedFile::Open(ModelDir() + "/model.fp16.safetensors"));
  ASSIGN_OR_RETURN(const MappedFile tokenizer, MappedFile::Open(ModelDir() + "/tokenizer.json"));
  return MiniLm::Open(std::move(weights), Hash{}, tokenizer.bytes(), kernels);
}

}  // namespace perdure::testing
