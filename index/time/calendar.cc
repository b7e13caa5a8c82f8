#include "index/time/calendar.h"

#include <algorithm>

namespace perdure {
namespace {

using std::chrono::days;
using std::chrono::month;
using std::chrono::months;
using std::chrono::sys_days;
using std::chrono::year;
using std::chrono::year_month;
using std::chrono::year_month_day;
using std::chrono::year_month_day_last;

constexpr int kYearMax = 9999;
constexpr int kLeapGap = 8;  // years without a 29 February, at most

int MondayOffset(sys_days day) {
  return static_cast<int>(std::chrono::weekday(day).iso_encoding()) - 1;
}

DaySpan MonthsFrom(year_month first, int count) {
  return {sys_days(first / 1), sys_days((first + months(count)) / 1)};
}

std::optional<DaySpan> Fixed(int y, int m, int d) {
  if (y < 1 || y > kYearMax || m > 12) return std::nullopt;
  if (m == 0) return MonthsFrom(year(y) / 1, 12);
  const year_month of = year(y) / month(static_cast<unsigned>(m));
  if (d == 0) return MonthsFrom(of, 1);
  const year_month_day date = of / std::chrono::day(static_cast<unsigned>(d));
  if (!date.ok()) return std::nullopt;
  return DaySpan{sys_days(date), sys_days(date) + days(1)};
}

}  // namespace

sys_days DayOf(Micros time) {
  return std::chrono::floor<days>(
      std::chrono::sys_time<std::chrono::microseconds>(std::chrono::microseconds(time)));
}

sys_days Later(sys_days day, TimeUnit unit, int count) {
  if (unit == TimeUnit::kDay) return day + days(count);
  if (unit == TimeUnit::kWeek) return day + days(7 * count);
  const int of_month = unit == TimeUnit::kMonth ? 1 : unit == TimeUnit::kQuarter ? 3 : 12;
  const year_month_day from(day);
  const year_month to = from.year() / from.month() + months(of_month * count);
  const year_month_day_last last = to / std::chrono::last;
  return sys_days(to / std::min(from.day(), last.day()));
}

DaySpan UnitAround(sys_days day, TimeUnit unit) {
  const year_month_day date(day);
  const year_month of = date.year() / date.month();
  switch (unit) {
    case TimeUnit::kDay:
      return {day, day + days(1)};
    case TimeUnit::kWeek:
      return {day - days(MondayOffset(day)), day - days(MondayOffset(day)) + days(7)};
    case TimeUnit::kMonth:
      return MonthsFrom(of, 1);
    case TimeUnit::kQuarter:
      return MonthsFrom(of - months((static_cast<unsigned>(date.month()) - 1) % 3), 3);
    case TimeUnit::kYear:
      break;
  }
  return MonthsFrom(date.year() / 1, 12);
}

std::optional<DaySpan> SpanOf(int y, int m, int d, sys_days today) {
  if (y != 0) return Fixed(y, m, d);
  const int current = static_cast<int>(year_month_day(today).year());
  for (int back = 0; back <= kLeapGap; ++back) {
    const auto span = Fixed(current - back, m, d);
    if (span && span->from <= today) return span;
  }
  return std::nullopt;
}

std::optional<DaySpan> QuarterOf(int y, int quarter, sys_days today) {
  if (quarter < 1 || quarter > 4 || y > kYearMax) return std::nullopt;
  const year of = y != 0 ? year(y) : year_month_day(today).year();
  return MonthsFrom(of / month(static_cast<unsigned>(3 * quarter - 2)), 3);
}

sys_days LatestWeekday(sys_days today, int weekday, bool with_today) {
  const int back = (MondayOffset(today) - weekday + 7) % 7;
  return today - days(back == 0 && !with_today ? 7 : back);
}

}  // namespace perdure
