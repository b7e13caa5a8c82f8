// What holds for every write: idempotency keys, dry runs, reasons.
#include <gmock/gmock.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "server/api/api.h"

namespace perdure::testing {
namespace {

using ::testing::HasSubstr;

struct WriteCall {
  std::string operation;
  Json arguments;
  Caller caller;
};

// Places, and a memory that is linked to `other`; its id is returned.
std::string Furnish(Api& api, const std::string& other) {
  for (const char* scope : {"old", "moving", "doomed", ";user=forgotten", ";user=erased"}) {
    api.Must("memory_store", {{"text", "there"}, {"scope", scope}});
  }
  const std::string linked = api.Store("linked");
  api.Must("link_add", {{"from", linked}, {"to", other}, {"type", "about"}});
  return linked;
}

// A call of every write that can be made of `api` as it stands, each with an effect.
std::vector<WriteCall> Writes(Api& api) {
  const Caller house = Operator();
  const auto fresh = [&] {
    return api.Store("text " + std::to_string(api.Must("memory_list", {})["total"].get<int>()));
  };
  const std::string archived = fresh();
  api.Must("memory_archive", {{"id", archived}});
  const std::string pinned = fresh();
  api.Must("memory_pin", {{"id", pinned}}, house);
  const std::string revised = fresh();
  api.Must("memory_edit", {{"id", revised}, {"append", "+"}});
  const Json token = api.Must("token_issue", {{"roles", {"agent"}}}, house);
  const Json mark = api.Must("memory_store", {{"text", "mark"}});
  api.Store("after the mark", {{"scope", "rolled"}});
  const auto claim = [](const char* object) {
    return Json{{"subject", "Alice"}, {"predicate", "drinks"}, {"object", object}};
  };
  const auto proposed = [&](const char* text) {
    return api.Must("candidate_propose", {{"text", text}})["id"];
  };
  const Json decided =
      api.Must("review_decide", {{"id", proposed("undone")}, {"decision", "approve"}}, Reviewer());
  const Json rejected = api.Must("suppression_create", {{"text", "lifted"}}, Reviewer());
  const Json worded = api.Must("suppression_create", {{"text", "erased words"}}, Reviewer());
  const auto eats = [&](const char* object) {
    return api.Must("fact_assert", {{"subject", "Eve"}, {"predicate", "eats"}, {"object", object}});
  };
  eats("figs");
  eats("dates");
  const Json lapsed = eats("figs");
  const std::string linked = Furnish(api, archived);
  const std::string merged =
      api.Must("memory_merge", {{"text", "merged"}, {"parts", {fresh(), fresh()}}})["id"];
  return {
      {"memory_store", {{"text", "new"}}, Agent()},
      {"memory_store_many", {{"memories", {{{"text", "m1"}}, {{"text", "m2"}}}}}, Agent()},
      {"memory_edit", {{"id", fresh()}, {"append", "+"}}, Agent()},
      {"memory_describe", {{"id", fresh()}, {"title", "t"}}, Agent()},
      {"memory_archive", {{"id", fresh()}}, Agent()},
      {"memory_restore", {{"id", archived}}, Agent()},
      {"memory_forget", {{"id", fresh()}}, Agent()},
      {"memory_revert", {{"id", revised}, {"version", 1}}, Agent()},
      {"memory_pin", {{"id", fresh()}}, Reviewer()},
      {"memory_unpin", {{"id", pinned}}, Reviewer()},
      {"scope_rollback", {{"scope", "rolled"}, {"to", mark["seq"]}}, Reviewer()},
      {"snapshot_create", {{"name", "s"}}, Reviewer()},
      {"memory_erase", {{"id", fresh()}}, house},
      {"fact_assert", claim("milk"), Agent()},
      {"fact_assert_many", {{"facts", {claim("tea"), claim("rum")}}}, Agent()},
      {"candidate_propose", {{"text", "perhaps"}}, Agent()},
      {"memory_score",
       {{"id", fresh()}, {"importance", 0.6}, {"pass", "p"}, {"reason", "r"}},
       Agent()},
      {"memory_merge", {{"text", "both"}, {"parts", {fresh(), fresh()}}}, Agent()},
      {"memory_unmerge", {{"id", merged}}, Agent()},
      {"review_decide", {{"id", proposed("rejected")}, {"decision", "reject"}}, Reviewer()},
      {"review_undo", {{"decision", decided["decision"]}}, Reviewer()},
      {"suppression_create", {{"text", "never"}}, Reviewer()},
      {"suppression_lift", {{"suppression", rejected["suppression"]}, {"reason", "r"}}, Reviewer()},
      {"suppression_erase", {{"suppression", worded["suppression"]}}, house},
      {"review_dismiss", {{"refusals", Json::array({lapsed["seq"]})}}, Reviewer()},
      {"memory_verify", {{"id", fresh()}, {"evidence", {{"quote", "q"}}}}, Reviewer()},
      {"genre_change", {{"id", fresh()}, {"genre", "personal"}}, Reviewer()},
      {"predicate_declare", {{"name", "drinks"}, {"multi_valued", true}}, Reviewer()},
      {"policy_set", {{"fade", 0.5}}, Reviewer()},
      {"container_create", {{"container", "made/here"}}, Agent()},
      {"container_describe", {{"container", "old"}, {"name", "new"}}, Reviewer()},
      {"container_move", {{"container", "moving"}, {"parent", "old"}}, Reviewer()},
      {"container_delete", {{"container", "doomed"}, {"move_to", "old"}}, Reviewer()},
      {"link_add", {{"from", fresh()}, {"to", linked}, {"type", "about"}}, Agent()},
      {"link_remove", {{"from", linked}, {"to", archived}, {"type", "about"}}, Agent()},
      {"memory_forget_matching", {{"scope", ";user=forgotten"}}, Reviewer()},
      {"memory_erase_matching", {{"scope", ";user=erased"}}, house},
      {"token_issue", {{"roles", {"auditor"}}}, house},
      {"token_revoke", {{"id", token["id"]}}, house},
      {"compact", {{"before", mark["record_time"]}}, house}};
}

Json With(Json arguments, const char* name, Json value) {
  arguments[name] = std::move(value);
  return arguments;
}

std::pair<Seq, Seq> Heads(Api& api) {
  return {api.engine()->Visible(kMainSpace).seq, api.engine()->Visible(kSystemSpace).seq};
}

TEST(Idempotency, SameKeyAndArgumentsGiveTheFirstAnswerWithoutASecondEffect) {
  Api api;
  int number = 0;
  for (const WriteCall& call : Writes(api)) {
    const Json keyed = With(call.arguments, "idempotency_key", "key " + std::to_string(++number));
    Json first = api.Must(call.operation, keyed, call.caller);
    const auto heads = Heads(api);
    Json again = api.Must(call.operation, keyed, call.caller);
    // What is measured or shown only once may differ.
    for (const char* name : {"token", "bytes_before", "bytes_after"}) {
      first.erase(name);
      again.erase(name);
    }
    EXPECT_EQ(again, first) << call.operation;
    EXPECT_EQ(Heads(api), heads) << call.operation;
  }
}

TEST(Idempotency, SameKeyWithOtherArgumentsIsRefused) {
  Api api;
  api.Must("memory_store", {{"text", "one"}, {"idempotency_key", "k"}});
  EXPECT_THAT(api.Call("memory_store", {{"text", "two"}, {"idempotency_key", "k"}}),
              FailsAt(Code::kIdempotencyMismatch, "idempotency_key"));
  const std::string id = api.Store("three");
  EXPECT_THAT(api.Call("memory_archive", {{"id", id}, {"idempotency_key", "k"}}),
              FailsAt(Code::kIdempotencyMismatch, "idempotency_key"));
  // Another principal has keys of its own.
  EXPECT_EQ(
      api.Must("memory_store", {{"text", "two"}, {"idempotency_key", "k"}}, Reviewer())["created"],
      true);
}

TEST(Idempotency, HoldsWhateverFormTheArgumentsTake) {
  Api api;
  const Json first = api.Must("memory_store", {{"text", "one"},
                                               {"tags", {"a"}},
                                               {"importance", 0.5},
                                               {"title", nullptr},
                                               {"idempotency_key", "k"}});
  Caller cli = Agent();
  cli.door = "cli";
  cli.client = "perdure";
  cli.session = "other";
  const Json again = api.Must(
      "memory_store",
      {{"text", "one"}, {"tags", "a"}, {"importance", "0.5"}, {"idempotency_key", "k"}}, cli);
  EXPECT_EQ(again, first);
}

TEST(DryRun, SaysWhatWouldHappenAndDoesNothing) {
  Api api;
  for (const WriteCall& call : Writes(api)) {
    const auto heads = Heads(api);
    const Json before = api.Must("memory_list", {{"limit", 1000}});
    const Json answer =
        api.Must(call.operation, With(call.arguments, "dry_run", true), call.caller);
    EXPECT_EQ(answer["dry_run"], true) << call.operation;
    EXPECT_NE(answer.value("would", ""), "") << call.operation;
    EXPECT_FALSE(answer.contains("seq")) << call.operation;
    EXPECT_FALSE(answer.contains("token")) << call.operation;
    EXPECT_EQ(Heads(api), heads) << call.operation;
    EXPECT_EQ(api.Must("memory_list", {{"limit", 1000}}), before) << call.operation;
    // The control: without dry_run it does something.
    EXPECT_GT(api.Must(call.operation, call.arguments, call.caller)["seq"], 0) << call.operation;
  }
}

TEST(DryRun, FailsAsTheWriteWould) {
  Api api;
  const std::string id = api.Store("text");
  EXPECT_THAT(api.Call("memory_edit",
                       {{"id", id}, {"append", "+"}, {"expected_version", 3}, {"dry_run", true}}),
              FailsAt(Code::kConflict, "expected_version"));
}

TEST(Reason, StandsInTheLog) {
  Api api;
  const std::string id = api.Store("text", {{"reason", "for the tests"}});
  const Json log = api.Must("log_query", {{"memory", id}}, Auditor());
  EXPECT_EQ(log["entries"][0]["reason"], "for the tests");
  EXPECT_THAT(api.Call("memory_store", {{"text", "a"}, {"reason", std::string(4097, 'r')}}),
              FailsAt(Code::kTooLarge, "reason"));
}

TEST(Writes, AllTakeTheSameArguments) {
  Api api;
  const std::set<std::string> no_entries = {"index_rebuild", "clock_confirm", "backup"};
  for (const Operation* operation : api.catalogue().All()) {
    if (operation->hints.read_only || no_entries.contains(operation->name)) continue;
    for (const char* name : {"idempotency_key", "dry_run", "reason"}) {
      EXPECT_TRUE(operation->input_schema["properties"].contains(name))
          << operation->name << " " << name;
    }
  }
}

TEST(Writes, GoOnAfterAClockThatRanAwayWasConfirmedByTheHouse) {
  Api api;
  Caller tenant = Operator();
  tenant.scope = "team";
  EXPECT_THAT(api.Call("clock_confirm", {}, tenant), FailsWith(Code::kForbidden, HasSubstr("")));
  const Json confirmed = api.Must("clock_confirm", {}, Operator());
  EXPECT_EQ(confirmed["takes_writes"], true);
}

}  // namespace
}  // namespace perdure::testing
