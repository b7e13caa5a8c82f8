#include "engine/base/time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

#include <random>

#include "engine/base/clock.h"
#include "support/fake_clock.h"
#include "support/status_matchers.h"

namespace perdure {
namespace {

using ::perdure::testing::FailsWith;
using ::perdure::testing::IsOk;
using ::testing::HasSubstr;

struct Example {
  const char* text;
  Micros time;
};

constexpr Example kExamples[] = {
    {"1970-01-01T00:00:00Z", 0},
    {"1970-01-01", 0},
    {"1985-04-12T23:20:50.52Z", 482'196'050'520'000},          // RFC 3339 section 5.8
    {"1996-12-19T16:39:57-08:00", 851'042'397'000'000},        // RFC 3339 section 5.8
    {"1937-01-01T12:00:27.87+00:20", -1'041'337'172'130'000},  // RFC 3339 section 5.8
    {"2024-02-29T00:00:00Z", 1'709'164'800'000'000},
    {"2000-02-29", 951'782'400'000'000},
    {"2024-05-01T08:30:00.25z", 1'714'552'200'250'000},
    {"2024-05-01t10:30:00.250000999+02:00", 1'714'552'200'250'000},
    {"2024-05-01 08:30:00-00:00", 1'714'552'200'000'000},
    {"1969-12-31T23:59:59.9999999Z", -1},  // dropping digits goes to the earlier microsecond
    {"0001-01-01T00:00:00Z", kTimeMin},
    {"9999-12-31T23:59:59.999999Z", kTimeMax},
    {"2016-12-31T23:59:60Z", 1'483'228'799'999'999},
    {"1990-12-31T15:59:60.5-08:00", 662'687'999'999'999},
};

class InZone {
 public:
  explicit InZone(const char* zone) {
    setenv("TZ", zone, 1);
    tzset();
  }
  ~InZone() {
    unsetenv("TZ");
    tzset();
  }
  InZone(const InZone&) = delete;
  InZone& operator=(const InZone&) = delete;
};

TEST(Time, ReadsTheSameInstantInAnyTimeZoneOfTheProcess) {
  for (const char* zone : {"UTC0", "AAA-05:45", "BBB+11"}) {
    const InZone in_zone(zone);
    for (const auto& [text, time] : kExamples) {
      const auto parsed = ParseTime(text, "as_of");
      ASSERT_THAT(parsed, IsOk()) << text;
      EXPECT_EQ(*parsed, time) << text << " in " << zone;
    }
    EXPECT_EQ(FormatTime(1'714'552'200'250'000), "2024-05-01T08:30:00.250000Z");
  }
}

TEST(Time, WhatIsNoTimeIsRefusedWithAReason) {
  constexpr struct {
    const char* text;
    const char* reason;
  } kRefused[] = {
      {"2024-05-01T08:30:00", "no zone"},
      {"2024-05-01 08:30:00.5", "no zone"},
      {"1714552200", "bare number"},
      {"2024", "bare number"},
      {"20240501", "bare number"},
      {"", "no time"},
      {"yesterday", "no time"},
      {"2024-5-1", "no time"},
      {"2024-05-01T08:30Z", "no time"},
      {"2024-05-01T08:30:00+0200", "no time"},
      {"2024-05-01T08:30:00Zulu", "no time"},
      {"2024-05-01T08:30:00 Z", "no time"},
      {" 2024-05-01", "no time"},
      {"2024-05-01 ", "no time"},
      {"2024-05-01Z", "no time"},
      {"2024-05-01T", "no time"},
      {"-2024-05-01", "no time"},
      {"+12024-05-01", "no time"},
      {"2023-02-29", "no such day"},
      {"1900-02-29", "no such day"},
      {"2024-04-31", "no such day"},
      {"2024-13-01", "no such day"},
      {"2024-00-10", "no such day"},
      {"2024-01-00", "no such day"},
      {"0000-01-01", "no such day"},
      {"2024-05-01T24:00:00Z", "time of day"},
      {"2024-05-01T08:60:00Z", "time of day"},
      {"2024-05-01T08:30:61Z", "time of day"},
      {"2024-05-01T08:30:60Z", "23:59:60"},
      {"2024-05-01T23:59:60+01:00", "23:59:60"},
      {"2024-05-01T08:30:00.Z", "one to nine digits"},
      {"2024-05-01T08:30:00.1234567890Z", "one to nine digits"},
      {"2024-05-01T08:30:00+24:00", "offset"},
      {"2024-05-01T08:30:00+02:60", "offset"},
      {"0001-01-01T00:00:00+00:01", "0001 to 9999"},
      {"9999-12-31T23:59:59-00:01", "0001 to 9999"},
  };
  for (const auto& [text, reason] : kRefused) {
    const auto parsed = ParseTime(text, "valid_from");
    ASSERT_THAT(parsed, FailsWith(Code::kInvalidArgument, HasSubstr(reason))) << text;
    EXPECT_EQ(parsed.error().field, "valid_from");
  }
  EXPECT_THAT(ParseTime("2024-05-01T08:30:00.123456789Z", "valid_from"), IsOk());
}

TEST(Time, EveryMicrosecondPrintsToATextThatReadsBackAsItself) {
  std::mt19937_64 generator(7);
  std::uniform_int_distribution<Micros> any(kTimeMin, kTimeMax);
  Micros previous = kTimeMin;
  for (int i = 0; i < 50'000; ++i) {
    const Micros time = any(generator);
    const auto parsed = ParseTime(FormatTime(time), "t");
    ASSERT_THAT(parsed, IsOk()) << FormatTime(time);
    ASSERT_EQ(*parsed, time);
    ASSERT_EQ(FormatTime(previous) < FormatTime(time), previous < time);
    previous = time;
  }
  EXPECT_EQ(FormatTime(kTimeMin), "0001-01-01T00:00:00.000000Z");
  EXPECT_EQ(FormatTime(kTimeMax), "9999-12-31T23:59:59.999999Z");
  EXPECT_EQ(FormatTime(kTimeMin - 1), FormatTime(kTimeMin));
  EXPECT_EQ(FormatTime(std::numeric_limits<Micros>::max()), FormatTime(kTimeMax));
}

TEST(Time, AnyOffsetOfADayNamesTheSameInstant) {
  std::mt19937_64 generator(8);
  for (int i = 0; i < 2'000; ++i) {
    const int minutes = static_cast<int>(generator() % 2879) - 1439;
    const Micros time = static_cast<Micros>(generator() % 4'000'000'000) * 1'000'000;
    std::string local = FormatTime(time + minutes * 60'000'000LL).substr(0, 19);
    const int size = std::abs(minutes);
    local += minutes < 0 ? '-' : '+';
    for (const int part : {size / 60, size % 60}) {
      local += {static_cast<char>('0' + part / 10), static_cast<char>('0' + part % 10), ':'};
    }
    local.pop_back();
    const auto parsed = ParseTime(local, "t");
    ASSERT_THAT(parsed, IsOk()) << local;
    EXPECT_EQ(*parsed, time) << local;
  }
}

TEST(Time, TheSystemClockTellsTimeSinceTheEpochAndAFakeOneWhatItIsTold) {
  SystemClock system;
  const Micros now = system.Now();
  EXPECT_GT(now, 1'700'000'000'000'000);  // after 2023
  EXPECT_LT(now, 4'000'000'000'000'000);  // before 2096
  testing::FakeClock fake(5);
  Clock& clock = fake;
  EXPECT_EQ(clock.Now(), 5);
  fake.Advance(-2);
  EXPECT_EQ(clock.Now(), 3);
}

}  // namespace
}  // namespace perdure
