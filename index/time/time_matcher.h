// Finds the phrases of time_phrases.h in a query.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "index/time/calendar.h"
#include "index/time/time_phrases.h"
#include "index/time/time_reading.h"
#include "index/time/time_tokens.h"

namespace perdure {

// One phrase, where it stands and what it means.
struct TimeMatch {
  std::size_t first = 0;  // tokens
  std::size_t count = 0;
  DaySpan span{};
  double confidence = 0;
  TimeGrain grain = TimeGrain::kSpan;
  bool weak = false;  // a word like others, unless it is an end of a range
  bool is_date = false;
  int year = 0;  // of a date, like the next two; 0: left open
  int month = 0;
  int day = 0;

  // Words of time that name none: 30 February, "a few years ago".
  bool is_nothing() const { return span.from == span.until; }
  bool any_year() const { return grain != TimeGrain::kSpan && month != 0 && year == 0; }
};

// The longest phrase at each place, left to right, none over another.
std::vector<TimeMatch> MatchTimes(const TimeTokens& tokens, std::chrono::sys_days today);

// How many tokens from `first` on are `words`, which are split as queries are; 0 when they are not.
class TimeWordTokens {
 public:
  explicit TimeWordTokens(std::string_view words);
  std::size_t MatchAt(const TimeTokens& tokens, std::size_t first) const;
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
};

}  // namespace perdure
