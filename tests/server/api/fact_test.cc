// Facts through the catalogue: what a claim comes to, and what is known of a subject.
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

Json From(const std::string& source, const std::string& time, Json more = Json::object()) {
  more["evidence"] = {{"quote", "said in " + source}, {"source", source}, {"reference_time", time}};
  return more;
}

Json About(Api& api, Json more = Json::object(), const Caller& caller = Agent()) {
  more["subject"] = "alice";
  return api.Must("fact_about", more, caller);
}

TEST(FactAssert, GivesBackEveryArgument) {
  Api api;
  Json claim = Claim("oat milk", {{"text", "Alice takes oat milk."},
                                  {"tags", {"kitchen"}},
                                  {"theme", "drinks"},
                                  {"metadata", {{"a", 1}}},
                                  {"scope", "home;user=ann"},
                                  {"importance", 0.7},
                                  {"confidence", 0.65},
                                  {"valid_from", "2023-01-01T00:00:00.000000Z"},
                                  {"valid_until", "2043-01-01T00:00:00.000000Z"},
                                  {"expires_at", "2044-01-01T00:00:00.000000Z"},
                                  {"authorship", "reference"},
                                  {"genre", "personal"}});
  const Json stored = api.Must("fact_assert", claim);
  EXPECT_EQ(stored["outcome"], "stored");
  EXPECT_EQ(stored["confidence"], 0.65);
  EXPECT_GT(stored["seq"], 0);
  const Json fact = api.Get(stored["id"]);
  for (const auto& [name, value] : claim.items()) EXPECT_EQ(fact[name], value) << name;
  EXPECT_EQ(fact["kind"], "fact");
  EXPECT_EQ(fact["standing"], true);
  EXPECT_EQ(fact["frequency"], 1);
  EXPECT_EQ(fact["trust"], "inferred");
}

TEST(FactAssert, ACorrectionIsAChangeAndNamesWhatItFadedAndReplaced) {
  Api api;
  const Json milk = api.Must("fact_assert", Claim("milk", From("monday", "2021-01-01")));
  const Json oat = api.Must("fact_assert", Claim("oat milk", From("tuesday", "2021-01-02")));
  EXPECT_EQ(oat["outcome"], "changed");
  EXPECT_EQ(oat["faded"], Json({milk["id"]}));
  EXPECT_EQ(oat["confidence"], 0.6);
  const Json again = api.Must("fact_assert", Claim("oat milk", From("wednesday", "2021-01-03")));
  EXPECT_EQ(again["outcome"], "reinforced");
  EXPECT_EQ(again["id"], oat["id"]);
  EXPECT_EQ(again["confidence"], 0.7);
  EXPECT_EQ(again["superseded"], Json({milk["id"]}));
  const Json old = api.Get(milk["id"]);
  EXPECT_EQ(old["state"], "superseded");
  EXPECT_EQ(old["successor"], oat["id"]);
  EXPECT_EQ(old["standing"], false);
  EXPECT_EQ(api.Get(oat["id"])["predecessor"], milk["id"]);
}

TEST(FactAssert, AClaimThatAGateTurnsDownIsAnAnswerAndAnEntry) {
  Api api;
  const Json milk = api.Must("fact_assert", Claim("milk", From("monday", "2021-01-01")));
  api.Must("fact_assert", Claim("oat milk", From("tuesday", "2021-01-02")));
  const Json refused = api.Must("fact_assert", Claim("milk", From("monday", "2021-01-01")));
  EXPECT_EQ(refused["outcome"], "refused");
  EXPECT_EQ(refused["gate"], "conflict");
  EXPECT_EQ(refused["rule"], "stale_evidence");
  EXPECT_EQ(refused["id"], milk["id"]);
  EXPECT_THAT(refused["reason"].get<std::string>(), HasSubstr("newer"));
  const Json entry = api.Must("log_entry", {{"seq", refused["seq"]}}, Auditor());
  EXPECT_EQ(entry["entry"]["event"], "WriteRefused");
  EXPECT_EQ(entry["entry"]["record_time"], refused["record_time"]);
  Json dry = Claim("milk", From("monday", "2021-01-01"));
  dry["dry_run"] = dry["keep"] = true;
  const Json would = api.Must("fact_assert", dry);
  EXPECT_EQ(would["outcome"], "refused");
  EXPECT_EQ(would["dry_run"], true);
  EXPECT_FALSE(would.contains("seq"));
  const Json kept = api.Must("log_entry", {{"seq", would["kept_seq"]}}, Auditor());
  EXPECT_EQ(kept["entry"]["event"], "DryRunKept");
}

TEST(FactAssert, WhatIsMalformedOrForbiddenStaysAnError) {
  Api api;
  EXPECT_THAT(api.Call("fact_assert", {{"subject", "a"}, {"predicate", "b"}}),
              FailsAt(Code::kInvalidArgument, "object"));
  EXPECT_THAT(api.Call("fact_assert", Claim("x", {{"valid_from", "soon"}})),
              FailsAt(Code::kInvalidArgument, "valid_from"));
  EXPECT_THAT(api.Call("fact_assert", Claim("x", {{"valid_from", "2024-02-01T00:00:00"}})),
              FailsAt(Code::kInvalidArgument, "valid_from"));
  EXPECT_THAT(api.Call("fact_assert", Claim("x", From("s", "yesterday"))),
              FailsAt(Code::kInvalidArgument, "evidence.reference_time"));
  EXPECT_THAT(api.Call("fact_assert", Claim("x", {{"evidence", {{"quoted", "s"}}}})),
              FailsAt(Code::kInvalidArgument, "evidence.quoted"));
  EXPECT_THAT(api.Call("fact_assert", Claim("x"), Auditor()),
              FailsWith(Code::kForbidden, HasSubstr("")));
  EXPECT_THAT(api.Call("fact_assert", Claim("x", {{"scope", "b"}}), Agent("a")),
              FailsWith(Code::kForbidden, HasSubstr("")));
  EXPECT_TRUE(About(api)["facts"].empty());
}

TEST(FactAssert, VerifiedIsNobodysToClaimAndVerbatimIsFoundInItsSource) {
  Api api;
  const Json claimed = api.Must("fact_assert", Claim("milk", {{"trust", "verified"}}));
  EXPECT_EQ(claimed["not_applied"], Json({"trust"}));
  EXPECT_EQ(api.Get(claimed["id"])["trust"], "inferred");
  const std::string source = api.Store("Alice said: I drink OAT milk.");
  Json quoted = Claim("oat milk", {{"trust", "verbatim"}});
  quoted["evidence"] = {{"quote", "i drink oat  milk"}, {"source", source}};
  const Json verbatim = api.Must("fact_assert", quoted);
  EXPECT_EQ(api.Get(verbatim["id"])["trust"], "verbatim");
  quoted["object"] = "tea";
  quoted["evidence"]["quote"] = "I drink tea";
  const Json absent = api.Must("fact_assert", quoted);
  EXPECT_EQ(absent["rule"], "quote_not_found");
  EXPECT_THAT(absent["reason"].get<std::string>(), HasSubstr("Alice said"));
}

TEST(FactAbout, TellsWhatStandsAndWithHistoryWhatEverStood) {
  Api api;
  const Json milk = api.Must("fact_assert", Claim("milk", From("monday", "2021-01-01")));
  const Json oat = api.Must("fact_assert", Claim("oat milk", From("tuesday", "2021-01-02")));
  api.Must("fact_assert", {{"subject", "Bob"}, {"predicate", "drinks"}, {"object", "tea"}});
  const Json now = About(api, {{"history", true}});
  ASSERT_EQ(now["facts"].size(), 1);
  EXPECT_EQ(now["facts"][0]["id"], oat["id"]);
  EXPECT_EQ(now["facts"][0]["object"], "oat milk");
  EXPECT_FALSE(now["facts"][0].contains("text"));
  ASSERT_EQ(now["chain"].size(), 2);
  EXPECT_EQ(now["chain"][0]["id"], milk["id"]);
  EXPECT_EQ(now["chain"][0]["standing"], false);
  const Json then = About(api, {{"as_of", milk["seq"]}, {"predicate", "DRINKS"}});
  ASSERT_EQ(then["facts"].size(), 1);
  EXPECT_EQ(then["facts"][0]["object"], "milk");
  EXPECT_FALSE(then.contains("chain"));
  EXPECT_TRUE(About(api, {{"predicate", "eats"}})["facts"].empty());
}

TEST(FactAbout, HoldsAtAValidTimeAndInAScope) {
  Api api;
  api.Must("fact_assert", Claim("milk", {{"valid_until", "2020-01-01"}, {"scope", "home"}}));
  api.Must("fact_assert", Claim("tea", {{"valid_from", "2020-01-01"}, {"scope", "home"}}));
  const auto object_of = [](const Json& answer) {
    return answer["facts"].size() == 1 ? answer["facts"][0]["object"] : Json();
  };
  EXPECT_EQ(object_of(About(api)), "tea");
  EXPECT_EQ(object_of(About(api, {{"valid_at", "2019-12-31"}})), "milk");
  EXPECT_EQ(object_of(About(api, {{"scope", "home"}})), "tea");
  EXPECT_TRUE(About(api, {{"scope", "work"}})["facts"].empty());
  EXPECT_TRUE(About(api, Json::object(), Agent("work"))["facts"].empty());
  EXPECT_THAT(api.Call("fact_about", {{"subject", "alice"}, {"scope", "home"}}, Agent("work")),
              FailsWith(Code::kForbidden, HasSubstr("")));
}

TEST(FactAbout, CutsAnAnswerThatWouldBeTooLongAndSaysSo) {
  Api api;
  const std::string scope(200, 's');
  for (int i = 0; i < 500; ++i) {
    api.Must("fact_assert", {{"subject", "alice"},
                             {"predicate", "knows " + std::to_string(i)},
                             {"object", std::string(300, 'x')},
                             {"scope", scope}});
  }
  const Json answer = About(api);
  EXPECT_EQ(answer["truncated"], true);
  EXPECT_LT(answer["facts"].size(), 500);
  EXPECT_GT(answer["facts"].size(), 100);
  EXPECT_FALSE(About(api, {{"predicate", "knows 7"}}).contains("truncated"));
}

TEST(CandidatePropose, ParksANoteOrAFactOutOfEveryRead) {
  Api api;
  const Json note = api.Must("candidate_propose", {{"text", "perhaps"}, {"tags", {"doubt"}}});
  EXPECT_EQ(note["outcome"], "candidate");
  EXPECT_FALSE(note.contains("rule"));
  const Json fact = api.Must("candidate_propose", Claim("tea", {{"kind", "fact"}}));
  EXPECT_EQ(fact["outcome"], "candidate");
  EXPECT_EQ(api.Must("memory_list", {})["total"], 0);
  EXPECT_TRUE(About(api)["facts"].empty());
  EXPECT_THAT(api.Call("memory_get", {{"ids", {note["id"]}}}),
              FailsWith(Code::kNotFound, HasSubstr("")));
  EXPECT_EQ(api.Get(note["id"], {}, Reviewer())["state"], "pending");
  const Json again = api.Must("candidate_propose", {{"text", "perhaps"}});
  EXPECT_EQ(again["outcome"], "refused");
  EXPECT_EQ(again["rule"], "waits");
  EXPECT_EQ(again["id"], note["id"]);
}

TEST(CandidatePropose, TakesTheArgumentsOfItsKindAndNoOthers) {
  Api api;
  EXPECT_THAT(api.Call("candidate_propose", {{"title", "only"}}),
              FailsAt(Code::kInvalidArgument, "text"));
  EXPECT_THAT(api.Call("candidate_propose", {{"kind", "fact"}, {"subject", "a"}, {"object", "b"}}),
              FailsAt(Code::kInvalidArgument, "predicate"));
  EXPECT_THAT(api.Call("candidate_propose", {{"text", "a"}, {"subject", "b"}}),
              FailsAt(Code::kInvalidArgument, "subject"));
  EXPECT_THAT(api.Call("candidate_propose", Claim("tea", {{"kind", "fact"}, {"title", "t"}})),
              FailsAt(Code::kInvalidArgument, "title"));
}

TEST(Genre, KeepsWhatIsNotFactualOutOfDefaultReads) {
  Api api;
  const std::string whim = api.Store("a whim", {{"genre", "associative"}});
  api.Store("a fact");
  EXPECT_EQ(api.Must("memory_list", {})["total"], 1);
  const Json some = api.Must("memory_list", {{"filter", {{"genre", "associative"}}}});
  ASSERT_EQ(some["total"], 1);
  EXPECT_EQ(some["memories"][0]["id"], whim);
  EXPECT_EQ(some["memories"][0]["genre"], "associative");
  const Json both = api.Must("memory_list", {{"filter", {{"genre", {"associative", "factual"}}}}});
  EXPECT_EQ(both["total"], 2);
  EXPECT_FALSE(both["memories"][0].contains("genre"));
}

}  // namespace
}  // namespace perdure::testing
