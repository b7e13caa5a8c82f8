// The tensors of an all-MiniLM-L6-v2 file.
#pragma once

#include <string>
#include <vector>

#include "index/embed/bert_shape.h"
#include "index/embed/safetensors_builder.h"

namespace perdure::testing {

inline std::vector<TensorSpec> MiniLmSpecs(std::size_t vocabulary) {
  using bert::kFeedForward;
  using bert::kHidden;
  std::vector<TensorSpec> specs = {{"embeddings.word_embeddings.weight", {vocabulary, kHidden}},
                                   {"embeddings.position_embeddings.weight", {512, kHidden}},
                                   {"embeddings.token_type_embeddings.weight", {2, kHidden}}};
  const auto norm = [&](const std::string& name) {
    specs.push_back({name + ".weight", {kHidden}});
    specs.push_back({name + ".bias", {kHidden}});
  };
  const auto linear = [&](const std::string& name, std::size_t outputs, std::size_t inputs) {
    specs.push_back({name + ".weight", {outputs, inputs}});
    specs.push_back({name + ".bias", {outputs}});
  };
  norm("embeddings.LayerNorm");
  for (std::size_t i = 0; i < bert::kLayers; ++i) {
    const std::string layer = "encoder.layer." + std::to_string(i) + ".";
    for (const char* part : {"query", "key", "value"}) {
      linear(layer + "attention.self." + part, kHidden, kHidden);
    }
    linear(layer + "attention.output.dense", kHidden, kHidden);
    norm(layer + "attention.output.LayerNorm");
    linear(layer + "intermediate.dense", kFeedForward, kHidden);
    linear(layer + "output.dense", kHidden, kFeedForward);
    norm(layer + "output.LayerNorm");
  }
  return specs;
}

}  // namespace perdure::testing
