// What a query says of time, as half-open ranges of days in UTC.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/time.h"

namespace perdure {

// How finely the query speaks.
enum class TimeGrain : std::uint8_t { kDay, kMonth, kYear, kSpan };

struct TimeReading {
  Micros from = kTimeMin;
  Micros until = kTimeMax;
  double confidence = 0;  // 0..1: how sure it is that these words mean this range
  std::string words;      // of the query
  // The time that is named, which "since" and "before" make a longer range of.
  Micros named_from = kTimeMin;
  Micros named_until = kTimeMax;
  TimeGrain grain = TimeGrain::kSpan;
  bool is_date = false;   // of the calendar, not counted from now
  bool any_year = false;  // the query leaves the year open; the range is the latest that has begun
};

// Below it, a reading is a hint for the ranking and no range.
inline constexpr double kTimeConfidenceMin = .6;

// Every time that the query speaks of, in its order: dates, years, quarters, months, weekdays,
// "last week", "three days ago", "since March", "from 3 to 5 May 2024"; in English, French, German,
// Spanish, Chinese and Japanese, whatever the query's own language. Deterministic and pure; linear
// in the query. `now` is what "yesterday" and a date without a year count from.
std::vector<TimeReading> ReadTimes(std::string_view query, Micros now);

// The first that is sure enough, or nullptr.
const TimeReading* TimeRangeOf(std::span<const TimeReading> readings);

// How well a day, counted from 1970-01-01, fits the named time that it is closest to, in 0..1: a
// day fades by e in a week, and so does what is around a span; of a month each day fits, and half
// as well each of the next; of a year each day. Where there are dates, they alone count: in "the
// last week of May 2023" the week is not the last one from now.
double TimeFit(std::span<const TimeReading> readings, std::uint32_t day);

}  // namespace perdure
