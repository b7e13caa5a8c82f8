#include "index/time/time_reading.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace perdure {
namespace {

using ::testing::SizeIs;

Micros TimeAt(std::string_view text) { return *ParseTime(text, "test"); }

const Micros kNow = TimeAt("2026-08-12T14:30:00Z");  // a Wednesday
constexpr std::uint32_t kMay3 = 19480;               // 2023-05-03

// "2026-08-03..2026-08-10", the second day outside; "none".
std::string Range(std::string_view query, Micros now = kNow) {
  const auto readings = ReadTimes(query, now);
  const TimeReading* found = TimeRangeOf(readings);
  if (found == nullptr) return "none";
  return FormatTime(found->from).substr(0, 10) + ".." + FormatTime(found->until).substr(0, 10);
}

struct Case {
  const char* query;
  const char* range;
};

TEST(TimeReading, ReadsDatesInEveryWriting) {
  for (const char* query :
       {"What happened on 3 May, 2023?", "on May 3, 2023", "the 3rd of May 2023", "may 3rd 2023",
        "2023-05-03?", "2023/05/03", "05/03/2023", "3. Mai 2023", "le 3 mai 2023",
        "3 de mayo de 2023", "2023年5月3日", "２０２３年５月３日", "二 2023年五月三日"}) {
    EXPECT_EQ(Range(query), "2023-05-03..2023-05-04") << query;
  }
  for (const Case& c : {Case{"in May 2023", "2023-05-01..2023-06-01"},
                        {"août 2024", "2024-08-01..2024-09-01"},
                        {"im Februar 2024", "2024-02-01..2024-03-01"},
                        {"2024年3月", "2024-03-01..2024-04-01"},
                        {"back in 2021", "2021-01-01..2022-01-01"},
                        {"Q3 2025 results", "2025-07-01..2025-10-01"},
                        {"the first quarter of 2024", "2024-01-01..2024-04-01"},
                        {"le premier trimestre 2024", "2024-01-01..2024-04-01"},
                        {"2. Quartal 2024", "2024-04-01..2024-07-01"},
                        {"第一季度", "2026-01-01..2026-04-01"},
                        {"上半年", "2026-01-01..2026-07-01"}}) {
    EXPECT_EQ(Range(c.query), c.range) << c.query;
  }
}

TEST(TimeReading, CountsFromNow) {
  for (const Case& c : {Case{"what did I do yesterday", "2026-08-11..2026-08-12"},
                        {"qu'ai-je fait hier", "2026-08-11..2026-08-12"},
                        {"gestern", "2026-08-11..2026-08-12"},
                        {"ayer", "2026-08-11..2026-08-12"},
                        {"昨天做了什么", "2026-08-11..2026-08-12"},
                        {"昨日の会議", "2026-08-11..2026-08-12"},
                        {"LAST WEEK", "2026-08-03..2026-08-10"},
                        {"la semaine dernière", "2026-08-03..2026-08-10"},
                        {"letzte Woche", "2026-08-03..2026-08-10"},
                        {"la semana pasada", "2026-08-03..2026-08-10"},
                        {"先週", "2026-08-03..2026-08-10"},
                        {"last weekend", "2026-08-08..2026-08-10"},
                        {"three days ago", "2026-08-09..2026-08-10"},
                        {"il y a trois jours", "2026-08-09..2026-08-10"},
                        {"vor drei Tagen", "2026-08-09..2026-08-10"},
                        {"hace tres días", "2026-08-09..2026-08-10"},
                        {"三天前", "2026-08-09..2026-08-10"},
                        {"3日前", "2026-08-09..2026-08-10"},
                        {"a few weeks ago", "2026-07-08..2026-07-30"},
                        {"in the last 7 days", "2026-08-05..2026-08-13"},
                        {"last Friday", "2026-08-07..2026-08-08"},
                        {"on Wednesday", "2026-08-12..2026-08-13"},
                        {"上周五", "2026-08-07..2026-08-08"},
                        {"先週の金曜日", "2026-08-07..2026-08-08"},
                        {"December", "2025-12-01..2026-01-01"},
                        {"on 13 August", "2025-08-13..2025-08-14"}}) {
    EXPECT_EQ(Range(c.query), c.range) << c.query;
  }
}

TEST(TimeReading, ReadsRanges) {
  for (const Case& c : {Case{"since March", "2026-03-01..2026-08-13"},
                        {"depuis le 3 mars", "2026-03-03..2026-08-13"},
                        {"seit 2020", "2020-01-01..2026-08-13"},
                        {"desde marzo", "2026-03-01..2026-08-13"},
                        {"三月以来", "2026-03-01..2026-08-13"},
                        {"before 2020", "0001-01-01..2020-01-01"},
                        {"until May 2024", "0001-01-01..2024-06-01"},
                        {"after 3 May 2024", "2024-05-04..2026-08-13"},
                        {"from March to May 2023", "2023-03-01..2023-06-01"},
                        {"between 2020-01-01 and 2020-12-31", "2020-01-01..2021-01-01"},
                        {"zwischen dem 3. März und dem 5. April 2024", "2024-03-03..2024-04-06"},
                        {"du 3 mars au 5 avril 2024", "2024-03-03..2024-04-06"},
                        {"entre marzo y mayo de 2023", "2023-03-01..2023-06-01"},
                        {"3月から5月まで", "2026-03-01..2026-06-01"}}) {
    EXPECT_EQ(Range(c.query), c.range) << c.query;
  }
}

TEST(TimeReading, WordsAndNumbersAloneAreNone) {
  for (const char* query : {"",
                            "\t",
                            "may I come?",
                            "a long march",
                            "mars rover",
                            "the cat sat on the mat",
                            "12 apples",
                            "room 2500",
                            "a chunk size of 2000 tokens",
                            "99999999999",
                            "0000-00-00",
                            "january 0000",
                            "30 February 2024",
                            "a few years ago",
                            "next week",
                            "guten Morgen",
                            "so what do we do now",
                            "version 1.2.3",
                            "我们的项目",
                            "日本語のテキスト",
                            "\xff\xfe"}) {
    EXPECT_EQ(Range(query), "none") << query;
  }
}

TEST(TimeReading, SaysWhichWordsItRead) {
  const auto readings = ReadTimes("What happened à Paris, depuis le 3 mars 2024?", kNow);
  ASSERT_THAT(readings, SizeIs(1));
  EXPECT_EQ(readings[0].words, "depuis le 3 mars 2024");
  EXPECT_GE(readings[0].confidence, kTimeConfidenceMin);
}

TEST(TimeReading, TheFirstThatIsSureIsTheRange) {
  EXPECT_EQ(Range("next week, yesterday and today"), "2026-08-11..2026-08-12");
  EXPECT_THAT(ReadTimes("2000 tokens yesterday", kNow), SizeIs(1));
}

TEST(TimeReading, AWeekOfAMonthIsNotCountedFromNow) {
  EXPECT_EQ(Range("in the last two weeks of August 2023"), "2023-08-01..2023-09-01");
  EXPECT_EQ(Range("last weekend before April 10, 2023"), "0001-01-01..2023-04-10");
}

TEST(TimeReading, StaysWithinTheTimesThatThereAre) {
  EXPECT_EQ(Range("9999 years ago"), "none");
  EXPECT_EQ(Range("yesterday", kTimeMin), "none");
  EXPECT_EQ(Range("tomorrow", kTimeMax), "none");
  EXPECT_EQ(Range("today", kTimeMin), "0001-01-01..0001-01-02");
}

double Fit(std::string_view query, std::uint32_t day) {
  return TimeFit(ReadTimes(query, kNow), day);
}

TEST(TimeFit, ADayFitsTheTimesAroundIt) {
  EXPECT_EQ(Fit("on 3 May 2023", kMay3), 1);
  EXPECT_EQ(Fit("on 3 May", kMay3), 1);
  EXPECT_NEAR(Fit("on 3 May 2023", kMay3 + 7), .37, .01);
  EXPECT_NEAR(Fit("on 3 May 2023", kMay3 - 7), .37, .01);
  EXPECT_EQ(Fit("in May 2023", kMay3 - 2), 1);
  EXPECT_EQ(Fit("in April 2023", kMay3), .5);
  EXPECT_EQ(Fit("in December 2022", kMay3 - 31 - 30 - 31 - 28), .5);  // the next year's January
  EXPECT_EQ(Fit("in June 2023", kMay3), 0);
  EXPECT_EQ(Fit("in 2023", kMay3), 1);
  EXPECT_EQ(Fit("2023", kMay3), 1);
  EXPECT_EQ(Fit("in 2022", kMay3), 0);
  EXPECT_EQ(Fit("between May 2 and May 4", kMay3), 1);
  EXPECT_EQ(Fit("from 2 to 4 tables", kMay3), 0);
  EXPECT_EQ(Fit("before 3 May 2023", kMay3), 1) << "what is near the date that is named";
  EXPECT_LT(Fit("before 3 May 2023", kMay3 - 30), .1);
  EXPECT_EQ(TimeFit({}, kMay3), 0);
}

}  // namespace
}  // namespace perdure
