#include "index/search/dates_in_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perdure {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint32_t kMay3 = 19480;  // 2023-05-03

TEST(DatesInQueryTest, AreDaysMonthsAndYears) {
  const DateInQuery day{2023, 5, 3};
  for (const char* query : {"What happened on 3 May, 2023?", "on May 3, 2023",
                            "the 3rd of May 2023", "may 3rd 2023", "2023-05-03?"}) {
    EXPECT_THAT(DatesInQuery(query), ElementsAre(day)) << query;
  }
  EXPECT_THAT(DatesInQuery("in August"), ElementsAre(DateInQuery{0, 8, 0}));
  EXPECT_THAT(DatesInQuery("in May 2023"), ElementsAre(DateInQuery{2023, 5, 0}));
  EXPECT_THAT(DatesInQuery("back in 2021"), ElementsAre(DateInQuery{2021, 0, 0}));
  EXPECT_THAT(DatesInQuery("between June 2 and July 4"),
              ElementsAre(DateInQuery{0, 6, 2}, DateInQuery{0, 7, 4}));
}

TEST(DatesInQueryTest, WordsAndNumbersAloneAreNone) {
  for (const char* query : {"", "may I come?", "a long march", "12 apples", "room 2500", "of"}) {
    EXPECT_THAT(DatesInQuery(query), IsEmpty()) << query;
  }
}

TEST(DatesInQueryTest, ADayFitsTheDatesAroundIt) {
  const auto fit = [](DateInQuery date, std::uint32_t day) {
    return DateFit(std::vector<DateInQuery>{date}, day);
  };
  EXPECT_EQ(fit({2023, 5, 3}, kMay3), 1);
  EXPECT_EQ(fit({0, 5, 3}, kMay3), 1);
  EXPECT_NEAR(fit({2023, 5, 3}, kMay3 + 7), .37, .01);
  EXPECT_NEAR(fit({2023, 5, 3}, kMay3 - 7), .37, .01);
  EXPECT_EQ(fit({2023, 5, 0}, kMay3 - 2), 1);
  EXPECT_EQ(fit({2023, 4, 0}, kMay3), .5);
  EXPECT_EQ(fit({2022, 12, 0}, kMay3 - 31 - 30 - 31 - 28), .5);  // the next year's January
  EXPECT_EQ(fit({2023, 6, 0}, kMay3), 0);
  EXPECT_EQ(fit({2023, 0, 0}, kMay3), 1);
  EXPECT_EQ(fit({2022, 0, 0}, kMay3), 0);
  EXPECT_EQ(fit({2023, 2, 31}, kMay3), 0);
  EXPECT_EQ(DateFit({}, kMay3), 0);
}

}  // namespace
}  // namespace perdure
