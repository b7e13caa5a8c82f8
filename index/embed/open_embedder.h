// The embedder that comes with Perdure.
#pragma once

#include <memory>
#include <string>

#include "index/embed/embedder.h"

namespace perdure {

struct BuiltInEmbedder {
  std::unique_ptr<Embedder> embedder;  // never null
  std::string stand_in_reason;         // why it is only a stand-in; empty when it is the model
};

// all-MiniLM-L6-v2 when model_dir holds model.fp16.safetensors and tokenizer.json with the SHA-256
// that this release knows; else the hashing stand-in and the reason, which whoever shows a search
// answer must pass on. Takes about 0.1 s and 22 MB beside the mapped file.
BuiltInEmbedder OpenBuiltInEmbedder(const std::string& model_dir);

}  // namespace perdure
