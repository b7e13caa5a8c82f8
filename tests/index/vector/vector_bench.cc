// Recall and latency of the vector index. Prints one line a measurement.
//
// usage: vector_bench COUNT [SEGMENT_CHUNKS [VECTORS QUERIES]]
//
// VECTORS and QUERIES are files of float32, 384 a vector: embeddings of real texts. More vectors
// than the file has are blends of two of its own. Without files: the synthetic texts of the tests.
// Times are of this thread's CPU.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "index/vector/vector_index.h"
#include "index/vector/vectors.h"

namespace perdure {
namespace {

using Vectors = std::vector<std::vector<float>>;

Vectors ReadVectors(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  Vectors vectors;
  std::vector<float> vector(384);
  while (in.read(reinterpret_cast<char*>(vector.data()), 384 * sizeof(float))) {
    vectors.push_back(vector);
  }
  return vectors;
}

Vectors Blend(Vectors vectors, std::size_t count) {
  std::mt19937 random(7);
  const std::size_t originals = vectors.size();
  while (vectors.size() < count) {
    const auto& a = vectors[random() % originals];
    const auto& b = vectors[random() % originals];
    std::vector<float> blend(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) blend[i] = 0.75F * a[i] + 0.3F * b[i];
    vectors.push_back(testing::Normalised(std::move(blend)));
  }
  vectors.resize(count);
  return vectors;
}

double CpuNow() {
  timespec now = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double Seconds(const std::function<void()>& work) {
  const double start = CpuNow();
  work();
  return CpuNow() - start;
}

void Measure(const VectorIndex& index, const Vectors& queries, unsigned one_in, std::size_t count) {
  const auto allowed = [&](std::uint64_t chunk) { return chunk * 2654435761U % one_in == 0; };
  const std::size_t admitted = count / one_in;
  std::vector<double> exact_ms;
  std::vector<double> graph_ms;
  double found = 0;
  double wanted = 0;
  for (const auto& query : queries) {
    std::vector<VectorHit> exact;
    std::vector<VectorHit> graph;
    exact_ms.push_back(1e3 * Seconds([&] { exact = *index.Search(query, 10, allowed, 0); }));
    graph_ms.push_back(1e3 * Seconds([&] { graph = *index.Search(query, 10, allowed, SIZE_MAX); }));
    for (const auto& hit : exact) found += std::ranges::count(graph, hit) > 0 ? 1 : 0;
    wanted += static_cast<double>(exact.size());
  }
  std::ranges::sort(exact_ms);
  std::ranges::sort(graph_ms);
  const std::size_t half = queries.size() / 2;
  const std::size_t most = queries.size() * 99 / 100;
  fmt::print(
      "allowed {:6}: recall@10 {:.4f}  graph p50 {:.2f} p99 {:.2f} ms  scan p50 {:.2f} p99 {:.2f} "
      "ms\n",
      admitted, found / wanted, graph_ms[half], graph_ms[most], exact_ms[half], exact_ms[most]);
}

int Run(std::size_t count, std::uint32_t segment_chunks, const Vectors& vectors,
        const Vectors& queries) {
  const std::string directory = std::filesystem::temp_directory_path() / "perdure_vector_bench";
  std::filesystem::remove_all(directory);
  VectorIndexOptions options;
  options.segment_chunks = segment_chunks;
  options.exact_max = 1;
  auto index = *VectorIndex::Open(directory, options);
  const double add = Seconds([&] {
    for (std::size_t i = 0; i < count; ++i) (void)index->Add(i, vectors[i]);
  });
  std::size_t inserted = 0;
  const double build = Seconds([&] { inserted = *index->Advance(SIZE_MAX); });
  const double checkpoint = Seconds([&] { (void)index->Checkpoint(count); });
  const auto stats = index->Stats();
  const auto n = static_cast<double>(count);
  fmt::print("{} vectors, {} a segment: add {:.0f}/s, graph {:.0f}/s, checkpoint {:.2f} s\n", count,
             segment_chunks, n / add, static_cast<double>(inserted) / build, checkpoint);
  fmt::print("bytes a vector: {:.0f} on disk, {:.0f} in memory; tail {}\n",
             static_cast<double>(stats.file_bytes) / n, static_cast<double>(stats.memory_bytes) / n,
             stats.tail);
  const double load = Seconds([&] { index = *VectorIndex::Open(directory, options); });
  fmt::print("open {:.3f} s\n", load);
  for (const unsigned one_in : {1U, 2U, 3U, 5U, 8U, 16U}) Measure(*index, queries, one_in, count);
  const std::uint64_t victim = 1;
  const double erase = Seconds([&] { (void)index->Erase({&victim, 1}); });
  fmt::print("erase one: {:.3f} s\n", erase);
  std::filesystem::remove_all(directory);
  return 0;
}

int Main(int argc, char** argv) {
  const std::size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10'000;
  const auto segment_chunks =
      static_cast<std::uint32_t>(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 32'768);
  if (argc > 4) {
    return Run(count, segment_chunks, Blend(ReadVectors(argv[3]), count), ReadVectors(argv[4]));
  }
  return Run(count, segment_chunks, testing::TopicVectors(count, 384, 1),
             testing::TopicVectors(200, 384, 2));
}

}  // namespace
}  // namespace perdure

int main(int argc, char** argv) { return perdure::Main(argc, argv); }
