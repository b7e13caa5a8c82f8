#include <gmock/gmock.h>

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
