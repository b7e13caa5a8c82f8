#include "server/api/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/base/limits.h"
#include "support/status_matchers.h"

namespace perdure {
namespace {

using Json = nlohmann::json;
using ::perdure::testing::FailsWith;
using ::perdure::testing::IsOk;
using ::testing::AllOf;
using ::testing::HasSubstr;

Json Schema() {
  return Json::parse(R"({
    "type": "object",
    "properties": {
      "query": {"type": "string", "maxLength": 8, "examples": ["tea"]},
      "limit": {"type": "integer", "minimum": 1, "maximum": 100, "examples": [10]},
      "weight": {"type": "number", "minimum": 0, "maximum": 1},
      "pinned": {"type": "boolean"},
      "tags": {"type": "array", "maxItems": 3, "items": {"type": "string"}},
      "ids": {"type": "array", "minItems": 1, "items": {"type": "integer"}},
      "state": {"type": "string", "enum": ["live", "archived"]},
      "filter": {"type": "object", "properties": {
        "tag": {"type": "string"}, "after": {"type": "string"}, "depth": {"type": "integer"}}},
      "metadata": {"type": "object"},
      "memories": {"type": "array", "items": {"type": "object", "required": ["text"],
        "properties": {"text": {"type": "string"}}}},
      "new_text": {"type": "string", "x-keep-empty": true},
      "mode": {"type": "string", "default": "fast"}
    },
    "required": ["query"]
  })");
}

// The value of one argument beside the required query, or its error.
Result<Json> Read(const std::string& name, Json value) {
  Json sent = {{"query", "tea"}};
  sent[name] = std::move(value);
  auto read = ReadArguments(Schema(), sent);
  if (!read) return std::unexpected(read.error());
  return read->contains(name) ? (*read)[name] : Json("(absent)");
}

TEST(ReadArgumentsTest, ArgumentsOfTheRightTypesComeBackAsTheyAre) {
  const Json sent = {{"query", "tea"},
                     {"limit", 5},
                     {"weight", 0.5},
                     {"pinned", true},
                     {"tags", {"a", "b"}},
                     {"state", "live"},
                     {"mode", "slow"},
                     {"filter", {{"tag", "a"}}},
                     {"metadata", {{"deep", {{"null", nullptr}, {"empty", ""}}}}}};
  EXPECT_EQ(ReadArguments(Schema(), sent).value(), sent);
}

TEST(ReadArgumentsTest, AbsentNullAndEmptyOptionalArgumentsAreTheSame) {
  for (const Json& nothing : {Json(nullptr), Json(""), Json::array(), Json::object()}) {
    for (const char* name : {"limit", "tags", "filter", "state", "metadata", "pinned"}) {
      EXPECT_EQ(Read(name, nothing).value(), "(absent)") << name << " " << nothing;
    }
  }
  EXPECT_EQ(Read("limit", 7).value(), 7);
}

TEST(ReadArgumentsTest, EmptyTextStandsWhereTheSchemaKeepsIt) {
  EXPECT_EQ(Read("new_text", "").value(), "");
  EXPECT_EQ(Read("new_text", nullptr).value(), "(absent)");
}

TEST(ReadArgumentsTest, DefaultsFillWhatIsAbsent) {
  EXPECT_EQ(Read("mode", nullptr).value(), "fast");
  EXPECT_EQ(Read("mode", "slow").value(), "slow");
}

TEST(ReadArgumentsTest, WholeFloatsAndNumericTextServeAsIntegers) {
  for (const Json& three : {Json(3), Json(3.0), Json("3"), Json("3.0"), Json("3e0")}) {
    const Json read = Read("limit", three).value();
    EXPECT_EQ(read, 3) << three;
    EXPECT_TRUE(read.is_number_integer()) << three;
  }
  for (const Json& other : {Json(3.5), Json("3.5"), Json("three"), Json("3 "), Json(" 3"),
                            Json("0x3"), Json(1e300), Json("nan"), Json(true)}) {
    EXPECT_THAT(Read("limit", other), FailsWith(Code::kInvalidArgument, HasSubstr("limit")))
        << other;
  }
}

TEST(ReadArgumentsTest, IntegersBeyondSixtyFourBitsAreRefused) {
  EXPECT_EQ(Read("ids", Json::array({9223372036854775807})).value()[0], 9223372036854775807);
  EXPECT_THAT(Read("ids", Json::array({9223372036854775808U})),
              FailsWith(Code::kInvalidArgument, HasSubstr("ids[0]")));
}

TEST(ReadArgumentsTest, NumericTextServesAsNumberAndWordsAsBoolean) {
  EXPECT_EQ(Read("weight", "0.25").value(), 0.25);
  EXPECT_EQ(Read("pinned", "TRUE").value(), true);
  EXPECT_EQ(Read("pinned", "false").value(), false);
  EXPECT_THAT(Read("pinned", "yes"),
              FailsWith(Code::kInvalidArgument, HasSubstr("true or false, but was \"yes\"")));
  EXPECT_THAT(Read("pinned", 1), FailsWith(Code::kInvalidArgument, HasSubstr("pinned")));
}

TEST(ReadArgumentsTest, NumbersAndBooleansServeAsText) {
  EXPECT_EQ(ReadArguments(Schema(), {{"query", 2024}}).value()["query"], "2024");
  EXPECT_EQ(ReadArguments(Schema(), {{"query", true}}).value()["query"], "true");
  EXPECT_THAT(ReadArguments(Schema(), {{"query", {"a"}}}),
              FailsWith(Code::kInvalidArgument, HasSubstr("must be text")));
}

TEST(ReadArgumentsTest, ArraysAndObjectsSentAsTextAreRead) {
  EXPECT_EQ(Read("tags", R"(["a","b"])").value(), Json({"a", "b"}));
  EXPECT_EQ(Read("filter", R"({"tag":"a"})").value(), Json({{"tag", "a"}}));
  EXPECT_EQ(Read("metadata", R"({"k":[1]})").value(), Json({{"k", {1}}}));
  EXPECT_EQ(ReadArguments(Schema(), R"({"query":"tea"})").value()["query"], "tea");
  EXPECT_THAT(Read("filter", "tag=a"), FailsWith(Code::kInvalidArgument, HasSubstr("object")));
}

TEST(ReadArgumentsTest, ASingleValueServesAsAnArrayOfOne) {
  EXPECT_EQ(Read("tags", "a").value(), Json::array({"a"}));
  EXPECT_EQ(Read("tags", "[not json").value(), Json::array({"[not json"}));
  EXPECT_EQ(Read("ids", "7").value(), Json::array({7}));
  EXPECT_THAT(Read("memories", "text"), FailsWith(Code::kInvalidArgument, HasSubstr("array")));
}

TEST(ReadArgumentsTest, UnknownNamesAreRefusedWithThoseThatAreKnown) {
  EXPECT_THAT(Read("colour", 1),
              FailsWith(Code::kInvalidArgument,
                        AllOf(HasSubstr("\"colour\" is not a known argument"),
                              HasSubstr("limit, memories, metadata"), HasSubstr("Example: {"))));
  const auto nested = Read("filter", {{"tagg", "a"}});
  EXPECT_THAT(nested, FailsWith(Code::kInvalidArgument, HasSubstr("after, depth, tag")));
  EXPECT_EQ(nested.error().field, "filter.tagg");
  EXPECT_THAT(Read("filter", {{"tag", "a"}}), IsOk());
}

TEST(ReadArgumentsTest, UnknownNamesAreRefusedEvenWhenTheySayNothing) {
  EXPECT_THAT(Read("colour", nullptr), FailsWith(Code::kInvalidArgument, HasSubstr("colour")));
}

TEST(ReadArgumentsTest, RequiredArgumentsMustBeThereAndSaySomething) {
  EXPECT_THAT(ReadArguments(Schema(), Json::object()),
              FailsWith(Code::kInvalidArgument,
                        HasSubstr("\"query\" is required. Example: {\"query\":\"tea\"}")));
  EXPECT_THAT(ReadArguments(Schema(), nullptr),
              FailsWith(Code::kInvalidArgument, HasSubstr("query")));
  EXPECT_THAT(ReadArguments(Schema(), {{"query", ""}}),
              FailsWith(Code::kInvalidArgument, HasSubstr("must not be empty")));
}

TEST(ReadArgumentsTest, ElementsOfArraysAreNamedByTheirPlace) {
  const auto read = Read("memories", {{{"text", "one"}}, {{"title", "two"}}});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().field, "memories[1].title");
  EXPECT_EQ(Read("memories", {{{"text", "one"}}}).value()[0]["text"], "one");
  EXPECT_THAT(Read("ids", {1, "x"}),
              FailsWith(Code::kInvalidArgument, HasSubstr("Example: {\"ids\":[1]}")));
}

TEST(ReadArgumentsTest, EveryErrorNamesFieldProblemAndExample) {
  const auto read = Read("limit", "ten");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().field, "limit");
  EXPECT_EQ(read.error().message,
            "\"limit\" must be a whole number from 1 to 100, but was \"ten\". "
            "Example: {\"limit\":10}");
}

TEST(ReadArgumentsTest, BoundsHoldAtTheirEdges) {
  EXPECT_THAT(Read("limit", 0), FailsWith(Code::kInvalidArgument, HasSubstr("from 1 to 100")));
  EXPECT_THAT(Read("limit", 1), IsOk());
  EXPECT_THAT(Read("limit", 100), IsOk());
  EXPECT_THAT(Read("limit", 101), FailsWith(Code::kInvalidArgument, HasSubstr("was 101")));
  EXPECT_THAT(Read("weight", 1.0), IsOk());
  EXPECT_THAT(Read("weight", 1.0001), FailsWith(Code::kInvalidArgument, HasSubstr("weight")));
  EXPECT_THAT(ReadArguments(Schema(), {{"query", "12345678"}}), IsOk());
  EXPECT_THAT(ReadArguments(Schema(), {{"query", "123456789"}}),
              FailsWith(Code::kTooLarge, HasSubstr("at most 8 bytes, but had 9")));
  EXPECT_THAT(Read("tags", {"a", "b", "c"}), IsOk());
  EXPECT_THAT(Read("tags", {"a", "b", "c", "d"}),
              FailsWith(Code::kTooLarge, HasSubstr("at most 3 elements, but had 4")));
}

TEST(ReadArgumentsTest, ChoicesAreListed) {
  EXPECT_THAT(
      Read("state", "gone"),
      FailsWith(Code::kInvalidArgument, HasSubstr("one of live, archived, but was \"gone\"")));
}

TEST(ReadArgumentsTest, LongValuesAreCutInMessages) {
  const auto read = Read("limit", std::string(10'000, 'x'));
  ASSERT_FALSE(read);
  EXPECT_LT(read.error().message.size(), 300U);
}

TEST(ReadArgumentsTest, WhatIsNoObjectIsRefused) {
  for (const Json& other : {Json(1), Json("tea"), Json::array({1}), Json(true)}) {
    EXPECT_THAT(ReadArguments(Schema(), other),
                FailsWith(Code::kInvalidArgument, HasSubstr("must be an object")));
  }
}

}  // namespace
}  // namespace perdure
