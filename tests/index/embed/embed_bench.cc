// CPU time of the built-in embedder on one thread. Run with PERDURE_MODEL_DIR or from a tree whose
// build/model is filled.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "index/embed/model_dir.h"
#include "index/embed/open_embedder.h"
#include "index/embed/open_minilm.h"

namespace perdure {
namespace {

std::string TextOf(std::size_t tokens) {  // special tokens included
  std::string text;
  for (std::size_t i = 2; i < tokens; ++i) text += "memory ";
  return text;
}

void EmbedTexts(benchmark::State& state, const Kernels* kernels) {
  const auto model = testing::OpenMiniLm(*kernels);
  if (!model) return state.SkipWithError(model.error().message.c_str());
  const std::string text = TextOf(static_cast<std::size_t>(state.range(0)));
  const std::vector<std::string_view> batch(static_cast<std::size_t>(state.range(1)), text);
  for (auto _ : state) benchmark::DoNotOptimize((*model)->Embed(batch));
  state.SetItemsProcessed(state.iterations() * state.range(1));
}

void Open(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(OpenBuiltInEmbedder(testing::ModelDir()));
}

void CountTokens(benchmark::State& state) {
  const auto model = testing::OpenMiniLm(*SupportedKernels().kernels[0]);
  if (!model) return state.SkipWithError(model.error().message.c_str());
  std::string text;
  while (text.size() < 1 << 20) text += "The user prefers dark mode in every editor. ";
  for (auto _ : state) benchmark::DoNotOptimize((*model)->CountTokens(text));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

}  // namespace
}  // namespace perdure

int main(int argc, char** argv) {
  using namespace std::string_literals;
  const perdure::KernelList list = perdure::SupportedKernels();
  for (const perdure::Kernels* const kernels : list.kernels) {
    if (kernels == nullptr) continue;
    benchmark::RegisterBenchmark(("Embed/"s + kernels->name).c_str(), perdure::EmbedTexts, kernels)
        ->ArgNames({"tokens", "texts"})
        ->Args({8, 1})
        ->Args({16, 1})
        ->Args({26, 1})
        ->Args({32, 1})
        ->Args({256, 1})
        ->Args({26, 64})
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RegisterBenchmark("Open", perdure::Open)->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("CountTokens", perdure::CountTokens)->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
