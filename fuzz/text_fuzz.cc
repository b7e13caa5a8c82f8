// Bytes as a memory's text, a query, a scope, a time, an id: no input may crash or hang.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/base/time.h"
#include "engine/base/uuid.h"
#include "engine/model/scope.h"
#include "index/chunk/chunker.h"
#include "index/text/terms.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(perdure::TermsOfQuery(text));
  static_cast<void>(
      perdure::ChunkMarkdown("", text, [](std::string_view part) { return part.size() / 4; }, {}));
  static_cast<void>(perdure::ParseScope(text, "scope"));
  static_cast<void>(perdure::ParseTime(text, "time"));
  static_cast<void>(perdure::ParseUuidPrefix(text, "id"));
  return 0;
}
