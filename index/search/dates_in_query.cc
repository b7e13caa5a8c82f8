#include "index/search/dates_in_query.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <string>

#include "index/text/words.h"

namespace perdure {
namespace {

constexpr double kFadeDays = 7;
constexpr double kNextMonth = .5;

constexpr auto kMonths =
    std::to_array<std::string_view>({"january", "february", "march", "april", "may", "june", "july",
                                     "august", "september", "october", "november", "december"});

// 0: none of at most `digits` digits, "st" and the like aside.
unsigned NumberOf(std::string_view word, std::size_t digits) {
  for (const std::string_view ending : {"st", "nd", "rd", "th"}) {
    if (word.ends_with(ending)) word.remove_suffix(ending.size());
  }
  if (word.empty() || word.size() > digits) return 0;
  unsigned number = 0;
  for (const char c : word) {
    if (c < '0' || c > '9') return 0;
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  return number;
}

// The words of a query, as numbers and names; beyond its ends there is nothing.
class Words {
 public:
  explicit Words(std::string_view query) {
    for (Token& token : Tokenize(query)) {
      if (token.kind == TokenKind::kWord) words_.push_back(std::move(token.text));
    }
  }

  std::size_t size() const { return words_.size(); }
  bool Is(std::size_t i, std::string_view word) const { return At(i) == word; }
  unsigned MonthAt(std::size_t i) const {
    const auto found = std::ranges::find(kMonths, At(i));
    return found == kMonths.end() ? 0 : static_cast<unsigned>(found - kMonths.begin()) + 1;
  }
  unsigned DayAt(std::size_t i) const {
    const unsigned day = NumberOf(At(i), 2);
    return day <= 31 ? day : 0;
  }
  int YearAt(std::size_t i) const {
    const unsigned year = NumberOf(At(i), 4);
    return year >= 1900 && year < 2100 ? static_cast<int>(year) : 0;
  }

 private:
  std::string_view At(std::size_t i) const {
    return i < words_.size() ? std::string_view(words_[i]) : std::string_view();
  }

  std::vector<std::string> words_;
};

// Of the month that stands at `i`: "3 [of] May 2023", "May 3 2023".
DateInQuery DateAround(const Words& words, std::size_t i) {
  DateInQuery date{.month = words.MonthAt(i)};
  date.day = words.DayAt(words.Is(i - 1, "of") ? i - 2 : i - 1);
  std::size_t next = i + 1;
  if (date.day == 0) {
    date.day = words.DayAt(next);
    if (date.day != 0) ++next;
  }
  date.year = words.YearAt(next);
  return date;
}

double Fit(const DateInQuery& date, std::chrono::sys_days day) {
  const std::chrono::year_month_day then(day);
  const auto year = date.year == 0 ? then.year() : std::chrono::year(date.year);
  if (date.month == 0) return then.year() == year ? 1 : 0;
  const auto month = year / std::chrono::month(date.month);
  if (date.day != 0) {
    const auto asked = month / std::chrono::day(date.day);
    if (!asked.ok()) return 0;
    const auto days = static_cast<double>((day - std::chrono::sys_days(asked)).count());
    return std::exp(-std::abs(days) / kFadeDays);
  }
  const auto months = (then.year() / then.month() - month).count();
  if (months == 0) return 1;
  return months == 1 ? kNextMonth : 0;
}

}  // namespace

std::vector<DateInQuery> DatesInQuery(std::string_view query) {
  const Words words(query);
  std::vector<DateInQuery> dates;
  std::vector<DateInQuery> years;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words.MonthAt(i) != 0) {
      const DateInQuery date = DateAround(words, i);
      const bool is_word = words.Is(i, "may") || words.Is(i, "march");
      if (!is_word || date.day != 0 || date.year != 0) dates.push_back(date);
    }
    const int year = words.YearAt(i);
    if (year == 0) continue;
    const unsigned month = words.DayAt(i + 1);
    const bool is_iso = month >= 1 && month <= 12 && words.DayAt(i + 2) != 0;
    if (is_iso) dates.push_back({year, month, words.DayAt(i + 2)});
    years.push_back({.year = year});
  }
  return dates.empty() ? years : dates;
}

double DateFit(std::span<const DateInQuery> dates, std::uint32_t day) {
  const std::chrono::sys_days at{std::chrono::days(day)};
  double fit = 0;
  for (const DateInQuery& date : dates) fit = std::max(fit, Fit(date, at));
  return fit;
}

}  // namespace perdure
