// Bytes as the content of an index file whose hash is right: a manifest, a segment, a graph, the
// columns' meta and rows, the text index's number, a vector cache.
#include <fuzzer/FuzzedDataProvider.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/base/check.h"
#include "index/search/columns_file.h"
#include "index/search/vector_cache.h"
#include "index/text/text_home.h"
#include "index/vector/file_io.h"
#include "index/vector/graph.h"
#include "index/vector/segment_file.h"
#include "support/temp_dir.h"

namespace perdure {
namespace {

constexpr std::uint32_t kDimensions = 8;
constexpr std::uint64_t kSegmentChunks = 64;

const std::string& Directory() {
  static const testing::TempDir dir;
  return dir.path();
}

SegmentFileEntry WriteHashed(const std::string& path, std::string_view content) {
  auto file = HashedFileWriter::Create(path);
  PERDURE_CHECK(file && file->Append(content));
  const auto hash = file->Finish();
  PERDURE_CHECK(hash.has_value());
  return {.first_chunk = 0, .generation = 1, .bytes = file->bytes_written(), .hash = *hash};
}

void TryManifest(std::string_view content) {
  WriteHashed(Directory() + "/" + std::string(kManifestName), content);
  static_cast<void>(ReadManifest(Directory(), {kDimensions, {}}));
}

void TrySegment(std::string_view content) {
  SegmentFileEntry entry{.first_chunk = 0, .generation = 1, .bytes = 0, .hash = {}};
  entry = WriteHashed(Directory() + "/" + SegmentFileName(entry), content);
  const RowFormat format(kDimensions);
  static_cast<void>(ReadSegmentFile(Directory(), entry, {kDimensions, {}}, format, kSegmentChunks));
}

void TryGraph(std::string_view content) {
  const RowFormat format(kDimensions);
  RowTable rows(format);
  std::vector<const RowCode*> codes;
  for (int i = 0; i < 8; ++i) {
    std::vector<float> vector(kDimensions, 0);
    vector[static_cast<std::size_t>(i) % kDimensions] = 1;
    rows.Append(vector);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) codes.push_back(rows.CodeOf(i));
  const auto graph = Graph::Decode(content, format, codes);
  if (graph) {
    const auto hits = (*graph)->Search(codes[0], 4, [](std::uint32_t) { return true; });
    PERDURE_CHECK(hits && hits->size() <= 4);
  }
}

void TryColumns(std::string_view content) {
  const std::string directory = Directory() + "/columns";
  auto file = ColumnsFile::Open(directory, Hash{});
  PERDURE_CHECK(file.has_value());
  WriteHashed(directory + "/meta.7", content);
  Columns columns;
  static_cast<void>(file->Load(7, columns));
}

void TryText(std::string_view content) {
  const std::string directory = Directory() + "/text";
  std::filesystem::create_directories(directory);
  WriteHashed(directory + "/current", content);
  static_cast<void>(TextHome::Open(directory));
}

void TryCache(std::string_view content) {
  const EmbedderInfo model{.name = "fuzz", .dimensions = kDimensions};
  const std::string directory = Directory() + "/cache";
  std::filesystem::create_directories(directory);
  for (const auto& file : std::filesystem::directory_iterator(directory)) {
    std::ofstream out(file.path(), std::ios::binary | std::ios::trunc);
    out << content;
  }
  const auto cache = VectorCache::Open(directory, model);
  if (!cache) return;
  if (const auto vector = (*cache)->Get(ValueKey{})) {
    PERDURE_CHECK(vector->size() == kDimensions);
  }
}

}  // namespace
}  // namespace perdure

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view content(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 6) {
    case 0:
      perdure::TryManifest(content);
      break;
    case 1:
      perdure::TrySegment(content);
      break;
    case 2:
      perdure::TryGraph(content);
      break;
    case 3:
      perdure::TryColumns(content);
      break;
    case 4:
      perdure::TryText(content);
      break;
    default:
      perdure::TryCache(content);
  }
  return 0;
}
