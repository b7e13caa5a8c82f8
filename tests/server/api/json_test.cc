#include "server/api/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "support/status_matchers.h"

namespace perdure {
namespace {

using Json = nlohmann::json;
using ::perdure::testing::FailsWith;
using ::perdure::testing::IsOk;
using ::testing::HasSubstr;

std::string Nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(ParseJsonTest, DepthHoldsAtItsEdge) {
  EXPECT_THAT(ParseJson(Nested(limits::kJsonDepthMax - 1)), IsOk());
  EXPECT_THAT(ParseJson(Nested(limits::kJsonDepthMax)), IsOk());
  EXPECT_THAT(ParseJson(Nested(limits::kJsonDepthMax + 1)),
              FailsWith(Code::kInvalidArgument, HasSubstr("deeper than 64")));
  EXPECT_THAT(ParseJson(Nested(1'000'000)), FailsWith(Code::kInvalidArgument, HasSubstr("deeper")));
}

TEST(ParseJsonTest, BracketsInTextAreNoDepth) {
  EXPECT_EQ(ParseJson("\"" + std::string(1000, '[') + "\"").value(), std::string(1000, '['));
}

TEST(ParseJsonTest, AMemberNamedTwiceIsRefused) {
  EXPECT_THAT(ParseJson(R"({"a":1,"b":{"a":2}})"), IsOk());
  EXPECT_THAT(ParseJson(R"({"a":1,"b":2,"a":3})"),
              FailsWith(Code::kInvalidArgument, HasSubstr("\"a\" occurs twice")));
  EXPECT_THAT(ParseJson("{\"a\":1,\"\\u0061\":3}"),
              FailsWith(Code::kInvalidArgument, HasSubstr("twice")));
}

TEST(ParseJsonTest, WhatIsNotJsonIsRefusedWithItsPlace) {
  for (const char* text : {"", " ", "{", "[1,]", "nul", "{} {}", "{'a':1}", "NaN", "\"\x01\"",
                           "[1e999]", "// no\n1"}) {
    EXPECT_THAT(ParseJson(text),
                FailsWith(Code::kInvalidArgument, HasSubstr("not acceptable JSON")))
        << text;
  }
  EXPECT_THAT(ParseJson("[1, x]"), FailsWith(Code::kInvalidArgument, HasSubstr("at byte 4")));
}

TEST(ParseJsonTest, BytesThatAreNotUtf8AreRefused) {
  EXPECT_THAT(ParseJson("\"caf\xc3\xa9\""), IsOk());
  EXPECT_THAT(ParseJson("\"caf\xe9\""), FailsWith(Code::kInvalidArgument, HasSubstr("UTF-8")));
  EXPECT_THAT(ParseJson("\"\\ud800\""), FailsWith(Code::kInvalidArgument, HasSubstr("surrogate")));
}

TEST(ParseJsonTest, NulIsText) {
  EXPECT_EQ(ParseJson("\"a\\u0000b\"").value(), std::string("a\0b", 3));
}

Json RandomValue(std::mt19937& random, int depth) {
  switch (random() % (depth > 0 ? 7 : 5)) {
    case 0:
      return nullptr;
    case 1:
      return random() % 2 == 0;
    case 2:
      return static_cast<std::int64_t>(random()) - 1'000'000'000;
    case 3:
      return static_cast<double>(random()) / 7.0;
    case 4:
      return std::string(random() % 5, static_cast<char>('a' + random() % 26));
    case 5: {
      Json array = Json::array();
      for (auto left = random() % 4; left > 0; --left) {
        array.push_back(RandomValue(random, depth - 1));
      }
      return array;
    }
    default: {
      Json object = Json::object();
      for (auto left = random() % 4; left > 0; --left) {
        object["k" + std::to_string(left)] = RandomValue(random, depth - 1);
      }
      return object;
    }
  }
}

TEST(ParseJsonTest, ReadsWhatALibraryWouldRead) {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = RandomValue(random, 5).dump();
    EXPECT_EQ(ParseJson(text).value(), Json::parse(text)) << text;
  }
}

TEST(DumpJsonTest, BytesThatAreNotUtf8BecomeReplacementCharacters) {
  EXPECT_EQ(DumpJson("caf\xe9"), "\"caf\xef\xbf\xbd\"");
  EXPECT_EQ(DumpJson(Json{{"b", 1}, {"a", 2}}), R"({"a":2,"b":1})");
}

}  // namespace
}  // namespace perdure
