// Dates that a query names, and how near a day is to them: what happened in May is told in May, or
// soon after. English months, ISO dates and years. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace perdure {

// 0 where the query leaves it open.
struct DateInQuery {
  int year = 0;
  unsigned month = 0;  // 1 to 12
  unsigned day = 0;    // 1 to 31

  bool operator==(const DateInQuery&) const = default;
};

// "3 May 2023", "May 3rd", "in May 2023", "2023-05-03"; a year alone only where there is no other
// date. "May" and "March" alone are words like others.
std::vector<DateInQuery> DatesInQuery(std::string_view query);

// How well a day, counted from 1970-01-01, fits the date that it is closest to, in 0..1: a day
// fades by e in a week; of a month each day fits, and half as well each of the next; of a year each
// day.
double DateFit(std::span<const DateInQuery> dates, std::uint32_t day);

}  // namespace perdure
