// Bytes as an expression over metadata, and as metadata: what is accepted has one canonical form,
// which means the same, and no expression agrees with its own negation.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/check.h"
#include "engine/read/metadata_filter.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find('\n');
  const auto metadata =
      perdure::ParseMetadata(line == std::string_view::npos ? "" : text.substr(line + 1));
  const std::string expression(text.substr(0, line));
  const auto filter = perdure::MetadataFilter::Parse(expression, "filter");
  if (!filter) {
    PERDURE_CHECK(!filter.error().message.empty() && filter.error().field.starts_with("filter"));
    return 0;
  }
  const bool holds = filter->Matches(*metadata);
  const auto again = perdure::MetadataFilter::Parse(filter->text(), "filter");
  PERDURE_CHECK(again && again->text() == filter->text() && again->Matches(*metadata) == holds);
  const auto negation =
      perdure::MetadataFilter::Parse("{\"not\":" + filter->text() + "}", "filter");
  PERDURE_CHECK(!negation || negation->Matches(*metadata) != holds);
  return 0;
}
