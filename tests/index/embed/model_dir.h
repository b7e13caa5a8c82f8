// Where the tests find the embedding model.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace perdure::testing {

inline std::string ModelDir() {
  const char* const named = std::getenv("PERDURE_MODEL_DIR");
  return named != nullptr ? named : PERDURE_MODEL_DIR;
}

inline bool HaveModel() {
  const std::filesystem::path dir = ModelDir();
  return std::filesystem::exists(dir / "model.fp16.safetensors") &&
         std::filesystem::exists(dir / "tokenizer.json");
}

}  // namespace perdure::testing

#define SKIP_WITHOUT_MODEL()                                                            \
  if (!::perdure::testing::HaveModel()) {                                               \
    GTEST_SKIP() << "skipped: no embedding model in " << ::perdure::testing::ModelDir() \
                 << "; fetch it with tools/fetch_model.sh";                             \
  }                                                                                     \
  static_assert(true)
