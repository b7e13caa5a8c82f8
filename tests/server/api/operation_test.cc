#include "server/api/operation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "server/api/status.h"
#include "server/support/fixture.h"
#include "support/status_matchers.h"

namespace perdure {
namespace {

using Json = nlohmann::json;
using ::perdure::testing::FailsWith;
using ::perdure::testing::Fixture;
using ::perdure::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Caller With(Caller::RoleMask roles, std::string door = "rest") {
  Caller caller;
  caller.roles = roles;
  caller.door = std::move(door);
  return caller;
}

std::vector<std::string> NamesFor(const Catalogue& catalogue, const Caller& caller) {
  std::vector<std::string> names;
  for (const Operation* operation : catalogue.ListFor(caller)) names.push_back(operation->name);
  return names;
}

Operation Minimal(std::string name) {
  Operation operation;
  operation.name = std::move(name);
  operation.run = [](const Caller&, const Json&) -> Result<Json> { return Json::object(); };
  return operation;
}

TEST(CatalogueTest, OnlyWhatTheRolesAllowIsListedInFixedOrder) {
  const Fixture fixture;
  EXPECT_THAT(NamesFor(fixture.catalogue, With(Caller::kAgent)),
              ElementsAre("echo", "note_put", "note_get", "note_fail", "note_throw", "rest_only"));
  EXPECT_THAT(
      NamesFor(fixture.catalogue, With(Caller::kAuditor)),
      ElementsAre("echo", "note_get", "note_fail", "note_throw", "audit_peek", "rest_only"));
  EXPECT_THAT(NamesFor(fixture.catalogue, With(0)), ElementsAre());
}

TEST(CatalogueTest, CallsBeyondTheRolesAreForbidden) {
  const Fixture fixture;
  const Operation& peek = *fixture.catalogue.Find("audit_peek");
  EXPECT_THAT(fixture.catalogue.Call(peek, With(Caller::kAuditor), nullptr), IsOk());
  EXPECT_THAT(fixture.catalogue.Call(peek, With(Caller::kAgent), nullptr),
              FailsWith(Code::kForbidden, HasSubstr("audit_peek")));
}

TEST(CatalogueTest, ArgumentsAreReadBeforeTheOperationRuns) {
  const Fixture fixture;
  const Operation& echo = *fixture.catalogue.Find("echo");
  EXPECT_EQ(fixture.catalogue.Call(echo, With(Caller::kAgent), {{"text", "a"}, {"times", "2"}})
                .value()["text"],
            "aa");
  EXPECT_THAT(fixture.catalogue.Call(echo, With(Caller::kAgent), {{"tekst", "a"}}),
              FailsWith(Code::kInvalidArgument, HasSubstr("tekst")));
}

TEST(CatalogueTest, TheWritePolicyBindsAllButOperators) {
  const Json note = {{"id", "n"}, {"text", "t"}};
  const auto may_write = [&](WritePolicy policy, const Caller& caller) {
    const Fixture fixture(policy);
    const Operation& put = *fixture.catalogue.Find("note_put");
    const bool is_listed =
        NamesFor(fixture.catalogue, caller).size() > 5 || caller.HasAnyOf(Caller::kOperator);
    const bool may = fixture.catalogue.Call(put, caller, note).has_value();
    EXPECT_EQ(may, is_listed);
    return may;
  };
  EXPECT_TRUE(may_write(WritePolicy::kAlways, With(Caller::kAgent, "mcp-http")));
  EXPECT_FALSE(may_write(WritePolicy::kStdio, With(Caller::kAgent, "mcp-http")));
  EXPECT_FALSE(may_write(WritePolicy::kStdio, With(Caller::kAgent, "rest")));
  EXPECT_TRUE(may_write(WritePolicy::kStdio, With(Caller::kAgent, "mcp-stdio")));
  EXPECT_FALSE(may_write(WritePolicy::kNever, With(Caller::kAgent, "mcp-stdio")));
  EXPECT_TRUE(may_write(WritePolicy::kNever, With(Caller::kOperator, "rest")));
}

TEST(CatalogueTest, TheErasePolicyBindsOperatorsTooAndHidesWhatItForbids) {
  const auto may_erase = [](WritePolicy policy, const char* door, bool erases = true) {
    Catalogue catalogue(WritePolicy::kAlways, policy);
    Operation operation = Minimal("wipe");
    operation.roles = Caller::kOperator;
    operation.erases = erases;
    catalogue.Add(std::move(operation));
    const Caller caller = With(Caller::kOperator, door);
    const bool may = catalogue.Call(*catalogue.Find("wipe"), caller, nullptr).has_value();
    EXPECT_EQ(may, !NamesFor(catalogue, caller).empty());
    return may;
  };
  EXPECT_TRUE(may_erase(WritePolicy::kAlways, "mcp-http"));
  for (const char* door : {"mcp-http", "rest"}) EXPECT_FALSE(may_erase(WritePolicy::kStdio, door));
  for (const char* door : {"mcp-stdio", "cli"}) EXPECT_TRUE(may_erase(WritePolicy::kStdio, door));
  for (const char* door : {"mcp-http", "rest", "mcp-stdio", "cli"}) {
    EXPECT_FALSE(may_erase(WritePolicy::kNever, door));
    EXPECT_TRUE(may_erase(WritePolicy::kNever, door, false));
  }
}

TEST(CatalogueDeathTest, MalformedOperationsAreBugs) {
  const auto add = [](auto change) {
    Catalogue catalogue;
    Operation operation = Minimal("fine");
    change(operation);
    catalogue.Add(std::move(operation));
  };
  add([](Operation&) {});
  EXPECT_DEATH(add([](Operation& operation) { operation.name = "camelCase"; }), "IsSnakeCase");
  EXPECT_DEATH(add([](Operation& operation) { operation.run = nullptr; }), "run");
  EXPECT_DEATH(add([](Operation& operation) {
                 operation.input_schema["properties"]["x"] = {{"anyOf", Json::array()}};
               }),
               "IsObjectSchema");
  EXPECT_DEATH(add([](Operation& operation) {
                 operation.input_schema["properties"]["x"] = {{"type", {"string", "null"}}};
               }),
               "IsObjectSchema");
  EXPECT_DEATH(add([](Operation& operation) {
                 operation.http_method = "GET";
                 operation.http_path = "/api/v1/things/{id}";
               }),
               "PathNamesArguments");
  EXPECT_DEATH(
      {
        Catalogue catalogue;
        catalogue.Add(Minimal("twice"));
        catalogue.Add(Minimal("twice"));
      },
      "by_name_");
}

TEST(StatusTest, CodesMapOneToOneToHttpStatuses) {
  std::set<int> statuses;
  for (int i = 0; i <= static_cast<int>(Code::kInternal); ++i) {
    const int status = HttpStatus(static_cast<Code>(i));
    EXPECT_GE(status, 400);
    EXPECT_LT(status, 600);
    EXPECT_TRUE(statuses.insert(status).second) << status;
  }
}

TEST(StatusTest, RestErrorsCarryCodeMessageFieldAndDetails) {
  const Error error{Code::kAmbiguous,
                    "two fit",
                    "id",
                    {{"candidate", "a"}, {"candidate", "b"}, {"candidate", "c"}, {"seq", "7"}}};
  EXPECT_EQ(RestError(error), Json::parse(R"({"error": {"code": "ambiguous", "message": "two fit",
      "field": "id", "candidate": ["a", "b", "c"], "seq": "7"}})"));
}

TEST(StatusTest, DetailsCannotOverwriteWhatAnErrorIs) {
  const Error error{Code::kNotFound, "gone", "", {{"code", "fine"}, {"message", "no"}}};
  EXPECT_EQ(RestError(error),
            Json::parse(R"({"error": {"code": "not_found", "message": "gone"}})"));
}

TEST(StatusTest, ToolErrorsCarryTheSameInMetaAndTheFactsInText) {
  const Error error{
      Code::kConflict, "version 8 stands", "expected_version", {{"current_version", "8"}}};
  const Json result = McpToolError(error);
  EXPECT_EQ(result["isError"], true);
  EXPECT_EQ(result["_meta"]["code"], "conflict");
  EXPECT_EQ(result["_meta"]["field"], "expected_version");
  EXPECT_EQ(result["_meta"]["current_version"], "8");
  EXPECT_THAT(result["content"][0]["text"].get<std::string>(), HasSubstr("version 8 stands"));
  EXPECT_THAT(result["content"][0]["text"].get<std::string>(),
              HasSubstr("\"current_version\":\"8\""));
}

}  // namespace
}  // namespace perdure
