// Workspaces, links, records and forgetting by match, as callers ask for them.
#include <gmock/gmock.h>

#include "server/api/api.h"

namespace perdure::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ScopeList, ShowsTheTreeWithCountsAndAsItWas) {
  Api api;
  api.Must("container_create", {{"container", "acme/web"}, {"description", "The shop in Oslo"}});
  api.Store("one", {{"scope", "acme/web;user=ann"}});
  const Json before = api.Must("scope_list", {});
  ASSERT_EQ(before["containers"].size(), 2u);
  EXPECT_EQ(before["containers"][1]["container"], "acme/web");
  EXPECT_EQ(before["containers"][1]["kind"], "project");
  EXPECT_EQ(before["containers"][1]["memories"], 1);
  EXPECT_EQ(before["containers"][0]["total"], 1);
  EXPECT_EQ(before["users"][0]["name"], "ann");
  EXPECT_EQ(before["stores"][0]["name"], "default");
  api.Must("container_describe", {{"container", "acme"}, {"name", "apex"}}, Reviewer());
  EXPECT_EQ(api.Must("scope_list", {})["containers"][0]["container"], "apex");
  const Json then = api.Must("scope_list", {{"as_of", before["as_of_seq"]}});
  EXPECT_EQ(then["containers"], before["containers"]);
  EXPECT_EQ(api.Must("scope_list", {{"query", "shop OSLO"}})["containers"].size(), 1u);
  EXPECT_EQ(api.Must("scope_list", {{"query", "shop Bergen"}})["containers"].size(), 0u);
}

TEST(Containers, AreMovedAndDeletedByReviewers) {
  Api api;
  const std::string id = api.Store("one", {{"scope", "old/web"}});
  api.Must("container_create", {{"container", "new"}});
  EXPECT_THAT(api.Call("container_delete", {{"container", "old"}}, Reviewer()),
              FailsAt(Code::kConflict, "move_to"));
  api.Must("container_move", {{"container", "old/web"}, {"parent", "/"}}, Reviewer());
  EXPECT_EQ(api.Get(id)["scope"], "web");
  const Json deleted =
      api.Must("container_delete", {{"container", "web"}, {"move_to", "new"}}, Reviewer());
  EXPECT_EQ(deleted["moved"], 1);
  EXPECT_EQ(deleted["containers"], 1);
  EXPECT_EQ(api.Get(id)["scope"], "new");
  EXPECT_EQ(api.Must("memory_search", {{"query", "one"}, {"scope", "new"}})["results"].size(), 1u);
  EXPECT_EQ(api.Must("memory_search", {{"query", "one"}, {"scope", "web"}})["results"].size(), 0u);
}

TEST(ScopeExact, LeavesOutWhatLiesBelowInListsAndSearches) {
  Api api;
  api.Store("alpha above", {{"scope", "acme"}});
  api.Store("alpha below", {{"scope", "acme/web"}});
  const Json wide = {{"scope", "acme"}};
  const Json narrow = {{"scope", "acme"}, {"scope_exact", true}};
  EXPECT_EQ(api.Must("memory_list", wide)["total"], 2);
  EXPECT_EQ(api.Must("memory_list", narrow)["total"], 1);
  Json search = narrow;
  search["query"] = "alpha";
  EXPECT_EQ(api.Must("memory_search", search)["results"].size(), 1u);
}

TEST(Search, FollowsAMovedContainerNowAndThen) {
  Api api;
  const Json stored = api.Must("memory_store", {{"text", "alpha"}, {"scope", "old/web"}});
  api.Must("container_create", {{"container", "new"}});
  api.Must("container_move", {{"container", "old/web"}, {"parent", "new"}}, Reviewer());
  const auto found = [&](const char* scope, bool then) {
    Json search = {{"query", "alpha"}, {"scope", scope}};
    if (then) search["as_of"] = stored["seq"];
    return api.Must("memory_search", search)["results"].size();
  };
  EXPECT_EQ(found("new", false), 1u);
  EXPECT_EQ(found("old", false), 0u);
  EXPECT_EQ(found("old", true), 1u);
}

TEST(Links, AreListedFromEitherEndAndNeverShowWhatIsOutOfSight) {
  Api api;
  const std::string a = api.Store("a", {{"scope", "acme"}});
  const std::string b = api.Store("b", {{"scope", "acme/web"}});
  api.Must("link_add", {{"from", a}, {"to", b}, {"type", "about"}});
  EXPECT_EQ(api.Must("link_list", {{"id", b}})["links"][0]["from"], a);
  const Json seen = api.Must("link_list", {{"id", b}}, Agent("acme/web"));
  EXPECT_THAT(seen.dump(), Not(HasSubstr(a)));
  EXPECT_EQ(seen["links"].size(), 0u);
  api.Must("link_remove", {{"from", a}, {"to", b}, {"type", "about"}});
  EXPECT_EQ(api.Must("link_list", {{"id", a}})["links"].size(), 0u);
}

TEST(Records, AreCorrectedAndNotRewritten) {
  Api api;
  const std::string id =
      api.Store("at noon", {{"record", true}, {"class", "communication"}, {"store", "mail"}});
  const Json kept = api.Get(id);
  EXPECT_EQ(kept["record"], true);
  EXPECT_EQ(kept["class"], "communication");
  EXPECT_EQ(kept["store"], "mail");
  EXPECT_THAT(api.Call("memory_edit", {{"id", id}, {"append", "!"}}),
              FailsAt(Code::kConflict, "id"));
  const std::string by = api.Store("at one", {{"supersedes", id}});
  EXPECT_EQ(api.Get(id)["state"], "superseded");
  EXPECT_EQ(api.Get(id)["successor"], by);
  const Json in_store = {{"filter", {{"store", "mail"}, {"state", {"superseded"}}}}};
  EXPECT_EQ(api.Must("memory_list", in_store)["total"], 1);
}

TEST(ForgetMatching, CountsFirstAndThenDoesThat) {
  Api api;
  for (int i = 0; i < 3; ++i) api.Store("x" + std::to_string(i), {{"scope", ";run=7"}});
  Json call = {{"scope", ";run=7"}, {"dry_run", true}};
  EXPECT_EQ(api.Must("memory_forget_matching", call, Reviewer())["forgotten"], 3);
  call.erase("dry_run");
  EXPECT_EQ(api.Must("memory_forget_matching", call, Reviewer())["forgotten"], 3);
  EXPECT_EQ(api.Must("memory_erase_matching", call, Operator())["erased"], 3);
  EXPECT_THAT(api.Call("memory_forget_matching", {}, Reviewer()),
              FailsAt(Code::kInvalidArgument, "scope"));
}

}  // namespace
}  // namespace perdure::testing
