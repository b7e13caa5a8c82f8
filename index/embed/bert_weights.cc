#include "index/embed/bert_weights.h"

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <utility>

namespace perdure {
namespace {

using bert::kFeedForward;
using bert::kHidden;

static_assert(limits::kEmbedTokensMax <= bert::kPositions);

std::uint16_t HalfAt(std::string_view bytes, std::size_t index) {
  std::uint16_t half = 0;
  std::memcpy(&half, bytes.data() + index * sizeof half, sizeof half);
  return half;
}

class Loader {
 public:
  Loader(const Safetensors& tensors, const Kernels& kernels)
      : tensors_(tensors), kernels_(kernels) {}

  Result<BertWeights> Load(std::size_t vocabulary) const {
    BertWeights weights;
    ASSIGN_OR_RETURN(weights.word_embeddings,
                     Matrix("embeddings.word_embeddings.weight", vocabulary, kHidden));
    ASSIGN_OR_RETURN(weights.positions, Positions());
    ASSIGN_OR_RETURN(weights.embedding_norm, Norm("embeddings.LayerNorm"));
    for (std::size_t i = 0; i < bert::kLayers; ++i) {
      ASSIGN_OR_RETURN(weights.layers[i], Layer(fmt::format("encoder.layer.{}.", i)));
    }
    return weights;
  }

 private:
  Result<std::string_view> Matrix(const std::string& name, std::size_t rows,
                                  std::size_t columns) const {
    return tensors_.FiniteHalves(name, std::array<std::uint64_t, 2>{rows, columns});
  }

  std::vector<float> Floats(std::string_view halves) const {
    std::vector<std::uint16_t> aligned(halves.size() / sizeof(std::uint16_t));
    std::memcpy(aligned.data(), halves.data(), halves.size());
    std::vector<float> floats(aligned.size());
    kernels_.widen(aligned.data(), aligned.size(), floats.data());
    return floats;
  }

  Result<std::vector<float>> Vector(const std::string& name, std::size_t size) const {
    ASSIGN_OR_RETURN(const std::string_view halves,
                     tensors_.FiniteHalves(name, std::array<std::uint64_t, 1>{size}));
    return Floats(halves);
  }

  Result<std::vector<float>> Positions() const {
    ASSIGN_OR_RETURN(const std::string_view positions,
                     Matrix("embeddings.position_embeddings.weight", bert::kPositions, kHidden));
    ASSIGN_OR_RETURN(const std::string_view types,
                     Matrix("embeddings.token_type_embeddings.weight", 2, kHidden));
    constexpr std::size_t kRowBytes = kHidden * sizeof(std::uint16_t);
    std::vector<float> sums = Floats(positions.substr(0, limits::kEmbedTokensMax * kRowBytes));
    const std::vector<float> type = Floats(types.substr(0, kRowBytes));
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += type[i % kHidden];
    return sums;
  }

  Result<LayerNormWeights> Norm(const std::string& name) const {
    LayerNormWeights norm;
    ASSIGN_OR_RETURN(norm.weight, Vector(name + ".weight", kHidden));
    ASSIGN_OR_RETURN(norm.bias, Vector(name + ".bias", kHidden));
    return norm;
  }

  // Appends the outputs of the linear map `name` to those of `linear`.
  Status Append(const std::string& name, std::size_t outputs, LinearWeights& linear) const {
    ASSIGN_OR_RETURN(const std::string_view halves,
                     Matrix(name + ".weight", outputs, linear.inputs));
    ASSIGN_OR_RETURN(const std::vector<float> bias, Vector(name + ".bias", outputs));
    const std::size_t columns = kernels_.panel_columns;
    linear.panels.resize(linear.panels.size() + outputs * linear.inputs);
    std::uint16_t* const panels = linear.panels.data() + linear.bias.size() * linear.inputs;
    for (std::size_t output = 0; output < outputs; ++output) {
      std::uint16_t* const column =
          panels + output / columns * columns * linear.inputs + output % columns;
      for (std::size_t input = 0; input < linear.inputs; ++input) {
        column[input * columns] = HalfAt(halves, output * linear.inputs + input);
      }
    }
    linear.bias.insert(linear.bias.end(), bias.begin(), bias.end());
    return {};
  }

  Result<LinearWeights> Linear(const std::string& name, std::size_t outputs,
                               std::size_t inputs) const {
    LinearWeights linear{.panels = {}, .bias = {}, .inputs = inputs};
    RETURN_IF_ERROR(Append(name, outputs, linear));
    return linear;
  }

  Result<BertLayer> Layer(const std::string& prefix) const {
    BertLayer layer;
    layer.query_key_value.inputs = kHidden;
    for (const char* part : {"query", "key", "value"}) {
      RETURN_IF_ERROR(Append(prefix + "attention.self." + part, kHidden, layer.query_key_value));
    }
    ASSIGN_OR_RETURN(layer.attention_output,
                     Linear(prefix + "attention.output.dense", kHidden, kHidden));
    ASSIGN_OR_RETURN(layer.attention_norm, Norm(prefix + "attention.output.LayerNorm"));
    ASSIGN_OR_RETURN(layer.intermediate,
                     Linear(prefix + "intermediate.dense", kFeedForward, kHidden));
    ASSIGN_OR_RETURN(layer.output, Linear(prefix + "output.dense", kHidden, kFeedForward));
    ASSIGN_OR_RETURN(layer.output_norm, Norm(prefix + "output.LayerNorm"));
    return layer;
  }

  const Safetensors& tensors_;
  const Kernels& kernels_;
};

}  // namespace

Result<BertWeights> BertWeights::Load(const Safetensors& tensors, std::size_t vocabulary,
                                      const Kernels& kernels) {
  return Loader(tensors, kernels).Load(vocabulary);
}

}  // namespace perdure
