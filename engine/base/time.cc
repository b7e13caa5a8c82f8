#include "engine/base/time.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

namespace perdure {
namespace {

constexpr Micros kSecond = 1'000'000;
constexpr Micros kMinute = 60 * kSecond;
constexpr Micros kDay = 24 * (60 * kMinute);
constexpr std::string_view kExample = "2024-05-01T08:30:00Z";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Takes what it reads off the front of a text. Each Take answers false or nullopt, and the text is
// of no use any more, when something else stands there.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool AtEnd() const { return rest_.empty(); }
  bool At(char c) const { return rest_.starts_with(c); }

  bool Take(char c) {
    if (!At(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<int> TakeNumber(std::size_t digits) {
    if (rest_.size() < digits) return std::nullopt;
    int value = 0;
    for (const char c : rest_.substr(0, digits)) {
      if (!IsDigit(c)) return std::nullopt;
      value = value * 10 + (c - '0');
    }
    rest_.remove_prefix(digits);
    return value;
  }

  // The digits after a decimal point as microseconds.
  std::optional<Micros> TakeFraction() {
    Micros value = 0;
    std::size_t digits = 0;
    for (; digits < rest_.size() && IsDigit(rest_[digits]); ++digits) {
      if (digits < 6) value = value * 10 + (rest_[digits] - '0');
    }
    if (digits == 0 || digits > 9) return std::nullopt;
    for (std::size_t i = digits; i < 6; ++i) value *= 10;
    rest_.remove_prefix(digits);
    return value;
  }

 private:
  std::string_view rest_;
};

std::unexpected<Error> Refuse(std::string message, std::string_view field) {
  return Fail(Code::kInvalidArgument, std::move(message), std::string(field));
}

std::unexpected<Error> NotATime(std::string_view field) {
  return Refuse(fmt::format("This is no time: write it like {} or 2024-05-01.", kExample), field);
}

// Midnight UTC of "YYYY-MM-DD".
Result<Micros> TakeDate(Scanner& scanner, std::string_view field) {
  const auto year = scanner.TakeNumber(4);
  if (!year || !scanner.Take('-')) return NotATime(field);
  const auto month = scanner.TakeNumber(2);
  if (!month || !scanner.Take('-')) return NotATime(field);
  const auto day = scanner.TakeNumber(2);
  if (!day) return NotATime(field);
  const std::chrono::year_month_day date(std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)});
  if (!date.ok() || *year == 0) {
    return Refuse("There is no such day in the calendar; years run from 0001 to 9999.", field);
  }
  return std::chrono::sys_days(date).time_since_epoch().count() * kDay;
}

struct TimeOfDay {
  Micros micros = 0;
  bool leap_second = false;
};

// "hh:mm:ss" with an optional fraction. A leap second counts as the microsecond before it.
Result<TimeOfDay> TakeTimeOfDay(Scanner& scanner, std::string_view field) {
  const auto hour = scanner.TakeNumber(2);
  if (!hour || !scanner.Take(':')) return NotATime(field);
  const auto minute = scanner.TakeNumber(2);
  if (!minute || !scanner.Take(':')) return NotATime(field);
  const auto second = scanner.TakeNumber(2);
  if (!second) return NotATime(field);
  if (*hour > 23 || *minute > 59 || *second > 60) {
    return Refuse("The time of day runs from 00:00:00 to 23:59:59.", field);
  }
  Micros fraction = 0;
  if (scanner.Take('.')) {
    const auto taken = scanner.TakeFraction();
    if (!taken) return Refuse("A fraction of a second has one to nine digits.", field);
    fraction = *taken;
  }
  const Micros to_minute = (*hour * 60 + *minute) * kMinute;
  if (*second == 60) return TimeOfDay{to_minute + kMinute - 1, true};
  return TimeOfDay{to_minute + *second * kSecond + fraction, false};
}

// "Z", "+hh:mm" or "-hh:mm": how far local time is ahead of UTC.
Result<Micros> TakeZone(Scanner& scanner, std::string_view field) {
  if (scanner.Take('Z') || scanner.Take('z')) return 0;
  if (scanner.AtEnd()) {
    return Refuse(
        fmt::format("The time has no zone: add Z for UTC or an offset, like {}.", kExample), field);
  }
  const bool behind = scanner.At('-');
  if (!scanner.Take('-') && !scanner.Take('+')) return NotATime(field);
  const auto hours = scanner.TakeNumber(2);
  if (!hours || !scanner.Take(':')) return NotATime(field);
  const auto minutes = scanner.TakeNumber(2);
  if (!minutes) return NotATime(field);
  if (*hours > 23 || *minutes > 59) {
    return Refuse("An offset runs from -23:59 to +23:59.", field);
  }
  const Micros offset = (*hours * 60 + *minutes) * kMinute;
  return behind ? -offset : offset;
}

bool IsBeforeMidnight(Micros time) { return ((time % kDay) + kDay) % kDay == kDay - 1; }

}  // namespace

Result<Micros> ParseTime(std::string_view text, std::string_view field) {
  if (!text.empty() && std::ranges::all_of(text, IsDigit)) {
    return Refuse(
        fmt::format("A bare number is no time, since its unit is unclear: write {}.", kExample),
        field);
  }
  Scanner scanner(text);
  ASSIGN_OR_RETURN(const Micros midnight, TakeDate(scanner, field));
  if (scanner.AtEnd()) return midnight;
  if (!scanner.Take('T') && !scanner.Take('t') && !scanner.Take(' ')) return NotATime(field);
  ASSIGN_OR_RETURN(const TimeOfDay time_of_day, TakeTimeOfDay(scanner, field));
  ASSIGN_OR_RETURN(const Micros offset, TakeZone(scanner, field));
  if (!scanner.AtEnd()) return NotATime(field);
  const Micros time = midnight + time_of_day.micros - offset;
  if (time_of_day.leap_second && !IsBeforeMidnight(time)) {
    return Refuse("A second 60 exists only at 23:59:60 UTC.", field);
  }
  if (time < kTimeMin || time > kTimeMax) {
    return Refuse("The time lies outside the years 0001 to 9999 UTC.", field);
  }
  return time;
}

std::string FormatTime(Micros time) {
  const Micros clamped = std::clamp(time, kTimeMin, kTimeMax);
  const std::chrono::sys_time<std::chrono::microseconds> point{std::chrono::microseconds(clamped)};
  const auto midnight = std::chrono::floor<std::chrono::days>(point);
  const std::chrono::year_month_day date(midnight);
  const Micros of_day = (point - midnight).count();
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     of_day / (60 * kMinute), of_day / kMinute % 60, of_day / kSecond % 60,
                     of_day % kSecond);
}

}  // namespace perdure
