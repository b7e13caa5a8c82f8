#include "index/text/marks.h"

#include <gtest/gtest.h>

namespace perdure {
namespace {

TEST(Marks, AQuestionEndsWithItsMark) {
  for (const char* text :
       {"Anything new?", "\"Really?\"", "what?  \n", "(no?)", "何ですか？", "متى؟"}) {
    EXPECT_TRUE(EndsWithQuestion(text)) << text;
  }
  for (const char* text : {"", "?!", "Why? Because.", "?\xFF", "no"}) {
    EXPECT_FALSE(EndsWithQuestion(text)) << text;
  }
}

TEST(Marks, ATimeIsAYearAMonthOrAWordLikeYesterday) {
  for (const char* text :
       {"back in 2021", "Since Monday!", "two weeks ago", "MARCH", "yesterday"}) {
    EXPECT_TRUE(SaysWhen(Tokenize(text))) << text;
  }
  for (const char* text : {"", "20210", "2120", "dayton", "2 dogs"}) {
    EXPECT_FALSE(SaysWhen(Tokenize(text))) << text;
  }
}

TEST(Marks, AQuestionForATimeBeginsWithIt) {
  for (const char* query :
       {"When did it rain?", "since when", "How long is it?", "What year was it", "which day?"}) {
    EXPECT_TRUE(AsksWhen(query)) << query;
  }
  for (const char* query : {"", "Tell me when", "What happened on that day?", "how come"}) {
    EXPECT_FALSE(AsksWhen(query)) << query;
  }
}

}  // namespace
}  // namespace perdure
