// How six languages speak of time: words, and phrases that are made of them. Data.
//
//   phrase := what a query says, as tokens, with slots in braces:
//     {n} a number or "a few"   {u} day, week, ...   {w} a weekday   {m} a month's name
//     {M} a month's number      {d} a day's number   {y} a year      {q} a quarter's number
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "index/time/calendar.h"

namespace perdure {

enum class TimeMeaning : std::uint8_t {
  kUnit,           // the whole unit, `value` units from now
  kAgo,            // the day so long ago; of a few: about so long ago
  kAhead,          // the day so long from now
  kPast,           // from so long ago until today
  kDate,           // of what the slots say
  kQuarter,        // the same
  kHalf,           // the first or second half (`value`) of this year
  kWeekday,        // the latest, today included
  kWeekdayBefore,  // the latest, today left out
  kWeekdayOfWeek,  // in the week `value` weeks from now
  kWeekend,        // the latest one (`value` 0: of this week)
};

struct TimePhrase {
  std::string_view text;
  TimeMeaning meaning = TimeMeaning::kDate;
  double confidence = .9;
  int value = 0;
  TimeUnit unit = TimeUnit::kDay;
};

enum class TimeSlot : std::uint8_t { kNumber, kUnit, kWeekday, kMonth, kQuarter };

// {n} of "a couple" and of "a few".
inline constexpr int kCouple = -2;
inline constexpr int kFew = -3;

struct TimeWord {
  std::string_view text;
  TimeSlot slot = TimeSlot::kMonth;
  int value = 0;      // a number; TimeUnit; 0 for Monday; 1 for January; a quarter
  bool weak = false;  // alone, it is a word like others
};

std::span<const TimePhrase> TimePhrases();
std::span<const TimeWord> TimeWords();

// What makes a range of one time or of two.
enum class TimeLink : std::uint8_t { kSince, kAfter, kBefore, kUntil, kOpens, kBetween };
struct TimeLinkWord {
  std::string_view text;
  TimeLink link = TimeLink::kSince;
};
std::span<const TimeLinkWord> TimeLinksBefore();     // stand before a time
std::span<const TimeLinkWord> TimeLinksAfter();      // stand after it
std::span<const std::string_view> TimeJoiners();     // "to": between the two ends of a range
std::span<const std::string_view> TimeJoinersAnd();  // the same after "between" only
std::span<const std::string_view> TimeArticles();    // between such a word and its time
// Before a month or a year that stands alone: it is no word or number like others.
std::span<const std::string_view> TimePrepositions();

}  // namespace perdure
