// What the endpoint does around operations that talk, sessions that remember, and completions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/base/front_limits.h"
#include "server/api/json.h"
#include "server/mcp/conformance_tools.h"
#include "server/mcp/endpoint.h"
#include "server/mcp/protocol.h"
#include "server/support/fixture.h"

namespace perdure {
namespace {

using Json = nlohmann::json;
using ::testing::ElementsAre;

class TalkingTest : public ::testing::Test {
 protected:
  TalkingTest() {
    testing::AddConformanceTools(catalogue_, false);
    testing::AddConformanceQuestions(catalogue_);
  }

  McpReply Legacy(const std::string& method, const Json& params = Json::object(),
                  McpSession* session = nullptr) {
    const Json message = {{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}};
    return mcp_.Handle(caller_, DumpJson(message), nullptr, session);
  }
  int LegacyCode(const std::string& method, const Json& params, McpSession* session = nullptr) {
    return Legacy(method, params, session).body->value(Json::json_pointer("/error/code"), 0);
  }

  McpReply Modern(const std::string& method, Json params = Json::object(),
                  const Json& capabilities = {{"elicitation", Json::object()}}) {
    params["_meta"][mcp::kVersionKey] = mcp::kModernVersion;
    params["_meta"][mcp::kClientCapabilitiesKey] = capabilities;
    const Json message = {{"jsonrpc", "2.0"}, {"id", "m"}, {"method", method}, {"params", params}};
    return mcp_.Handle(caller_, DumpJson(message), nullptr);
  }

  // Runs a call that talks: its notifications and then its answer.
  static std::vector<Json> Listen(const McpReply& reply) {
    std::vector<Json> messages;
    if (reply.call) {
      messages.push_back(reply.call([&](const Json& message) { messages.push_back(message); }));
    } else {
      messages.push_back(*reply.body);
    }
    return messages;
  }

  Caller caller_ = testing::FixedTokens().Authenticate("agent-token").value();
  Catalogue catalogue_;
  testing::Notes notes_;
  testing::ConformancePrompts prompts_;
  testing::ConformanceCompletions completions_;
  McpEndpoint mcp_{
      {"talker", "Talker", "1", "", "key"}, &catalogue_, &notes_, &prompts_, &completions_};
};

std::vector<std::string> MethodsOf(const std::vector<Json>& messages) {
  std::vector<std::string> methods;
  for (const Json& message : messages) methods.push_back(message.value("method", "(answer)"));
  return methods;
}

TEST_F(TalkingTest, ACallTalksOnlyToThoseWhoListen) {
  const Json progress = {{"name", "test_tool_with_progress"}, {"_meta", {{"progressToken", "p"}}}};
  const auto heard = Listen(Modern("tools/call", progress));
  EXPECT_THAT(MethodsOf(heard), ElementsAre("notifications/progress", "notifications/progress",
                                            "notifications/progress", "(answer)"));
  EXPECT_EQ(heard.back()["result"]["resultType"], "complete");
  EXPECT_FALSE(Modern("tools/call", {{"name", "test_tool_with_progress"}}).call);
  EXPECT_FALSE(
      Modern("tools/call", {{"name", "test_simple_text"}, {"_meta", {{"progressToken", "p"}}}})
          .call);
}

TEST_F(TalkingTest, ALegacyCallLogsFromTheLevelOfItsSession) {
  McpSession session("");
  const Json params = {{"name", "test_tool_with_logging"}};
  EXPECT_FALSE(Legacy("tools/call", params, &session).call);
  EXPECT_EQ((*Legacy("logging/setLevel", {{"level", "info"}}, &session).body)["result"],
            Json::object());
  EXPECT_THAT(MethodsOf(Listen(Legacy("tools/call", params, &session))),
              ElementsAre("notifications/message", "notifications/message", "notifications/message",
                          "(answer)"));
  Legacy("logging/setLevel", {{"level", "warning"}}, &session);
  EXPECT_THAT(MethodsOf(Listen(Legacy("tools/call", params, &session))), ElementsAre("(answer)"));
  EXPECT_EQ(LegacyCode("logging/setLevel", {{"level", "loud"}}, &session), mcp::kInvalidParams);
}

TEST_F(TalkingTest, WhatIsAboutTheSessionNeedsOne) {
  McpSession session("");
  for (const auto& [method, params] : std::vector<std::pair<std::string, Json>>{
           {"logging/setLevel", {{"level", "info"}}},
           {"resources/subscribe", {{"uri", "perdure://index"}}},
           {"resources/unsubscribe", {{"uri", "perdure://index"}}}}) {
    const McpReply without = Legacy(method, params);
    EXPECT_EQ(without.http_status, 400) << method;
    EXPECT_EQ((*without.body)["error"]["code"], mcp::kInvalidRequest) << method;
    EXPECT_EQ((*Legacy(method, params, &session).body)["result"], Json::object()) << method;
  }
}

TEST_F(TalkingTest, ASessionWatchesResourcesWithNamesOfBoundedLength) {
  McpSession session("");
  const auto code_of = [&](std::size_t size) {
    return LegacyCode("resources/subscribe", {{"uri", std::string(size, 'u')}}, &session);
  };
  EXPECT_EQ(code_of(limits::kMcpUriBytesMax - 1), 0);
  EXPECT_EQ(code_of(limits::kMcpUriBytesMax), 0);
  EXPECT_EQ(code_of(limits::kMcpUriBytesMax + 1), mcp::kInvalidParams);
  EXPECT_EQ(LegacyCode("resources/subscribe", {{"uri", 7}}, &session), mcp::kInvalidParams);
}

TEST_F(TalkingTest, CapabilitiesAreThoseThatThereAre) {
  const Json params = {{"protocolVersion", "2025-11-25"}};
  const Json all = Json::parse(R"({"tools": {}, "resources": {"subscribe": true}, "prompts": {},
                                   "completions": {}, "logging": {}})");
  EXPECT_EQ((*Legacy("initialize", params).body)["result"]["capabilities"], all);
  EXPECT_EQ((*Modern("server/discover").body)["result"]["capabilities"], all);

  Catalogue silent;
  const McpEndpoint bare({"bare", "Bare", "1", "", "key"}, &silent, nullptr, nullptr);
  const auto ask = [&](const std::string& method) {
    const Json message = {
        {"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", {{"level", "info"}}}};
    return *bare.Handle(caller_, DumpJson(message), nullptr).body;
  };
  EXPECT_EQ(ask("initialize")["result"]["capabilities"], Json::parse(R"({"tools": {}})"));
  for (const char* method : {"logging/setLevel", "resources/subscribe", "completion/complete"}) {
    EXPECT_EQ(ask(method)["error"]["code"], mcp::kMethodNotFound) << method;
  }
}

TEST_F(TalkingTest, AQuestionGoesOutAndTheAnswerCompletesTheCall) {
  const std::string tool = "test_input_required_result_request_state";
  const Json asked = (*Modern("tools/call", {{"name", tool}}).body)["result"];
  EXPECT_EQ(asked["resultType"], "input_required");
  EXPECT_EQ(asked["inputRequests"]["confirm"]["method"], "elicitation/create");
  EXPECT_FALSE(asked.contains("content"));
  EXPECT_TRUE(asked["_meta"].contains(mcp::kServerInfoKey));

  Json again = {
      {"name", tool},
      {"inputResponses", {{"confirm", {{"action", "accept"}, {"content", {{"ok", true}}}}}}},
      {"requestState", asked["requestState"]}};
  const Json done = (*Modern("tools/call", again).body)["result"];
  EXPECT_EQ(done["resultType"], "complete");
  EXPECT_EQ(done["structuredContent"]["state"], "state-ok");

  caller_ = testing::FixedTokens().Authenticate("operator-token").value();
  EXPECT_EQ((*Modern("tools/call", again).body)["error"]["code"], mcp::kInvalidParams);
}

TEST_F(TalkingTest, PromptsMayAskToo) {
  const Json asked =
      (*Modern("prompts/get", {{"name", "test_input_required_result_prompt"}}).body)["result"];
  EXPECT_EQ(asked["resultType"], "input_required");
  EXPECT_FALSE(asked.contains("messages"));
}

TEST_F(TalkingTest, ACapabilityThatTheClientLacksIsNamedUnder400) {
  const McpReply reply = Modern("tools/call", {{"name", "test_missing_capability"}});
  EXPECT_EQ(reply.http_status, 400);
  const Json& error = (*reply.body)["error"];
  EXPECT_EQ(error["code"], mcp::kMissingClientCapability);
  EXPECT_EQ(error["data"]["requiredCapabilities"], Json::parse(R"({"sampling": {}})"));
  const McpReply with =
      Modern("tools/call", {{"name", "test_missing_capability"}}, {{"sampling", Json::object()}});
  EXPECT_EQ((*with.body)["result"]["resultType"], "input_required");
}

TEST_F(TalkingTest, TheLegacyEraGetsAToolErrorInsteadOfAQuestion) {
  const Json result = (*Legacy("tools/call", {{"name", "test_missing_capability"}}).body)["result"];
  EXPECT_EQ(result["isError"], true);
  EXPECT_EQ(result["_meta"]["code"], "unavailable");
  EXPECT_FALSE(result.contains("resultType"));
}

TEST_F(TalkingTest, ContentBlocksAndBytesPassAsTheyAre) {
  const Json image =
      (*Legacy("tools/call", {{"name", "test_image_content"}}).body)["result"]["content"][0];
  EXPECT_EQ(image["mimeType"], "image/png");
  const Json messages =
      (*Legacy("prompts/get", {{"name", "test_prompt_with_image"}}).body)["result"]["messages"];
  EXPECT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0]["content"]["type"], "image");

  const testing::ConformanceResources resources;
  const McpEndpoint binary({"b", "B", "1", "", "key"}, &catalogue_, &resources, nullptr);
  const Json message = {{"jsonrpc", "2.0"},
                        {"id", 1},
                        {"method", "resources/read"},
                        {"params", {{"uri", "test://static-binary"}}}};
  const Json content =
      (*binary.Handle(caller_, DumpJson(message), nullptr).body)["result"]["contents"][0];
  EXPECT_EQ(content["blob"], "iVBOR/8=");
  EXPECT_FALSE(content.contains("text"));
}

// Completions

class Counting final : public CompletionProvider {
 public:
  explicit Counting(std::size_t count) : count_(count) {}
  Result<std::vector<std::string>> Complete(const Caller&, const CompletionTarget&) const override {
    return std::vector<std::string>(count_, "value");
  }

 private:
  std::size_t count_;
};

Json CompletionOf(const std::string& type, const std::string& name, const std::string& argument) {
  return {{"ref", {{"type", type}, {type == "ref/prompt" ? "name" : "uri", name}}},
          {"argument", {{"name", argument}, {"value", "hav"}}}};
}

TEST_F(TalkingTest, ArgumentsOfPromptsAndTemplatesAreCompleted) {
  for (const Json& params : {CompletionOf("ref/prompt", "test_prompt_with_arguments", "arg1"),
                             CompletionOf("ref/resource", "perdure://memory/{id}", "id")}) {
    const Json completion = (*Legacy("completion/complete", params).body)["result"]["completion"];
    EXPECT_EQ(completion, Json::parse(R"({"values": ["having", "haved"], "total": 2,
                                          "hasMore": false})"))
        << params;
  }
  const Json modern =
      (*Modern("completion/complete", CompletionOf("ref/resource", "perdure://memory/{id}", "id"))
            .body)["result"];
  EXPECT_EQ(modern["resultType"], "complete");
}

TEST_F(TalkingTest, WhatIsNotThereIsNotCompleted) {
  for (const Json& params : {CompletionOf("ref/prompt", "test_prompt_with_arguments", "arg3"),
                             CompletionOf("ref/prompt", "nope", "arg1"),
                             CompletionOf("ref/resource", "perdure://memory/{id}", "n"),
                             CompletionOf("ref/resource", "perdure://memory/x", "id"),
                             CompletionOf("ref/tool", "test_simple_text", "x"), Json::object()}) {
    EXPECT_EQ(LegacyCode("completion/complete", params), mcp::kInvalidParams) << params;
  }
}

TEST_F(TalkingTest, CompletionsAreCutAtTheMaximumAndSaySo) {
  const auto complete = [&](std::size_t count) {
    const Counting counting(count);
    const McpEndpoint mcp({"c", "C", "1", "", "key"}, &catalogue_, nullptr, &prompts_, &counting);
    const Json message = {
        {"jsonrpc", "2.0"},
        {"id", 1},
        {"method", "completion/complete"},
        {"params", CompletionOf("ref/prompt", "test_prompt_with_arguments", "arg1")}};
    return (*mcp.Handle(caller_, DumpJson(message), nullptr).body)["result"]["completion"];
  };
  constexpr std::size_t kMax = limits::kMcpCompletionsMax;
  for (const std::size_t count : {kMax - 1, kMax, kMax + 1}) {
    const Json completion = complete(count);
    EXPECT_EQ(completion["values"].size(), std::min(count, kMax));
    EXPECT_EQ(completion["total"], count);
    EXPECT_EQ(completion["hasMore"], count > kMax);
  }
}

}  // namespace
}  // namespace perdure
