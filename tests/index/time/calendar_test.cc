#include "index/time/calendar.h"

#include <gtest/gtest.h>

namespace perdure {
namespace {

using std::chrono::days;
using std::chrono::sys_days;
using namespace std::chrono_literals;

constexpr sys_days kLeapDay = sys_days(2024y / 2 / 29);
constexpr sys_days kNewYear = sys_days(2026y / 1 / 1);  // a Thursday

TEST(Calendar, UnitsGoFromTheirFirstDayToTheNext) {
  EXPECT_EQ(UnitAround(kNewYear, TimeUnit::kDay), (DaySpan{kNewYear, kNewYear + days(1)}));
  EXPECT_EQ(UnitAround(kNewYear, TimeUnit::kWeek),
            (DaySpan{sys_days(2025y / 12 / 29), sys_days(2026y / 1 / 5)}));
  EXPECT_EQ(UnitAround(kLeapDay, TimeUnit::kMonth),
            (DaySpan{sys_days(2024y / 2 / 1), sys_days(2024y / 3 / 1)}));
  EXPECT_EQ(UnitAround(sys_days(2025y / 12 / 31), TimeUnit::kQuarter),
            (DaySpan{sys_days(2025y / 10 / 1), kNewYear}));
  EXPECT_EQ(UnitAround(kLeapDay, TimeUnit::kYear),
            (DaySpan{sys_days(2024y / 1 / 1), sys_days(2025y / 1 / 1)}));
}

TEST(Calendar, ADayThatAMonthLacksIsItsLast) {
  EXPECT_EQ(Later(sys_days(2026y / 12 / 31), TimeUnit::kMonth, -3), sys_days(2026y / 9 / 30));
  EXPECT_EQ(Later(kLeapDay, TimeUnit::kYear, -1), sys_days(2023y / 2 / 28));
  EXPECT_EQ(Later(kLeapDay, TimeUnit::kQuarter, 2), sys_days(2024y / 8 / 29));
  EXPECT_EQ(Later(kNewYear, TimeUnit::kWeek, -2), sys_days(2025y / 12 / 18));
}

TEST(Calendar, WhatIsLeftOpenIsTheLatestThatHasBegun) {
  EXPECT_EQ(SpanOf(0, 12, 0, kNewYear)->from, sys_days(2025y / 12 / 1));
  EXPECT_EQ(SpanOf(0, 1, 1, kNewYear)->from, kNewYear);
  EXPECT_EQ(SpanOf(0, 1, 2, kNewYear)->from, sys_days(2025y / 1 / 2));
  EXPECT_EQ(SpanOf(0, 2, 29, kNewYear)->from, kLeapDay);
  EXPECT_EQ(QuarterOf(0, 4, kNewYear)->from, sys_days(2026y / 10 / 1));
}

TEST(Calendar, ThereIsNoThirtiethOfFebruaryAndNoYearZero) {
  EXPECT_FALSE(SpanOf(2024, 2, 30, kNewYear));
  EXPECT_FALSE(SpanOf(0, 2, 30, kNewYear));
  EXPECT_FALSE(SpanOf(10000, 1, 1, kNewYear));
  EXPECT_FALSE(QuarterOf(2024, 5, kNewYear));
  EXPECT_TRUE(SpanOf(1, 1, 1, kNewYear));
}

TEST(Calendar, TheLatestWeekdayMayBeToday) {
  EXPECT_EQ(LatestWeekday(kNewYear, 3, true), kNewYear);
  EXPECT_EQ(LatestWeekday(kNewYear, 3, false), kNewYear - days(7));
  EXPECT_EQ(LatestWeekday(kNewYear, 4, true), sys_days(2025y / 12 / 26));
}

}  // namespace
}  // namespace perdure
