// Resources, prompts and subscriptions.
#include "server/mcp/endpoint_fixture.h"

namespace perdure {
namespace {

TEST_F(McpEndpointTest, ResourcesAreListedAndRead) {
  fixture_.notes.Put("n", "remember");
  EXPECT_EQ(Legacy("resources/list")["result"]["resources"][0]["uri"], "perdure://index");
  EXPECT_EQ(Legacy("resources/templates/list")["result"]["resourceTemplates"][0]["uriTemplate"],
            "perdure://memory/{id}");
  EXPECT_EQ(Legacy("resources/read", {{"uri", "perdure://memory/n"}})["result"]["contents"][0],
            Json::parse(R"({"uri": "perdure://memory/n", "mimeType": "text/markdown",
                            "text": "remember"})"));
}

TEST_F(McpEndpointTest, AResourceThatIsNotThereHasTheCodeOfItsEra) {
  const Json params = {{"uri", "perdure://memory/gone"}};
  EXPECT_EQ(Legacy("resources/read", params)["error"]["code"], -32002);
  const Json error = Modern("resources/read", params)["error"];
  EXPECT_EQ(error["code"], -32602);
  EXPECT_EQ(error["data"]["uri"], "perdure://memory/gone");
}

TEST_F(McpEndpointTest, PromptsAreListedAndRendered) {
  const Json prompt = Legacy("prompts/list")["result"]["prompts"][0];
  EXPECT_EQ(prompt["arguments"][0], Json::parse(R"({"name": "topic", "required": true,
      "description": "What the work is about"})"));
  const Json result =
      Legacy("prompts/get", {{"name", "recall"}, {"arguments", {{"topic", "tea"}}}})["result"];
  EXPECT_EQ(result["messages"][0]["role"], "user");
  EXPECT_EQ(result["messages"][0]["content"]["text"], "Search for tea");
}

TEST_F(McpEndpointTest, PromptArgumentsAreChecked) {
  const auto code_of = [&](Json params) {
    return Legacy("prompts/get", std::move(params)).value(Json::json_pointer("/error/code"), 0);
  };
  EXPECT_EQ(code_of({{"name", "recall"}, {"arguments", {{"topic", "tea"}}}}), 0);
  EXPECT_EQ(code_of({{"name", "recall"}}), mcp::kInvalidParams);
  EXPECT_EQ(code_of({{"name", "nope"}}), mcp::kInvalidParams);
  EXPECT_EQ(code_of({{"name", "recall"}, {"arguments", {{"topic", 7}}}}), mcp::kInvalidParams);
  EXPECT_EQ(code_of({{"name", "recall"}, {"arguments", {{"topic", "t"}, {"more", "m"}}}}),
            mcp::kInvalidParams);
}

TEST_F(McpEndpointTest, CursorsThatWereNeverGivenAreRefused) {
  EXPECT_EQ(Legacy("tools/list", {{"cursor", "abc"}})["error"]["code"], mcp::kInvalidParams);
  EXPECT_TRUE(Legacy("tools/list", {{"cursor", nullptr}}).contains("result"));
}

TEST_F(McpEndpointTest, WithoutProvidersTheirMethodsDoNotExist) {
  const McpEndpoint bare(testing::FixtureOptions(), &fixture_.catalogue, nullptr, nullptr);
  const auto ask = [&](const std::string& method) {
    return *bare.Handle(Caller{}, DumpJson(ModernMessage(method)), nullptr).body;
  };
  EXPECT_EQ(ask("server/discover")["result"]["capabilities"], Json::parse(R"({"tools":{}})"));
  EXPECT_EQ(ask("resources/list")["error"]["code"], mcp::kMethodNotFound);
  EXPECT_EQ(ask("prompts/list")["error"]["code"], mcp::kMethodNotFound);
}

TEST_F(McpEndpointTest, ASubscriptionAcknowledgesWhatItAgreesToAndReportsChanges) {
  fixture_.notes.Put("n", "one");
  const McpReply reply = Send(ModernMessage(
      "subscriptions/listen",
      {{"notifications",
        {{"toolsListChanged", true},
         {"resourceSubscriptions", {"perdure://memory/n", "perdure://memory/other"}}}}}));
  ASSERT_TRUE(reply.subscription);
  EXPECT_FALSE(reply.body);
  const Json acknowledged = reply.subscription->Acknowledge();
  EXPECT_EQ(acknowledged["method"], "notifications/subscriptions/acknowledged");
  EXPECT_EQ(acknowledged["params"]["_meta"][mcp::kSubscriptionIdKey], "m");
  EXPECT_EQ(acknowledged["params"]["notifications"],
            Json::parse(R"({"resourceSubscriptions": ["perdure://memory/n",
                                                      "perdure://memory/other"]})"));
  EXPECT_TRUE(reply.subscription->Poll().empty());
  fixture_.notes.Put("n", "two");
  fixture_.notes.Put("unasked", "three");
  const std::vector<Json> changes = reply.subscription->Poll();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0]["method"], "notifications/resources/updated");
  EXPECT_EQ(changes[0]["params"]["uri"], "perdure://memory/n");
  EXPECT_EQ(changes[0]["params"]["_meta"][mcp::kSubscriptionIdKey], "m");
  EXPECT_TRUE(reply.subscription->Poll().empty());
  const Json end = reply.subscription->End();
  EXPECT_EQ(end["id"], "m");
  EXPECT_EQ(end["result"]["resultType"], "complete");
}

TEST_F(McpEndpointTest, ASubscriptionNeedsAFilterOfBoundedLength) {
  const auto code_of = [&](Json params) {
    const McpReply reply = Send(ModernMessage("subscriptions/listen", std::move(params)));
    return reply.body ? (*reply.body)["error"]["code"].get<int>() : 0;
  };
  const auto uris = [](std::size_t count) {
    return Json{{"notifications",
                 {{"resourceSubscriptions", std::vector<std::string>(count, "perdure://index")}}}};
  };
  EXPECT_EQ(code_of(Json::object()), mcp::kInvalidParams);
  EXPECT_EQ(code_of({{"notifications", Json::object()}}), 0);
  EXPECT_EQ(code_of({{"notifications", {{"resourceSubscriptions", {1}}}}}), mcp::kInvalidParams);
  EXPECT_EQ(code_of(uris(limits::kSubscriptionUrisMax - 1)), 0);
  EXPECT_EQ(code_of(uris(limits::kSubscriptionUrisMax)), 0);
  EXPECT_EQ(code_of(uris(limits::kSubscriptionUrisMax + 1)), mcp::kInvalidParams);
}

}  // namespace
}  // namespace perdure
