// Points in time and their text form, RFC 3339. The process's time zone plays no part.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace perdure {

using Micros = std::int64_t;  // microseconds since 1970-01-01T00:00:00Z, leap seconds not counted

inline constexpr Micros kTimeMin = -62'135'596'800'000'000;  // 0001-01-01T00:00:00Z
inline constexpr Micros kTimeMax = 253'402'300'799'999'999;  // 9999-12-31T23:59:59.999999Z

// Reads a date ("2024-05-01": midnight UTC) or a date-time with a zone ("2024-05-01T08:30:00.25Z",
// "2024-05-01 10:30:00+02:00"; 'T' and 'Z' in either case). A fraction has one to nine digits;
// those past the microsecond are dropped. The leap second 23:59:60 UTC reads as the last
// microsecond before midnight. A date-time without a zone, a bare number, and an instant outside
// kTimeMin..kTimeMax are refused: kInvalidArgument on `field`.
Result<Micros> ParseTime(std::string_view text, std::string_view field);

// "2024-05-01T08:30:00.250000Z": always six digits, so that ParseTime gives back the same value
// and texts sort as times do. A value outside the limits prints as the nearest limit.
std::string FormatTime(Micros time);

}  // namespace perdure
