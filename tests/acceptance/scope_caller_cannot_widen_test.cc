// scope.caller_cannot_widen: a caller of A that names B, a wildcard, an empty or a malformed scope,
// on any path, is refused or stays in A. A's own calls work after every refusal.
#include "acceptance/facts.h"

namespace perdure::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

const char* const kWidening[] = {
    "b",  "",       "/",        "*",       "a*",   "a/*",      "a/../b",   "../b", "a/..",
    "ab", "a//b",   "b;user=x", ";user=x", ";",    "a;role=x", "a;user=*", "a,b",  "%2e%2e/b",
    "A",  "\u0430", " b",       "b/a",     "null", "a;b",      "b\n",      "?"};

// Each operation that takes a scope, with it in its place.
std::vector<std::pair<std::string, Json>> CallsWith(const Json& scope, const std::string& own) {
  return {{"memory_search", {{"query", "theirs nectarine"}, {"scope", scope}}},
          {"memory_list", {{"scope", scope}}},
          {"memory_store", {{"text", "widened by A"}, {"scope", scope}}},
          {"memory_store_many", {{"memories", {{{"text", "widened too"}, {"scope", scope}}}}}},
          {"memory_describe", {{"id", own}, {"scope", scope}}},
          {"scope_rollback", {{"scope", scope}, {"to", 1}, {"dry_run", true}}}};
}

bool IsInA(const std::string& scope) {
  return scope == "a" || scope.starts_with("a/") || scope.starts_with("a;");
}

class Widening : public ::testing::Test {
 protected:
  // All that there is outside of A, as its operator sees it.
  std::string Outside() {
    std::string outside;
    const Json listed = house_.Must(house_.Operator(), "memory_list", {{"limit", 1000}});
    for (const Json& memory : listed["memories"]) {
      if (!IsInA(memory["scope"])) outside += memory.dump() + "\n";
    }
    return outside;
  }
  void ExpectOwnCallsWork(const std::string& after) {
    const std::string id = house_.Store(a_, "own work after " + after);
    EXPECT_THAT(house_.Find(a_, "own work after " + after), Contains(id)) << after;
    EXPECT_TRUE(IsInA(house_.Get(a_, id).value("scope", ""))) << after;
  }

  AcceptanceHouse house_;
  const Caller a_ = house_.As(Caller::kAnyone, "a");
  const std::string theirs_ = house_.Store(house_.Operator(), "theirs nectarine", {{"scope", "b"}});
};

TEST_F(Widening, ByAScopeIsRefusedOrStaysInsideOnEveryPath) {
  const std::string before = Outside();
  ASSERT_THAT(before, HasSubstr(theirs_));
  std::size_t refused = 0;
  for (const char* scope : kWidening) {
    const std::string own = house_.Store(a_, std::string("own of ") + scope);
    for (const auto& [operation, arguments] : CallsWith(scope, own)) {
      const Said said = house_.Ask(a_, operation, arguments);
      const std::string call = operation + " " + arguments.dump();
      if (!said.ok) ++refused;
      EXPECT_THAT(said.all, Not(HasSubstr("nectarine"))) << call;
      EXPECT_THAT(said.all, Not(HasSubstr(theirs_))) << call;
      EXPECT_EQ(Outside(), before) << call;
    }
    ExpectOwnCallsWork(scope);
  }
  EXPECT_GT(refused, 100u);
}

TEST_F(Widening, ByAnotherTypeIsRefused) {
  for (const Json& scope : {Json(7), Json::array({"a", "b"}), Json{{"any", true}}, Json(true)}) {
    for (const auto& [operation, arguments] : CallsWith(scope, house_.Store(a_, "own"))) {
      EXPECT_FALSE(house_.Ask(a_, operation, arguments).ok) << operation << scope;
    }
    ExpectOwnCallsWork(scope.dump());
  }
}

TEST_F(Widening, ByAnIdReachesNothingOutside) {
  const std::string before = Outside();
  const std::pair<const char*, Json> calls[] = {
      {"memory_get", {{"ids", {theirs_}}}},
      {"memory_edit", {{"id", theirs_}, {"append", "+"}}},
      {"memory_describe", {{"id", theirs_}, {"scope", "a"}}},
      {"memory_history", {{"id", theirs_}}},
      {"memory_diff", {{"id", theirs_}}},
      {"memory_archive", {{"id", theirs_}}},
      {"memory_forget", {{"id", theirs_}}},
      {"memory_revert", {{"id", theirs_}, {"version", 1}}},
      {"memory_pin", {{"id", theirs_}}},
      {"memory_erase", {{"id", theirs_}}},
      {"scope_rollback", {{"id", theirs_}, {"to", 1}}}};
  for (const auto& [operation, arguments] : calls) {
    EXPECT_EQ(house_.Ask(a_, operation, arguments).code, "not_found") << operation;
    EXPECT_EQ(Outside(), before) << operation;
    ExpectOwnCallsWork(operation);
  }
}

TEST_F(Widening, ByATokenOfItsOwnIsRefused) {
  const std::pair<const char*, Json> calls[] = {
      {"token_issue", {{"roles", {"agent"}}, {"scope", "b"}}},
      {"token_issue", {{"roles", {"agent"}}, {"space", "tenant"}}},
      {"space_create", {{"name", "mine"}}},
      {"compact", {{"before", "2023-01-01"}}}};
  for (const auto& [operation, arguments] : calls) {
    EXPECT_FALSE(house_.Ask(a_, operation, arguments).ok) << operation << arguments;
  }
  EXPECT_TRUE(house_.Ask(a_, "token_issue", {{"roles", {"agent"}}, {"scope", "a/below"}}).ok);
  ExpectOwnCallsWork("tokens");
}

TEST_F(Widening, OfFactsAndCandidatesIsRefused) {
  Claimed(house_, house_.Operator(), Fact("Bob", "eats", "nectarine", {{"scope", "b"}}));
  EXPECT_EQ(Claim(house_, a_, Fact("Bob", "eats", "figs", {{"scope", "b"}})),
            Json({{"outcome", "refused"}, {"rule", "scope"}}));
  EXPECT_EQ(Propose(house_, a_, Fact("Bob", "eats", "figs", {{"scope", "b"}})),
            Json({{"outcome", "refused"}, {"rule", "scope"}}));
  EXPECT_THAT(Standing(house_, a_, "Bob", "eats"), ::testing::IsEmpty());
  Claimed(house_, a_, Fact("Bob", "eats", "plums"));
  EXPECT_THAT(Standing(house_, a_, "Bob", "eats"), ::testing::ElementsAre("plums"));
  EXPECT_THAT(Standing(house_, house_.Agent("b"), "Bob", "eats"),
              ::testing::ElementsAre("nectarine"));
}

}  // namespace
}  // namespace perdure::testing
