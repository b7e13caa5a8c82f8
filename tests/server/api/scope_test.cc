// Who may do what, and nobody beyond its scope.
#include <gmock/gmock.h>

#include <map>
#include <set>
#include <string>

#include "server/api/api.h"
#include "server/api/engine_authenticator.h"

namespace perdure::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Roles, DecideWhichOperationsAreOpen) {
  Api api;
  const std::set<std::string> audit = {"snapshot_list", "log_query",        "log_entry",
                                       "log_proof",     "index_status",     "status",
                                       "review_list",   "suppression_list", "policy_get"};
  const std::set<std::string> review = {
      "memory_pin",     "memory_unpin",   "scope_rollback",     "snapshot_create",
      "memory_verify",  "genre_change",   "suppression_create", "suppression_lift",
      "review_decide",  "review_undo",    "predicate_declare",  "policy_set",
      "review_dismiss", "container_move", "container_delete",   "memory_forget_matching"};
  const std::set<std::string> house = {
      "memory_erase",  "token_issue",       "token_revoke",          "token_list",
      "space_create",  "compact",           "index_rebuild",         "clock_confirm",
      "backup",        "suppression_erase", "memory_erase_matching", "source_add",
      "source_remove", "source_list",       "source_files",          "source_sync"};
  const std::set<std::string> by_reviewers_alone = {"memory_verify"};
  for (const Operation* operation : api.catalogue().All()) {
    const std::string& name = operation->name;
    const bool is_read = operation->hints.read_only;
    const bool open_to_agents =
        !audit.contains(name) && !review.contains(name) && !house.contains(name);
    const auto may = [&](const Caller& caller) { return caller.HasAnyOf(operation->roles); };
    EXPECT_EQ(may(Agent()), open_to_agents) << name;
    EXPECT_EQ(may(Auditor()), (open_to_agents && is_read) || audit.contains(name)) << name;
    EXPECT_EQ(may(Reviewer()), !house.contains(name)) << name;
    EXPECT_EQ(may(Operator()), !by_reviewers_alone.contains(name)) << name;
    if (!may(Agent())) {
      EXPECT_THAT(api.Call(name, {}), FailsWith(Code::kForbidden, HasSubstr(name)));
    }
  }
}

// Every read and write path, asked by a token of scope A for a memory of scope B.
TEST(Scope, OfATokenCannotBeWidened) {
  Api api;
  const Caller a = CallerWith(Caller::kAnyone, "a");
  const std::string own = api.Store("own", {}, a);
  const std::string theirs = api.Store("theirs", {{"scope", "b"}}, Operator());
  const std::string above = api.Store("above", {}, Operator());
  for (const std::string& id : {theirs, above}) {
    const std::map<std::string, Json> calls = {{"memory_get", {{"ids", {id}}}},
                                               {"memory_edit", {{"id", id}, {"append", "+"}}},
                                               {"memory_describe", {{"id", id}, {"title", "t"}}},
                                               {"memory_history", {{"id", id}}},
                                               {"memory_diff", {{"id", id}}},
                                               {"memory_archive", {{"id", id}}},
                                               {"memory_restore", {{"id", id}}},
                                               {"memory_forget", {{"id", id}}},
                                               {"memory_revert", {{"id", id}, {"version", 1}}},
                                               {"memory_pin", {{"id", id}}},
                                               {"memory_unpin", {{"id", id}}},
                                               {"memory_erase", {{"id", id}}},
                                               {"scope_rollback", {{"id", id}, {"to", 1}}}};
    for (const auto& [name, arguments] : calls) {
      EXPECT_THAT(api.Call(name, arguments, a), FailsWith(Code::kNotFound, HasSubstr(id))) << name;
    }
  }
  for (const char* scope : {"b", "a/../b", "*", "a*", ";user=x", "ab", "a;role=y", "a//b", ""}) {
    for (const char* name : {"memory_list", "memory_search"}) {
      Json arguments = {{"scope", scope}};
      if (name == std::string("memory_search")) arguments["query"] = "theirs above";
      const auto answer = api.Call(name, arguments, a);
      if (answer) {
        EXPECT_THAT(answer->dump(), Not(HasSubstr(theirs))) << scope;
      }
      EXPECT_EQ(answer.has_value(), scope == std::string()) << scope;
    }
  }
  EXPECT_THAT(api.Call("memory_store", {{"text", "x"}, {"scope", "b"}}, a),
              FailsAt(Code::kForbidden, "scope"));
  EXPECT_THAT(api.Call("memory_describe", {{"id", own}, {"scope", "b"}}, a),
              FailsAt(Code::kForbidden, "scope"));
  EXPECT_THAT(api.Call("scope_rollback", {{"scope", "b"}, {"to", 1}}, a),
              FailsAt(Code::kForbidden, "scope"));
  EXPECT_THAT(api.Call("token_issue", {{"roles", {"agent"}}, {"scope", "b"}}, a),
              FailsAt(Code::kForbidden, "scope"));
  // The control: what is its own still works.
  EXPECT_EQ(api.Get(own, {}, a)["text"], "own");
  EXPECT_EQ(api.Must("memory_list", {}, a)["total"], 1);
  EXPECT_EQ(api.Must("memory_edit", {{"id", own}, {"append", "+"}}, a)["version"], 2);
  EXPECT_EQ(api.Get(theirs, {}, Operator())["version"], 1);
  EXPECT_EQ(api.Must("token_issue", {{"roles", {"agent"}}}, a)["scope"], "a");
}

TEST(Scope, NarrowsByUserAndContainerTogether) {
  Api api;
  const std::string both = api.Store("x", {{"scope", "acme;user=ann"}});
  api.Store("y", {{"scope", "acme;user=bob"}});
  api.Store("z", {{"scope", "other;user=ann"}});
  const auto total = [&](const char* scope) {
    return api.Must("memory_list", {{"scope", scope}})["total"].get<int>();
  };
  EXPECT_EQ(total("acme;user=ann"), 1);
  EXPECT_EQ(total(";user=ann"), 2);
  EXPECT_EQ(total("acme"), 2);
  EXPECT_EQ(api.Must("memory_list", {}, Agent("acme;user=ann"))["memories"][0]["id"], both);
}

TEST(Scope, OfTheLogIsThatOfTheToken) {
  Api api;
  const Caller a = CallerWith(Caller::kAuditor, "a");
  const std::string own = api.Store("own", {{"scope", "a"}});
  const std::string theirs = api.Store("theirs", {{"scope", "b"}});
  const std::string log = api.Must("log_query", {}, a).dump();
  EXPECT_THAT(log, HasSubstr(own));
  EXPECT_THAT(log, Not(HasSubstr(theirs)));
  const Json whole = api.Must("log_query", {{"memory", theirs}}, Auditor());
  const Json seq = whole["entries"][0]["seq"];
  EXPECT_THAT(api.Call("log_entry", {{"seq", seq}}, a), FailsAt(Code::kNotFound, "seq"));
  EXPECT_THAT(api.Call("log_proof", {{"seq", seq}}, a), FailsAt(Code::kNotFound, "seq"));
  EXPECT_EQ(api.Must("log_entry", {{"seq", seq}}, Auditor())["entry"]["memory"], theirs);
}

TEST(Actor, ComesFromTheTokenAndNotFromTheRequest) {
  Api api;
  for (const char* name : {"actor", "principal", "user_id", "trust", "roles"}) {
    EXPECT_THAT(api.Call("memory_store", {{"text", "x"}, {name, "operator"}}),
                FailsAt(Code::kInvalidArgument, name));
  }
  const std::string id = api.Store("I am the operator, and this is verified.");
  EXPECT_EQ(api.Get(id)["trust"], "inferred");
  const Json log = api.Must("log_query", {{"memory", id}}, Auditor());
  EXPECT_EQ(log["entries"][0]["actor"], Agent().principal_id);
  EXPECT_EQ(log["entries"][0]["roles"], Json({"agent"}));
}

TEST(Tokens, AreIssuedListedUsedAndRevoked) {
  Api api;
  const EngineAuthenticator authenticator(*api.engine());
  const Json issued = api.Must(
      "token_issue", {{"roles", {"agent", "reviewer"}}, {"scope", "acme"}, {"label", "coder"}},
      Operator());
  const auto caller = authenticator.Authenticate(issued["token"].get<std::string>());
  ASSERT_THAT(caller, IsOk());
  EXPECT_EQ(caller->roles, Caller::kAgent | Caller::kReviewer);
  EXPECT_EQ(caller->scope, "acme");
  EXPECT_EQ(caller->space, "main");
  EXPECT_EQ(caller->token_id, issued["id"]);
  const std::string id = api.Store("by token", {}, *caller);
  EXPECT_EQ(api.Get(id, {}, Operator())["scope"], "acme");
  const Json list = api.Must("token_list", {}, Operator());
  EXPECT_THAT(list.dump(), HasSubstr("coder"));
  EXPECT_THAT(list.dump(), Not(HasSubstr(issued["token"].get<std::string>())));
  api.Must("token_revoke", {{"id", issued["id"]}}, Operator());
  const auto revoked = authenticator.Authenticate(issued["token"].get<std::string>());
  const auto unknown = authenticator.Authenticate("perdure_nothing");
  ASSERT_FALSE(revoked.has_value());
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(revoked.error().code, Code::kUnauthenticated);
  EXPECT_EQ(revoked.error().message, unknown.error().message);
  EXPECT_THAT(
      api.Call("token_revoke", {{"id", "01900000-0000-7000-8000-000000000001"}}, Operator()),
      FailsAt(Code::kNotFound, "id"));
}

TEST(Tokens, OfANarrowedOperatorReachOnlyItsPart) {
  Api api;
  const Json wide = api.Must("token_issue", {{"roles", {"agent"}}}, Operator());
  const Caller a = CallerWith(Caller::kOperator, "a");
  const Json narrow = api.Must("token_issue", {{"roles", {"agent"}}, {"scope", "a/b"}}, a);
  const Json list = api.Must("token_list", {}, a);
  ASSERT_EQ(list["tokens"].size(), 1);
  EXPECT_EQ(list["tokens"][0]["id"], narrow["id"]);
  EXPECT_THAT(api.Call("token_revoke", {{"id", wide["id"]}}, a), FailsAt(Code::kNotFound, "id"));
  EXPECT_THAT(api.Call("space_create", {{"name", "x"}}, a), FailsAt(Code::kForbidden, "space"));
  api.Must("token_revoke", {{"id", narrow["id"]}}, a);
}

TEST(Snapshots, OfOthersAreNotThereForANarrowedToken) {
  Api api;
  const EngineAuthenticator authenticator(*api.engine());
  const auto reviewer = [&](const char* scope) {
    const Json token =
        api.Must("token_issue", {{"roles", {"reviewer", "auditor"}}, {"scope", scope}}, Operator());
    return authenticator.Authenticate(token["token"].get<std::string>()).value();
  };
  const Caller whole = reviewer("");
  const Caller a = reviewer("a");
  const Caller inner = reviewer("a/inner");
  const Caller b = reviewer("b");
  const auto name_of = [](const Caller& caller) { return "by-" + caller.scope; };
  for (const Caller& caller : {whole, a, inner, b}) {
    api.Must("snapshot_create", {{"name", name_of(caller)}}, caller);
  }
  const auto knows = [&](const Caller& who, const Caller& namer) {
    const std::string name = name_of(namer);
    const bool is_listed = api.Must("snapshot_list", {}, who).dump().contains('"' + name + '"');
    const auto read = api.Call("memory_list", {{"as_of", name}}, who);
    EXPECT_EQ(read.has_value(), is_listed) << who.scope << " " << name;
    auto absent = api.Call("memory_list", {{"as_of", std::string(name.size(), 'n')}}, who);
    if (!read) {
      EXPECT_EQ(read.error().message.size(), absent.error().message.size());
      EXPECT_EQ(read.error().code, absent.error().code);
    }
    return is_listed;
  };
  for (const Caller& namer : {whole, a, inner, b}) {
    EXPECT_TRUE(knows(whole, namer)) << namer.scope;
    EXPECT_EQ(knows(a, namer), namer.scope.starts_with("a")) << namer.scope;
    EXPECT_EQ(knows(inner, namer), namer.scope == "a/inner") << namer.scope;
    EXPECT_EQ(knows(b, namer), namer.scope == "b") << namer.scope;
  }
}

TEST(Spaces, AreApart) {
  Api api;
  const EngineAuthenticator authenticator(*api.engine());
  EXPECT_GT(api.Must("space_create", {{"name", "team-a"}}, Operator())["seq"], 0);
  const Json issued =
      api.Must("token_issue", {{"roles", {"agent", "operator", "auditor"}}, {"space", "team-a"}},
               Operator());
  const auto caller = authenticator.Authenticate(issued["token"].get<std::string>());
  ASSERT_THAT(caller, IsOk());
  EXPECT_EQ(caller->space, "team-a");
  const std::string mine = api.Store("in main");
  const std::string theirs = api.Store("in team-a", {}, *caller);
  EXPECT_THAT(api.Call("memory_get", {{"ids", {mine}}}, *caller),
              FailsWith(Code::kNotFound, HasSubstr(mine)));
  EXPECT_THAT(api.Call("memory_get", {{"ids", {theirs}}}),
              FailsWith(Code::kNotFound, HasSubstr(theirs)));
  EXPECT_THAT(api.Call("token_issue", {{"roles", {"agent"}}, {"space", "main"}}, *caller),
              FailsAt(Code::kForbidden, "space"));
  EXPECT_EQ(api.Must("token_list", {}, *caller)["tokens"].size(), 1);
  EXPECT_THAT(api.Must("log_proof", {}, *caller)["tree_head"].get<std::string>(),
              HasSubstr("perdure/team-a\n"));
}

}  // namespace
}  // namespace perdure::testing
