#include <gmock/gmock.h>

#include <set>
#include <string>

#include "server/api/api.h"

namespace perdure::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(MemorySearch, FindsWhatWasJustStored) {
  Api api;
  api.Store("Bread needs flour, water and salt.", {{"title", "Bread"}});
  const std::string id = api.Store("The deployment pipeline runs on Fridays.",
                                   {{"title", "Deployment"}, {"tags", {"ops"}}, {"theme", "work"}});
  const Json found = api.Must("memory_search", {{"query", "deployment pipeline"}});
  ASSERT_FALSE(found["results"].empty());
  const Json& hit = found["results"][0];
  EXPECT_EQ(hit["id"], id);
  EXPECT_EQ(hit["title"], "Deployment");
  EXPECT_EQ(hit["version"], 1);
  EXPECT_EQ(hit["state"], "live");
  EXPECT_EQ(hit["trust"], "inferred");
  EXPECT_EQ(hit["tags"], Json({"ops"}));
  EXPECT_THAT(hit["preview"].get<std::string>(), HasSubstr("pipeline"));
  EXPECT_GT(hit["score"], 0);
  EXPECT_LE(hit["score"], 1);
  EXPECT_EQ(found["nothing_relevant"], false);
  EXPECT_FALSE(hit.contains("explanation"));
}

TEST(MemorySearch, SaysWhichArmsRanAndThatOneIsAStandIn) {
  Api api;
  api.Store("text");
  const Json found = api.Must("memory_search", {{"query", "text"}, {"explain", true}});
  ASSERT_EQ(found["arms"].size(), 2);
  EXPECT_EQ(found["arms"][0]["name"], "lexical");
  EXPECT_EQ(found["arms"][0]["status"], "ok");
  EXPECT_GE(found["arms"][0]["indexed_seq"], api.engine()->Visible(kMainSpace).seq);
  EXPECT_EQ(found["arms"][1]["name"], "semantic");
  EXPECT_THAT(found["arms"][1].dump(), HasSubstr("the tests use none"));
  EXPECT_EQ(found["results"][0]["explanation"]["lexical_rank"], 1);
  EXPECT_TRUE(found.contains("timings"));
}

TEST(MemorySearch, SaysThatNothingIsRelevant) {
  Api api;
  EXPECT_EQ(api.Must("memory_search", {{"query", "anything"}})["nothing_relevant"], true);
}

TEST(MemorySearch, TakesWhatAnAgentMayWishFor) {
  Api api;
  const std::string fox = api.Store("The fox met a wolf.");
  api.Store("A bear slept.");
  const auto ids = [&](Json call) {
    const Json answer = api.Must("memory_search", call);
    std::vector<std::string> found;
    for (const Json& hit : answer["results"]) found.push_back(hit["id"]);
    return found;
  };
  EXPECT_EQ(ids({{"query", "fox hare"}, {"mode", "strict"}}), std::vector<std::string>{fox});
  EXPECT_EQ(ids({{"query", "lynx hare"}, {"mode", "strict"}}).size(), 0);
  EXPECT_EQ(ids({{"query", "fox"}, {"diverse", true}, {"prefer_recent", true}}).front(), fox);
  EXPECT_THAT(api.Call("memory_search", {{"query", "fox"}, {"mode", "loose"}}),
              FailsAt(Code::kInvalidArgument, "mode"));
  const Json missed = api.Must(
      "memory_search", {{"query", "fox cub"}, {"min_relevance", 1}, {"nearest_miss", true}});
  EXPECT_EQ(missed["nothing_relevant"], true);
  EXPECT_EQ(missed["results"], Json::array());
  EXPECT_EQ(missed["nearest_miss"]["id"], fox);
  EXPECT_EQ(missed["nearest_miss"]["relevance"], missed["relevance"]);
}

TEST(MemorySearch, HonoursScopeFilterLimitAndPast) {
  Api api;
  const Json first = api.Must("memory_store", {{"text", "apples are red"}, {"scope", "a"}});
  api.Store("apples are green", {{"scope", "b"}, {"tags", {"x"}}});
  const auto ids = [&](Json call) {
    call["query"] = "apples";
    std::vector<std::string> found;
    const Json answer = api.Must("memory_search", call);
    for (const Json& hit : answer["results"]) found.push_back(hit["id"]);
    return found;
  };
  EXPECT_EQ(ids(Json::object()).size(), 2);
  EXPECT_EQ(ids({{"limit", 1}}).size(), 1);
  EXPECT_EQ(ids({{"scope", "a"}}), std::vector<std::string>{first["id"]});
  EXPECT_EQ(ids({{"filter", {{"tag", "x"}}}}).size(), 1);
  EXPECT_EQ(ids({{"as_of", first["seq"]}}), std::vector<std::string>{first["id"]});
  EXPECT_EQ(ids({{"min_relevance", 1}}).size(), 0);
}

TEST(MemorySearch, RefusesWhatItDoesNotKnow) {
  Api api;
  EXPECT_THAT(api.Call("memory_search", {}), FailsAt(Code::kInvalidArgument, "query"));
  EXPECT_THAT(api.Call("memory_search", {{"query", "a"}, {"filter", {{"user", "ann"}}}}),
              FailsAt(Code::kInvalidArgument, "filter.user"));
  EXPECT_THAT(api.Call("memory_search", {{"query", "a"}, {"min_relevance", 1.5}}),
              FailsAt(Code::kInvalidArgument, "min_relevance"));
  EXPECT_THAT(api.Call("memory_search", {{"query", "a"}, {"limit", 101}}),
              FailsAt(Code::kInvalidArgument, "limit"));
  EXPECT_THAT(api.Call("memory_search", {{"query", "a"}, {"as_of", "no such snapshot"}}),
              FailsAt(Code::kInvalidArgument, "as_of"));
  EXPECT_THAT(api.Call("memory_search", {{"query", "a"}, {"top_k", 5}}),
              FailsAt(Code::kInvalidArgument, "top_k"));
}

TEST(MemorySearch, AndAListTakeTheSameFilterOfMetadata) {
  Api api;
  const std::string high = api.Store("apples", {{"metadata", {{"prio", 3}, {"team", "Core"}}}});
  const std::string low = api.Store("apples", {{"title", "t"}, {"metadata", {{"prio", 1}}}});
  const std::string none = api.Store("apples", {{"title", "u"}, {"source", "a book"}});
  const auto ids = [&](const char* operation, const char* member, const Json& filter) {
    Json call = {{"filter", filter}};
    if (operation == std::string("memory_search")) call["query"] = "apples";
    std::set<std::string> found;
    const Json answer = api.Must(operation, call);
    for (const Json& hit : answer[member]) found.insert(hit["id"].get<std::string>());
    return found;
  };
  const std::pair<Json, std::set<std::string>> cases[] = {
      {{{"metadata", {{"prio", {{"gte", 2}}}}}}, {high}},
      {{{"metadata", {{"prio", {{"exists", false}}}}}}, {none}},
      {{{"metadata", {{"not", {{"team", {{"icontains", "CORE"}}}}}}}}, {low, none}},
      {{{"metadata", {{"or", {{{"prio", 1}}, {{"team", "Core"}}}}}}}, {high, low}},
      {{{"source", "a book"}}, {none}}};
  for (const auto& [filter, expected] : cases) {
    EXPECT_EQ(ids("memory_search", "results", filter), expected) << filter;
    EXPECT_EQ(ids("memory_list", "memories", filter), expected) << filter;
  }
  const Json unknown = {{"metadata", {{"prio", {{"above", 2}}}}}};
  for (const char* operation : {"memory_search", "memory_list"}) {
    Json call = {{"filter", unknown}};
    if (operation == std::string("memory_search")) call["query"] = "apples";
    EXPECT_THAT(api.Call(operation, call),
                FailsAt(Code::kInvalidArgument, "filter.metadata.prio.above"));
  }
}

TEST(MemorySearch, OfThePastFiltersByMetadataAsItWasThen) {
  Api api;
  const std::string id = api.Store("apples", {{"metadata", {{"prio", 1}}}});
  const Json then = api.engine()->Visible(kMainSpace).seq;
  api.Must("memory_describe", {{"id", id}, {"metadata", {{"prio", 2}}}});
  const auto count = [&](int prio, const Json& as_of) {
    Json call = {{"query", "apples"}, {"filter", {{"metadata", {{"prio", prio}}}}}};
    if (!as_of.is_null()) call["as_of"] = as_of;
    return api.Must("memory_search", call)["results"].size();
  };
  EXPECT_EQ(count(1, then), 1);
  EXPECT_EQ(count(2, then), 0);
  EXPECT_EQ(count(1, nullptr), 0);
  EXPECT_EQ(count(2, nullptr), 1);
}

TEST(MemorySearch, SaysWhichTimeItReadAndKeepsToItWhenAsked) {
  Api api;
  const std::string july = api.Store("apples in july", {{"reference_time", "2026-07-20"}});
  api.Store("apples in june", {{"reference_time", "2026-06-20"}});
  Json call = {{"query", "apples last month"}, {"now", "2026-08-12T14:30:00Z"}};
  const Json open = api.Must("memory_search", call);
  EXPECT_EQ(open["results"].size(), 2);
  EXPECT_EQ(open["time_range"]["words"], "last month");
  EXPECT_EQ(open["time_range"]["from"], "2026-07-01T00:00:00.000000Z");
  EXPECT_EQ(open["time_range"]["until"], "2026-08-01T00:00:00.000000Z");
  EXPECT_GE(open["time_range"]["confidence"], .6);
  call["use_time_range"] = true;
  const Json kept = api.Must("memory_search", call);
  ASSERT_EQ(kept["results"].size(), 1);
  EXPECT_EQ(kept["results"][0]["id"], july);
  call["query"] = "apples";
  EXPECT_THAT(api.Call("memory_search", call), FailsAt(Code::kInvalidArgument, "use_time_range"));
  EXPECT_FALSE(api.Must("memory_search", {{"query", "apples"}}).contains("time_range"));
}

TEST(MemorySearch, TakesAnyTextForAQuery) {
  Api api;
  api.Store("text");
  for (const char* query : {"\"", "a AND", "NOT", "(((", "*", "a:b", "\\", "-", "~", "/", "?"}) {
    EXPECT_TRUE(api.Call("memory_search", {{"query", query}}).has_value()) << query;
  }
}

TEST(Indexes, TellTheirStateAndAreRebuilt) {
  Api api;
  const std::string id = api.Store("rebuild me");
  const Json rebuilt = api.Must("index_rebuild", {}, Operator());
  ASSERT_EQ(rebuilt["spaces"].size(), 1);
  EXPECT_EQ(rebuilt["spaces"][0]["space"], "main");
  const Json status = api.Must("index_status", {}, Auditor());
  EXPECT_EQ(status["spaces"][0]["log_seq"], api.engine()->Visible(kMainSpace).seq);
  EXPECT_EQ(api.Must("memory_search", {{"query", "rebuild"}})["results"][0]["id"], id);
}

}  // namespace
}  // namespace perdure::testing
