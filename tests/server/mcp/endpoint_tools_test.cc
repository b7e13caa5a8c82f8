// Tools: listed, called, refused.
#include <vector>

#include "server/mcp/endpoint_fixture.h"

namespace perdure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> NamesOf(const Json& tools) {
  std::vector<std::string> names;
  for (const Json& tool : tools) names.push_back(tool["name"]);
  return names;
}

TEST_F(McpEndpointTest, ToolsAreListedForTheRolesInFixedOrder) {
  EXPECT_THAT(NamesOf(Legacy("tools/list")["result"]["tools"]),
              ElementsAre("echo", "note_put", "note_get", "note_fail", "note_throw"));
  const McpReply reply = Send(ModernMessage("tools/list"), nullptr, "auditor-token");
  EXPECT_THAT(NamesOf((*reply.body)["result"]["tools"]),
              ElementsAre("echo", "note_get", "note_fail", "note_throw", "audit_peek"));
}

TEST_F(McpEndpointTest, AToolIsDescribedWhole) {
  const Json echo = Legacy("tools/list")["result"]["tools"][0];
  EXPECT_EQ(echo["title"], "Echo");
  EXPECT_EQ(echo["annotations"], Json::parse(R"({"readOnlyHint": true, "destructiveHint": false,
      "idempotentHint": true, "openWorldHint": false})"));
  EXPECT_EQ(echo["inputSchema"]["required"], Json::array({"text"}));
  EXPECT_EQ(echo["outputSchema"]["type"], "object");
  const std::string all = DumpJson(Legacy("tools/list"));
  EXPECT_EQ(all.find("x-keep-empty"), all.npos);
}

TEST_F(McpEndpointTest, ACallAnswersStructuredAndAsText) {
  const Json result = Legacy(
      "tools/call", {{"name", "echo"}, {"arguments", {{"text", "hi"}, {"times", "2"}}}})["result"];
  EXPECT_EQ(result["structuredContent"]["text"], "hihi");
  EXPECT_EQ(Json::parse(result["content"][0]["text"].get<std::string>()),
            result["structuredContent"]);
  EXPECT_FALSE(result.contains("isError"));
}

TEST_F(McpEndpointTest, AMirrorReplacesTheTextOnly) {
  fixture_.notes.Put("n", "remember");
  const Json result =
      Legacy("tools/call", {{"name", "note_get"}, {"arguments", {{"id", "n"}}}})["result"];
  EXPECT_EQ(result["structuredContent"]["text"], "remember");
  EXPECT_THAT(result["content"][0]["text"].get<std::string>(), HasSubstr("<<<perdure-data "));
}

TEST_F(McpEndpointTest, WrongArgumentsAreToolErrorsThatAModelCanRead) {
  const Json result =
      Legacy("tools/call", {{"name", "echo"}, {"arguments", {{"tekst", "hi"}}}})["result"];
  EXPECT_EQ(result["isError"], true);
  EXPECT_EQ(result["_meta"]["code"], "invalid_argument");
  EXPECT_EQ(result["_meta"]["field"], "tekst");
  EXPECT_FALSE(result.contains("structuredContent"));
  EXPECT_THAT(result["content"][0]["text"].get<std::string>(), HasSubstr("tags, text, times"));
}

TEST_F(McpEndpointTest, ModernToolErrorsKeepTheirCodeBesideTheServersName) {
  const Json result = Modern(
      "tools/call", {{"name", "note_fail"}, {"arguments", {{"code", "ambiguous"}}}})["result"];
  EXPECT_EQ(result["_meta"]["code"], "ambiguous");
  EXPECT_EQ(result["_meta"]["candidate"], Json::array({"one", "two"}));
  EXPECT_TRUE(result["_meta"].contains(mcp::kServerInfoKey));
}

TEST_F(McpEndpointTest, ToolsThatAreUnknownOrNotForAgentsAreNotCalled) {
  EXPECT_EQ(Legacy("tools/call", {{"name", "nope"}})["error"]["code"], mcp::kInvalidParams);
  EXPECT_EQ(Legacy("tools/call", {{"name", "rest_only"}})["error"]["code"], mcp::kInvalidParams);
  EXPECT_EQ(Legacy("tools/call", Json::object())["error"]["code"], mcp::kInvalidParams);
  EXPECT_EQ(Legacy("tools/call", {{"name", "audit_peek"}})["result"]["_meta"]["code"], "forbidden");
}

TEST_F(McpEndpointTest, TheClientNamesItselfInTheModernEra) {
  const Json result = Modern("tools/call", {{"name", "echo"}, {"arguments", {{"text", "a"}}}});
  EXPECT_EQ(result["result"]["structuredContent"]["client"], "tester/9");
}

}  // namespace
}  // namespace perdure
