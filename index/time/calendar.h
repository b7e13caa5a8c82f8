// Days, weeks, months and years of the proleptic Gregorian calendar. Weeks begin on Monday. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "engine/base/time.h"

namespace perdure {

enum class TimeUnit : std::uint8_t { kDay, kWeek, kMonth, kQuarter, kYear };

// Days, the second one outside.
struct DaySpan {
  std::chrono::sys_days from;
  std::chrono::sys_days until;

  bool operator==(const DaySpan&) const = default;
};

std::chrono::sys_days DayOf(Micros time);

// `count` units later, or earlier; a day that the month lacks becomes its last.
std::chrono::sys_days Later(std::chrono::sys_days day, TimeUnit unit, int count);
// The whole unit that the day lies in.
DaySpan UnitAround(std::chrono::sys_days day, TimeUnit unit);

// Of a year alone, of a month (1 to 12), of a day of it (1 to 31); nullopt when there is none.
// Zeros are left open: the latest such span that began on `today` or before.
std::optional<DaySpan> SpanOf(int year, int month, int day, std::chrono::sys_days today);
std::optional<DaySpan> QuarterOf(int year, int quarter, std::chrono::sys_days today);

// The latest day of that kind (0: Monday), `today` included or not.
std::chrono::sys_days LatestWeekday(std::chrono::sys_days today, int weekday, bool with_today);

}  // namespace perdure
