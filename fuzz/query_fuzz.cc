// Bytes as a query, a scope, a time, an id: none may crash or hang, and what a query says of time
// lies within the times that there are.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/base/check.h"
#include "engine/base/time.h"
#include "engine/base/uuid.h"
#include "engine/model/scope.h"
#include "index/text/terms.h"
#include "index/time/time_reading.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(perdure::TermsOfQuery(text));
  if (const auto scope = perdure::ParseScope(text, "scope")) {
    const auto again = perdure::ParseScope(perdure::FormatScope(*scope), "scope");
    PERDURE_CHECK(again && *again == *scope);
  }
  static_cast<void>(perdure::ParseTime(text, "time"));
  for (const perdure::Micros now : {perdure::kTimeMin, perdure::Micros{0}, perdure::kTimeMax}) {
    for (const perdure::TimeReading& reading : perdure::ReadTimes(text, now)) {
      PERDURE_CHECK(perdure::kTimeMin <= reading.from && reading.from < reading.until);
      PERDURE_CHECK(reading.until <= perdure::kTimeMax + 1 && !reading.words.empty());
    }
    const double fit = perdure::TimeFit(perdure::ReadTimes(text, now), 19480);
    PERDURE_CHECK(fit >= 0 && fit <= 1);
  }
  if (const auto id = perdure::ParseUuid(text)) {
    PERDURE_CHECK(perdure::ParseUuid(perdure::ToString(*id)) == *id);
  }
  static_cast<void>(perdure::ParseUuidPrefix(text, "id"));
  return 0;
}
