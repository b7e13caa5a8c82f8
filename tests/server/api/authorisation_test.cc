// The authorisation matrix, and controls that it has to catch.
#include "server/api/authorisation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "server/api/memory_resources.h"
#include "server/mcp/endpoint.h"

namespace perdure::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// One for all tests: nothing changes it. It ends before the thread's own variables do, which its
// indexes use to the last.
class OneWorld final : public ::testing::Environment {
 public:
  void TearDown() override { world_.reset(); }
  static const AuthorisationWorld& Get() {
    if (!world_) world_ = std::make_unique<AuthorisationWorld>();
    return *world_;
  }

 private:
  static inline std::unique_ptr<const AuthorisationWorld> world_;
};
[[maybe_unused]] const auto* const kOneWorld =
    ::testing::AddGlobalTestEnvironment(std::make_unique<OneWorld>().release());

const AuthorisationWorld& World() { return OneWorld::Get(); }

TEST(Authorisation, IsAsTheRulesSayInEveryCell) {
  const MatrixResult result = TryMatrix(World(), World().catalogue(), ProductRules());
  RecordProperty("cells", static_cast<int>(result.cells));
  EXPECT_GT(result.cells, 5'000);
  EXPECT_EQ(result.faults.size(), 0);
  for (std::size_t i = 0; i < std::min<std::size_t>(result.faults.size(), 60); ++i) {
    ADD_FAILURE() << result.faults[i];
  }
}

// --- controls: operations with a hole, each of which the matrix must name

Operation Peek(const AuthorisationWorld& world) {
  Operation peek = *world.catalogue().Find("memory_get");
  peek.name = "memory_peek";
  peek.http_path = "/api/v1/peek/{id}";
  return peek;
}

std::vector<std::string> FaultsOf(Operation operation, std::vector<Rule> rules) {
  Catalogue catalogue;
  catalogue.Add(std::move(operation));
  return TryMatrix(World(), catalogue, rules).faults;
}

Json IdOf(const Target& target) { return {{"id", target.id}}; }

const Rule kPeekRule = {"memory_peek", About::kMemory, Caller::kAnyone, IdOf};

TEST(AuthorisationControl, AnOperationAsItShouldBeHasNoFault) {
  EXPECT_THAT(FaultsOf(Peek(World()), {kPeekRule}), IsEmpty());
}

TEST(AuthorisationControl, AnOperationWithoutARuleIsNamed) {
  EXPECT_THAT(FaultsOf(Peek(World()), {}), Contains("memory_peek has no rule"));
  EXPECT_THAT(TryMatrix(World(), Catalogue(), {kPeekRule}).faults,
              Contains("memory_peek has a rule and is not there"));
}

TEST(AuthorisationControl, AnOperationThatIsOpenToTooManyIsCaught) {
  EXPECT_THAT(FaultsOf(Peek(World()), {{"memory_peek", About::kMemory, Caller::kAuditor, IdOf}}),
              Contains(HasSubstr("ok instead of forbidden")));
}

TEST(AuthorisationControl, AnOperationThatForgetsTheScopeIsCaught) {
  Operation peek = Peek(World());
  peek.run = [get = peek.run](const Caller& caller, const Json& arguments) {
    Caller wide = caller;
    wide.scope.clear();
    return get(wide, arguments);
  };
  const auto faults = FaultsOf(std::move(peek), {kPeekRule});
  EXPECT_THAT(faults, Contains(HasSubstr("ok instead of not_found")));
  EXPECT_THAT(faults, Contains(HasSubstr("the text of live in b shows")));
}

TEST(AuthorisationControl, AForbiddenObjectThatAnswersUnlikeAnAbsentOneIsCaught) {
  Operation peek = Peek(World());
  peek.run = [get = peek.run](const Caller& caller, const Json& arguments) -> Result<Json> {
    auto answer = get(caller, arguments);
    Caller wide = caller;
    wide.scope.clear();
    if (!answer && get(wide, arguments)) answer.error().message += " to you";
    return answer;
  };
  EXPECT_THAT(FaultsOf(std::move(peek), {kPeekRule}), Contains(HasSubstr("unlike what never was")));
}

TEST(AuthorisationControl, AnIdThatLeaksInAnAnswerIsCaught) {
  Operation peek = Peek(World());
  peek.run = [get = peek.run](const Caller& caller, const Json& arguments) -> Result<Json> {
    auto answer = get(caller, arguments);
    if (answer) (*answer)["next"] = World().target("live in b").id;
    return answer;
  };
  EXPECT_THAT(FaultsOf(std::move(peek), {kPeekRule}),
              Contains(HasSubstr("the id of live in b shows")));
}

TEST(AuthorisationControl, AnOperationThatDeclaresNoRolesIsRefusedToAll) {
  Operation peek = Peek(World());
  peek.roles = Operation().roles;
  EXPECT_THAT(FaultsOf(std::move(peek), {{"memory_peek", About::kMemory, 0, IdOf}}), IsEmpty());
}

// --- beside the operations

TEST(Authorisation, ListsExactlyTheToolsThatACallerMayCall) {
  const McpEndpoint endpoint({}, &World().catalogue(), nullptr, nullptr);
  for (const Caller& caller : World().callers()) {
    const McpReply reply =
        endpoint.Handle(caller, R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", nullptr);
    std::vector<std::string> listed;
    for (const Json& tool : (*reply.body)["result"]["tools"]) listed.push_back(tool["name"]);
    for (const Rule& rule : ProductRules()) {
      const Operation* operation = World().catalogue().Find(rule.operation);
      const bool is_open = operation->mcp_tool && caller.HasAnyOf(rule.roles);
      EXPECT_EQ((std::ranges::count(listed, rule.operation) == 1), is_open) << rule.operation;
    }
  }
}

TEST(Authorisation, OfResourcesIsThatOfTheirMemories) {
  const MemoryResources resources(World().engine());
  const auto read = [&](const Caller& caller, const Target& target, const std::string& tail) {
    const auto text = resources.Read(caller, "perdure://memory/" + target.id + tail);
    std::string said = text ? text->bytes : text.error().message;
    for (auto at = said.find(target.id); at != said.npos; at = said.find(target.id)) {
      said.replace(at, target.id.size(), "ID");
    }
    return std::pair(text ? "ok" : CodeName(text.error().code), said);
  };
  for (const Caller& caller : World().callers()) {
    for (const Target& target : World().targets()) {
      const std::string at_seq = "/asof/" + target.seq.dump();
      for (const std::string& tail : {std::string(), std::string("/v/1"), at_seq}) {
        const Rule rule = {"", About::kMemory, Caller::kAnyone, nullptr};
        const auto [code, said] = read(caller, target, tail);
        EXPECT_EQ(code, CodeByRules(rule, caller, target))
            << target.name << tail << " by " << int{caller.roles} << caller.scope;
        if (code != std::string("not_found")) continue;
        EXPECT_EQ(said, read(caller, World().target("nothing"), tail).second) << target.name;
      }
    }
    const auto index = resources.Read(caller, "perdure://index");
    EXPECT_EQ(index.has_value(), caller.roles != 0);
    if (index && caller.scope == "b") {
      EXPECT_THAT(index->bytes, Not(HasSubstr("- a")));
    }
  }
}

// Measured, and not judged: the machine's noise is larger than any bound that would be of use.
TEST(Authorisation, TakesAsLongForAForbiddenObjectAsForAnAbsentOne) {
  const Operation& get = *World().catalogue().Find("memory_get");
  const Caller& caller = World().caller(Caller::kAgent, "b");
  const auto median_of = [&](const Target& target) {
    std::vector<std::chrono::nanoseconds> times;
    for (int i = 0; i < 401; ++i) {
      const auto start = std::chrono::steady_clock::now();
      EXPECT_FALSE(World().catalogue().Call(get, caller, {{"id", target.id}}));
      times.push_back(std::chrono::steady_clock::now() - start);
    }
    std::ranges::nth_element(times, times.begin() + 200);
    return static_cast<double>(times[200].count());
  };
  const double absent = median_of(World().target("nothing"));
  for (const char* name : {"live in a", "archived in a", "forgotten in a", "erased in a",
                           "live at the top", "live in another space"}) {
    const std::string ratio = fmt::format("{:.2f}", median_of(World().target(name)) / absent);
    RecordProperty(name, ratio);
    std::printf("time of '%s' / time of nothing: %s\n", name, ratio.c_str());
  }
}

}  // namespace
}  // namespace perdure::testing
