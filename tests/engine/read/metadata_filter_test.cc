#include "engine/read/metadata_filter.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/front_limits.h"
#include "support/status_matchers.h"

namespace perdure {
namespace {

using Json = nlohmann::json;
using testing::IsOk;

const Json kMetadata = Json::parse(R"({
  "team": "Core", "priority": 3, "ratio": 0.5, "done": false, "owner": null,
  "tags": ["red", "Blue", 7], "build": {"os": "linux", "cores": 8}, "a.b": 1,
  "day": "2024-05-03"})");

bool Holds(const std::string& expression) {
  const auto filter = MetadataFilter::Parse(expression, "filter.metadata");
  EXPECT_THAT(filter, IsOk()) << expression;
  return filter && filter->Matches(kMetadata);
}

TEST(MetadataFilter, EachOfElevenOperatorsHoldsAndDoesNot) {
  struct Pair {
    const char* holds;
    const char* does_not;
  };
  for (const auto& [holds, does_not] :
       {Pair{R"({"team":{"eq":"Core"}})", R"({"team":{"eq":"core"}})"},
        Pair{R"({"priority":3})", R"({"priority":"3"})"},
        Pair{R"({"priority":3.0})", R"({"priority":true})"},
        Pair{R"({"owner":null})", R"({"team":null})"},
        Pair{R"({"team":{"ne":"x"}})", R"({"team":{"ne":"Core"}})"},
        Pair{R"({"missing":{"ne":"x"}})", R"({"priority":{"ne":3}})"},
        Pair{R"({"priority":{"gt":2}})", R"({"priority":{"gt":3}})"},
        Pair{R"({"priority":{"gte":3}})", R"({"priority":{"gte":3.5}})"},
        Pair{R"({"ratio":{"lt":1}})", R"({"ratio":{"lt":0.5}})"},
        Pair{R"({"day":{"lte":"2024-05-03"}})", R"({"day":{"lte":"2024-05-02"}})"},
        Pair{R"({"day":{"gt":"2024"}})", R"({"day":{"gt":2024}})"},
        Pair{R"({"team":{"in":["x","Core"]}})", R"({"team":{"in":["x"]}})"},
        Pair{R"({"team":{"nin":["x"]}})", R"({"team":{"nin":["Core"]}})"},
        Pair{R"({"missing":{"nin":["x"]}})", R"({"missing":{"in":["x"]}})"},
        Pair{R"({"team":{"contains":"or"}})", R"({"team":{"contains":"OR"}})"},
        Pair{R"({"tags":{"contains":7}})", R"({"tags":{"contains":"blue"}})"},
        Pair{R"({"team":{"icontains":"CORE"}})", R"({"priority":{"icontains":"3"}})"},
        Pair{R"({"tags":{"icontains":"blue"}})", R"({"tags":{"icontains":"green"}})"},
        Pair{R"({"owner":{"exists":true}})", R"({"owner":{"exists":false}})"},
        Pair{R"({"missing":{"exists":false}})", R"({"missing":{"exists":true}})"}}) {
    EXPECT_TRUE(Holds(holds)) << holds;
    EXPECT_FALSE(Holds(does_not)) << does_not;
  }
}

TEST(MetadataFilter, PathsLeadIntoObjectsAndWholeNamesComeFirst) {
  EXPECT_TRUE(Holds(R"({"build.os":"linux"})"));
  EXPECT_TRUE(Holds(R"({"a.b":1})"));
  EXPECT_FALSE(Holds(R"({"build.os.name":"linux"})"));
  EXPECT_TRUE(Holds(R"({"tags.0":{"exists":false}})"));
}

TEST(MetadataFilter, AndOrNotCombine) {
  EXPECT_TRUE(Holds(R"({"team":"Core","priority":{"gt":1,"lt":5}})"));
  EXPECT_FALSE(Holds(R"({"team":"Core","priority":{"gt":1,"lt":3}})"));
  EXPECT_TRUE(Holds(R"({"or":[{"team":"x"},{"priority":3}]})"));
  EXPECT_FALSE(Holds(R"({"and":[{"team":"x"},{"priority":3}]})"));
  EXPECT_TRUE(Holds(R"({"not":{"team":"x"}})"));
  EXPECT_FALSE(Holds(R"({"not":{"or":[{"team":"Core"},{"team":"x"}]}})"));
}

TEST(MetadataFilter, MemoriesWithoutMetadataAreAsIfTheirsWereEmpty) {
  const auto filter = MetadataFilter::Parse(R"({"team":{"exists":false}})", "m");
  ASSERT_THAT(filter, IsOk());
  EXPECT_TRUE(filter->Matches(*ParseMetadata("")));
  EXPECT_FALSE(filter->Matches(*ParseMetadata(R"({"team":1})")));
  EXPECT_TRUE(MetadataFilter().Matches(*ParseMetadata("")));
}

TEST(MetadataFilter, WhatIsNoneIsRefusedByName) {
  struct Refused {
    const char* expression;
    const char* field;
  };
  for (const auto& [expression, field] :
       {Refused{R"({"priority":{"above":3}})", "f.priority.above"},
        Refused{R"({"priority":{"gte":[3]}})", "f.priority.gte"},
        Refused{R"({"priority":{"gt":true}})", "f.priority.gt"},
        Refused{R"({"team":{"in":"Core"}})", "f.team.in"},
        Refused{R"({"team":{"in":[{}]}})", "f.team.in"},
        Refused{R"({"team":{"exists":1}})", "f.team.exists"},
        Refused{R"({"team":{"icontains":1}})", "f.team.icontains"},
        Refused{R"({"team":["Core"]})", "f.team"}, Refused{R"({"team":{}})", "f.team"},
        Refused{R"({"or":{"team":"Core"}})", "f.or"}, Refused{R"({"or":[]})", "f.or"},
        Refused{R"({"or":[{"team":{"is":1}}]})", "f.or[0].team.is"},
        Refused{R"({"not":[]})", "f.not"}, Refused{"{}", "f"}, Refused{"[]", "f"},
        Refused{"{", "f"}}) {
    const auto parsed = MetadataFilter::Parse(expression, "f");
    ASSERT_FALSE(parsed) << expression;
    EXPECT_EQ(parsed.error().code, Code::kInvalidArgument) << expression;
    EXPECT_EQ(parsed.error().field, field) << expression;
  }
}

std::string Nested(std::size_t levels) {
  std::string expression = R"({"a":1})";
  for (std::size_t i = 1; i < levels; ++i) expression = R"({"not":)" + expression + "}";
  return expression;
}

std::string OneOf(std::size_t values) {
  std::string expression = R"({"a":{"in":[0)";
  for (std::size_t i = 1; i < values; ++i) expression += ',' + std::to_string(i);
  return expression + "]}}";
}

TEST(MetadataFilter, KeepsToItsLimits) {
  using limits::kFilterDepthMax;
  using limits::kFilterTermsMax;
  EXPECT_THAT(MetadataFilter::Parse(Nested(kFilterDepthMax - 1), "f"), IsOk());
  EXPECT_THAT(MetadataFilter::Parse(Nested(kFilterDepthMax), "f"), IsOk());
  EXPECT_EQ(MetadataFilter::Parse(Nested(kFilterDepthMax + 1), "f").error().code, Code::kTooLarge);
  EXPECT_THAT(MetadataFilter::Parse(OneOf(kFilterTermsMax - 1), "f"), IsOk());
  EXPECT_THAT(MetadataFilter::Parse(OneOf(kFilterTermsMax), "f"), IsOk());
  EXPECT_EQ(MetadataFilter::Parse(OneOf(kFilterTermsMax + 1), "f").error().code, Code::kTooLarge);
}

TEST(MetadataFilter, EqualFiltersHaveEqualTexts) {
  EXPECT_EQ(MetadataFilter::Parse(R"({"a": 1, "b": 2})", "f")->text(),
            MetadataFilter::Parse(R"({"b":2,"a":1})", "f")->text());
}

}  // namespace
}  // namespace perdure
