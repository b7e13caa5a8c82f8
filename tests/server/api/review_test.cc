// What a reviewer sees and decides, through the catalogue.
#include <gmock/gmock.h>

#include <string>

#include "server/api/api.h"

namespace perdure::testing {
namespace {

using ::testing::HasSubstr;

Json Claim(const std::string& object, Json more = Json::object()) {
  more["subject"] = "Alice";
  more["predicate"] = "drinks";
  more["object"] = object;
  return more;
}

Json Propose(Api& api, const std::string& object, Json more = Json::object()) {
  more["kind"] = "fact";
  return api.Must("candidate_propose", Claim(object, std::move(more)));
}

Json Decide(Api& api, const Json& id, const char* decision, Json more = Json::object()) {
  more["id"] = id;
  more["decision"] = decision;
  return api.Must("review_decide", more, Reviewer());
}

std::string Standing(Api& api) {
  const Json answer = api.Must("fact_about", {{"subject", "alice"}, {"predicate", "drinks"}});
  return answer["facts"].empty() ? "" : answer["facts"][0]["object"].get<std::string>();
}

TEST(ReviewList, ShowsACandidateBesideTheValueInItsPlace) {
  Api api;
  const Json milk = api.Must("fact_assert", Claim("milk"));
  const Json tea = Propose(api, "tea");
  const Json note = api.Must("candidate_propose", {{"text", "perhaps"}});
  const Json queue = api.Must("review_list", {}, Reviewer());
  ASSERT_EQ(queue["total"], 2);
  EXPECT_EQ(queue["items"][0]["memory"]["id"], tea["id"]);
  EXPECT_EQ(queue["items"][0]["memory"]["state"], "pending");
  EXPECT_EQ(queue["items"][0]["rival"]["id"], milk["id"]);
  EXPECT_EQ(queue["items"][1]["memory"]["id"], note["id"]);
  EXPECT_EQ(queue["items"][1]["memory"]["text"], "perhaps");
  const Json first = api.Must("review_list", {{"limit", 1}}, Auditor());
  EXPECT_EQ(first["total"], 2);
  EXPECT_EQ(first["items"].size(), 1);
}

TEST(ReviewList, IsNotForAgentsAndKeepsToTheScope) {
  Api api;
  api.Must("candidate_propose", {{"text", "perhaps"}, {"scope", "a"}});
  EXPECT_THAT(api.Call("review_list", {}), FailsWith(Code::kForbidden, HasSubstr("")));
  const auto total = [&](const char* scope) {
    return api.Must("review_list", {}, CallerWith(Caller::kReviewer, scope))["total"].get<int>();
  };
  EXPECT_EQ(total("a"), 1);
  EXPECT_EQ(total("b"), 0);
}

TEST(ReviewList, HasAChallengeAsCandidateAndAsDispute) {
  Api api;
  const Json milk = api.Must("fact_assert", Claim("milk"));
  api.Must("memory_pin", {{"id", milk["id"]}}, Reviewer());
  const Json tea = api.Must("fact_assert", Claim("tea"));
  EXPECT_EQ(tea["outcome"], "candidate");
  EXPECT_EQ(tea["gate"], "conflict");
  EXPECT_EQ(tea["rule"], "challenge");
  EXPECT_THAT(tea["reason"].get<std::string>(), HasSubstr("reviewer"));
  EXPECT_EQ(api.Must("review_list", {}, Reviewer())["items"][0]["because"], "challenge");
  const Json disputes = api.Must("review_list", {{"queue", "disputes"}}, Reviewer());
  ASSERT_EQ(disputes["total"], 1);
  EXPECT_EQ(disputes["items"][0]["memory"]["id"], milk["id"]);
  const Json disputed = api.Get(milk["id"]);
  EXPECT_EQ(disputed["state"], "disputed");
  EXPECT_EQ(disputed["dispute"], "challenged");
  EXPECT_EQ(disputed["standing"], true);
  const Json asked = {{"filter", {{"state", "disputed"}}}};
  EXPECT_EQ(api.Must("memory_list", asked)["total"], 1);
  EXPECT_EQ(api.Must("memory_list", {})["total"], 1);
  Json search = asked;
  search["query"] = "milk";
  const Json found = api.Must("memory_search", search);
  ASSERT_EQ(found["results"].size(), 1);
  EXPECT_EQ(found["results"][0]["state"], "disputed");
  EXPECT_EQ(found["results"][0]["object"], "milk");
  EXPECT_EQ(Standing(api), "milk");
}

TEST(ReviewList, HasRefusalsWorthALook) {
  Api api;
  const Json milk = api.Must("fact_assert", Claim("milk"));
  api.Must("fact_assert", Claim("tea"));
  const Json refused = api.Must("fact_assert", Claim("milk"));
  const Json refusals = api.Must("review_list", {{"queue", "refusals"}}, Reviewer());
  ASSERT_EQ(refusals["total"], 1);
  EXPECT_EQ(refusals["items"][0]["refusal"]["seq"], refused["seq"]);
  EXPECT_EQ(refusals["items"][0]["because"], "stale_evidence");
  EXPECT_EQ(refusals["items"][0]["rival"]["id"], milk["id"]);
}

TEST(ReviewDecide, AnApprovalLetsTheCandidateInAndFadesItsRivals) {
  Api api;
  const Json milk = api.Must("fact_assert", Claim("milk"));
  const Json tea = Propose(api, "tea");
  const Json approved = Decide(api, tea["id"], "approve");
  EXPECT_EQ(approved["outcome"], "approved");
  EXPECT_EQ(approved["id"], tea["id"]);
  EXPECT_EQ(approved["faded"], Json({milk["id"]}));
  EXPECT_EQ(Standing(api), "tea");
  EXPECT_EQ(api.Must("review_list", {}, Reviewer())["total"], 0);
}

TEST(ReviewDecide, LetsInWhatTheReviewerMadeOfIt) {
  Api api;
  const Json tea = Propose(api, "tea");
  const Json edited = Decide(api, tea["id"], "approve", {{"object", "green tea"}});
  EXPECT_EQ(edited["version"], 2);
  EXPECT_EQ(Standing(api), "green tea");
  const Json note = api.Must("candidate_propose", {{"text", "perhaps"}});
  Decide(api, note["id"], "approve", {{"text", "surely"}});
  EXPECT_EQ(api.Get(note["id"])["text"], "surely");
}

TEST(ReviewDecide, ARejectedValueStaysOutAndTheRefusalNamesTheSuppression) {
  Api api;
  const Json tea = Propose(api, "tea");
  const Json rejected = Decide(api, tea["id"], "reject", {{"reason", "she hates it"}});
  EXPECT_EQ(rejected["outcome"], "rejected");
  EXPECT_GT(rejected["suppression"], 0);
  const Json again = api.Must("fact_assert", Claim("TEA"));
  EXPECT_EQ(again["outcome"], "refused");
  EXPECT_EQ(again["gate"], "suppression");
  EXPECT_EQ(again["rule"], "suppressed");
  EXPECT_EQ(again["suppression"], rejected["suppression"]);
  EXPECT_THAT(api.Call("memory_store", {{"text", "Alice drinks tea"}}),
              FailsWith(Code::kRefused, HasSubstr("rejected")));
  EXPECT_EQ(Propose(api, "tea")["rule"], "suppressed");
}

TEST(ReviewDecide, AnApprovalPassesEveryGateAsOfNow) {
  Api api;
  const Json one = Propose(api, "tea");
  const Json other = Propose(api, "tea", {{"scope", "a"}});
  Decide(api, one["id"], "reject", {{"wide", true}});
  const Json refused = Decide(api, other["id"], "approve");
  EXPECT_EQ(refused["outcome"], "refused");
  EXPECT_EQ(refused["rule"], "suppressed");
  EXPECT_EQ(api.Get(other["id"], {}, Reviewer())["state"], "pending");
}

TEST(ReviewDecide, RefusesWhatItCannotHonour) {
  Api api;
  const Json tea = Propose(api, "tea");
  const auto decide = [&](Json arguments, const Caller& caller) {
    arguments["id"] = tea["id"];
    return api.Call("review_decide", arguments, caller);
  };
  EXPECT_THAT(decide({{"decision", "approve"}}, Agent()),
              FailsWith(Code::kForbidden, HasSubstr("")));
  EXPECT_THAT(decide({{"decision", "approve"}, {"wide", true}}, Reviewer()),
              FailsAt(Code::kInvalidArgument, "wide"));
  EXPECT_THAT(decide({{"decision", "approve"}, {"until", "2099-01-01"}}, Reviewer()),
              FailsAt(Code::kInvalidArgument, "until"));
  EXPECT_THAT(decide({{"decision", "reject"}, {"object", "x"}}, Reviewer()),
              FailsAt(Code::kInvalidArgument, "object"));
  EXPECT_THAT(decide({{"decision", "approve"}, {"text", "x"}}, Reviewer()),
              FailsAt(Code::kInvalidArgument, "text"));
  EXPECT_THAT(decide({{"decision", "perhaps"}}, Reviewer()),
              FailsAt(Code::kInvalidArgument, "decision"));
  EXPECT_EQ(api.Get(tea["id"], {}, Reviewer())["state"], "pending");
}

TEST(ReviewUndo, PutsEverythingBackToBeforeTheDecision) {
  Api api;
  const Json milk = api.Must("fact_assert", Claim("milk"));
  const Json tea = Propose(api, "tea");
  const Json approved = Decide(api, tea["id"], "approve");
  ASSERT_EQ(Standing(api), "tea");
  const Json undone = api.Must("review_undo", {{"decision", approved["decision"]}}, Reviewer());
  EXPECT_EQ(undone["memories"].size(), 2);
  EXPECT_EQ(Standing(api), "milk");
  EXPECT_EQ(api.Get(tea["id"], {}, Reviewer())["state"], "pending");
  const Json rejected = Decide(api, tea["id"], "reject");
  // Any seq of the decision names it.
  api.Must("review_undo", {{"decision", rejected["seq"]}}, Reviewer());
  EXPECT_EQ(Decide(api, tea["id"], "approve")["outcome"], "approved");
  EXPECT_THAT(api.Call("review_undo", {{"decision", milk["seq"]}}, Reviewer()),
              FailsAt(Code::kNotFound, "decision"));
}

}  // namespace
}  // namespace perdure::testing
