// Bytes as a query, a scope, a time, an id: none may crash or hang, and the terms of a query are
// those of its own text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/base/check.h"
#include "engine/base/time.h"
#include "engine/base/uuid.h"
#include "engine/model/scope.h"
#include "index/text/terms.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(perdure::TermsOfQuery(text));
  if (const auto scope = perdure::ParseScope(text, "scope")) {
    const auto again = perdure::ParseScope(perdure::FormatScope(*scope), "scope");
    PERDURE_CHECK(again && *again == *scope);
  }
  static_cast<void>(perdure::ParseTime(text, "time"));
  if (const auto id = perdure::ParseUuid(text)) {
    PERDURE_CHECK(perdure::ParseUuid(perdure::ToString(*id)) == *id);
  }
  static_cast<void>(perdure::ParseUuidPrefix(text, "id"));
  return 0;
}
