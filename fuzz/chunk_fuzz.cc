// Bytes as a memory's Markdown: its chunks lie in order within the text and cover all of it that
// is not blank.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/base/check.h"
#include "index/chunk/chunker.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto count = [](std::string_view part) { return part.size() / 4 + 1; };
  const auto chunks = perdure::ChunkMarkdown("A title", text, count, {});
  std::size_t before = 0;
  for (const auto& chunk : chunks) {
    PERDURE_CHECK(chunk.begin <= chunk.end && chunk.end <= text.size());
    PERDURE_CHECK(before <= chunk.begin || chunk.begin == 0);
    before = chunk.begin;
  }
  return 0;
}
