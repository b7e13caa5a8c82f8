#include "server/mcp/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "server/api/json.h"
#include "server/mcp/protocol.h"
#include "server/support/fixture.h"

namespace perdure {
namespace {

using Json = nlohmann::json;
using ::perdure::testing::Fixture;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class McpEndpointTest : public ::testing::Test {
 protected:
  McpReply Send(const Json& message, const McpHeaders* headers = nullptr,
                const std::string& token = "agent-token") {
    return fixture_.mcp.Handle(fixture_.tokens.Authenticate(token).value(), DumpJson(message),
                               headers);
  }

  Json Legacy(const std::string& method, Json params = Json::object()) {
    return *Send({{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}}).body;
  }

  static Json ModernMessage(const std::string& method, Json params = Json::object()) {
    params["_meta"] = {{mcp::kVersionKey, mcp::kModernVersion},
                       {mcp::kClientInfoKey, {{"name", "tester"}, {"version", "9"}}},
                       {mcp::kClientCapabilitiesKey, Json::object()}};
    return {{"jsonrpc", "2.0"}, {"id", "m"}, {"method", method}, {"params", params}};
  }

  Json Modern(const std::string& method, Json params = Json::object()) {
    return *Send(ModernMessage(method, std::move(params))).body;
  }

  static McpHeaders HeadersOf(const Json& message) {
    McpHeaders headers{std::string(mcp::kModernVersion), message["method"].get<std::string>(), {}};
    if (message["params"].contains("name")) headers.name = message["params"]["name"];
    if (message["params"].contains("uri")) headers.name = message["params"]["uri"];
    return headers;
  }

  Fixture fixture_;
};

std::vector<std::string> NamesOf(const Json& tools) {
  std::vector<std::string> names;
  for (const Json& tool : tools) names.push_back(tool["name"]);
  return names;
}

// What is wrong with the message itself

TEST_F(McpEndpointTest, MalformedMessagesAreRefusedWith400) {
  const auto refuse = [&](const std::string& text) {
    const McpReply reply = fixture_.mcp.Handle(Caller{}, text, nullptr);
    EXPECT_EQ(reply.http_status, 400) << text;
    return (*reply.body)["error"]["code"].get<int>();
  };
  EXPECT_EQ(refuse("{"), mcp::kParseError);
  EXPECT_EQ(refuse("\xff"), mcp::kParseError);
  EXPECT_EQ(refuse(std::string(100, '[')), mcp::kParseError);
  EXPECT_EQ(refuse("1"), mcp::kInvalidRequest);
  EXPECT_EQ(refuse(R"({"id":1,"method":"ping"})"), mcp::kInvalidRequest);
  EXPECT_EQ(refuse(R"({"jsonrpc":"1.0","id":1,"method":"ping"})"), mcp::kInvalidRequest);
  EXPECT_EQ(refuse(R"({"jsonrpc":"2.0","id":1})"), mcp::kInvalidRequest);
  EXPECT_EQ(refuse(R"({"jsonrpc":"2.0","id":1,"method":7})"), mcp::kInvalidRequest);
  EXPECT_EQ(refuse(R"({"jsonrpc":"2.0","id":null,"method":"ping"})"), mcp::kInvalidRequest);
  EXPECT_EQ(refuse(R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})"), mcp::kInvalidRequest);
  EXPECT_EQ(refuse(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})"),
            mcp::kInvalidRequest);
  EXPECT_EQ(Legacy("ping")["result"], Json::object());
}

TEST_F(McpEndpointTest, BatchesAreRefusedWith400) {
  const Json ping = {{"jsonrpc", "2.0"}, {"id", 1}, {"method", "ping"}};
  const McpReply reply = Send(Json::array({ping}));
  EXPECT_EQ(reply.http_status, 400);
  EXPECT_EQ((*reply.body)["error"]["code"], mcp::kInvalidRequest);
  EXPECT_FALSE(reply.body->contains("id"));
  EXPECT_EQ(Send(ping).http_status, 200);
}

TEST_F(McpEndpointTest, NotificationsAndResponsesAreAcceptedWithoutAnswer) {
  for (const Json& message :
       {Json{{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}},
        Json{{"jsonrpc", "2.0"}, {"method", "no/such"}, {"params", Json::object()}},
        Json{{"jsonrpc", "2.0"}, {"id", 1}, {"result", Json::object()}}}) {
    const McpReply reply = Send(message);
    EXPECT_EQ(reply.http_status, 202);
    EXPECT_FALSE(reply.body);
  }
}

TEST_F(McpEndpointTest, ABugInAnOperationIsAnErrorAndNotTheEnd) {
  const Json reply = Legacy("tools/call", {{"name", "note_throw"}});
  EXPECT_EQ(reply["error"]["code"], mcp::kInternalError);
  EXPECT_EQ(reply["id"], 1);
}

// The era of initialize

TEST_F(McpEndpointTest, InitializeEchoesAKnownVersionAndElseOffersTheNewest) {
  for (const char* version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    EXPECT_EQ(Legacy("initialize", {{"protocolVersion", version}})["result"]["protocolVersion"],
              version);
  }
  for (const Json& other : {Json("2023-01-01"), Json("2026-07-28"), Json(7), Json()}) {
    EXPECT_EQ(Legacy("initialize", {{"protocolVersion", other}})["result"]["protocolVersion"],
              "2025-11-25");
  }
}

TEST_F(McpEndpointTest, InitializeTellsWhoAnswersAndWhatItCan) {
  const McpReply reply = Send({{"jsonrpc", "2.0"},
                               {"id", 1},
                               {"method", "initialize"},
                               {"params",
                                {{"protocolVersion", "2025-06-18"},
                                 {"clientInfo", {{"name", "desk"}, {"version", "3"}}}}}});
  const Json& result = (*reply.body)["result"];
  EXPECT_EQ(result["serverInfo"]["name"], "perdure-echo");
  EXPECT_EQ(result["instructions"], "Call echo to hear yourself.");
  EXPECT_EQ(result["capabilities"], Json::parse(R"({"tools":{},"resources":{},"prompts":{}})"));
  EXPECT_EQ(reply.client, "desk/3");
}

TEST_F(McpEndpointTest, LegacyResultsCarryNothingOfTheModernEra) {
  const Json result = Legacy("tools/list")["result"];
  EXPECT_FALSE(result.contains("resultType"));
  EXPECT_FALSE(result.contains("ttlMs"));
  EXPECT_FALSE(result.contains("_meta"));
}

TEST_F(McpEndpointTest, UnknownLegacyMethodsAreErrorsInABodyUnder200) {
  for (const char* method : {"server/discover", "subscriptions/listen", "logging/setLevel",
                             "resources/subscribe", "nonsense"}) {
    const McpReply reply =
        Send({{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", Json::object()}});
    EXPECT_EQ(reply.http_status, 200) << method;
    EXPECT_EQ((*reply.body)["error"]["code"], mcp::kMethodNotFound) << method;
  }
}

TEST_F(McpEndpointTest, ALegacyVersionHeaderMustBeOneThatIsSpoken) {
  const Json list = {{"jsonrpc", "2.0"}, {"id", 1}, {"method", "tools/list"}};
  for (const char* version : {"2024-11-05", "2025-06-18", "2025-11-25"}) {
    const McpHeaders headers{version, {}, {}};
    EXPECT_EQ(Send(list, &headers).http_status, 200) << version;
  }
  const McpHeaders none;
  EXPECT_EQ(Send(list, &none).http_status, 200);
  const McpHeaders unknown{"1900-01-01", {}, {}};
  const McpReply reply = Send(list, &unknown);
  EXPECT_EQ(reply.http_status, 400);
  EXPECT_EQ((*reply.body)["error"]["code"], mcp::kUnsupportedVersion);
}

// The stateless era

TEST_F(McpEndpointTest, DiscoverTellsVersionsCapabilitiesAndName) {
  const Json result = Modern("server/discover")["result"];
  EXPECT_EQ(result["supportedVersions"], Json::array({"2026-07-28"}));
  EXPECT_EQ(result["capabilities"]["resources"]["subscribe"], true);
  EXPECT_EQ(result["_meta"][mcp::kServerInfoKey]["name"], "perdure-echo");
  EXPECT_EQ(result["instructions"], "Call echo to hear yourself.");
  EXPECT_EQ(result["resultType"], "complete");
  EXPECT_EQ(result["cacheScope"], "public");
  EXPECT_GE(result["ttlMs"], 0);
}

TEST_F(McpEndpointTest, EveryModernResultHasATypeAndNamesTheServer) {
  const std::vector<std::pair<std::string, Json>> calls = {
      {"tools/list", Json::object()},
      {"tools/call", {{"name", "echo"}, {"arguments", {{"text", "a"}}}}},
      {"tools/call", {{"name", "echo"}}},
      {"tools/call", {{"name", "note_fail"}, {"arguments", {{"code", "conflict"}}}}},
      {"resources/list", Json::object()},
      {"resources/templates/list", Json::object()},
      {"resources/read", {{"uri", "perdure://index"}}},
      {"prompts/list", Json::object()},
      {"prompts/get", {{"name", "recall"}, {"arguments", {{"topic", "tea"}}}}}};
  for (const auto& [method, params] : calls) {
    const Json result = Modern(method, params)["result"];
    EXPECT_EQ(result["resultType"], "complete") << method;
    EXPECT_EQ(result["_meta"][mcp::kServerInfoKey]["version"], "0.0.1") << method;
    const bool is_cacheable = method.ends_with("/list") || method == "resources/read";
    EXPECT_EQ(result.contains("ttlMs"), is_cacheable) << method;
    EXPECT_EQ(result.contains("cacheScope"), is_cacheable) << method;
  }
}

TEST_F(McpEndpointTest, WhatDependsOnTheCallerIsNotCachedForOthers) {
  EXPECT_EQ(Modern("tools/list")["result"]["cacheScope"], "private");
  EXPECT_EQ(Modern("resources/read", {{"uri", "perdure://index"}})["result"]["cacheScope"],
            "private");
  EXPECT_EQ(Modern("prompts/list")["result"]["cacheScope"], "public");
}

TEST_F(McpEndpointTest, UnknownAndRemovedMethodsAre404) {
  for (const char* method : {"ping", "initialize", "logging/setLevel", "resources/subscribe",
                             "completion/complete", "nonsense"}) {
    const Json message = ModernMessage(method);
    const McpHeaders headers = HeadersOf(message);
    const McpReply reply = Send(message, &headers);
    EXPECT_EQ(reply.http_status, 404) << method;
    EXPECT_EQ((*reply.body)["error"]["code"], mcp::kMethodNotFound) << method;
  }
}

TEST_F(McpEndpointTest, VersionsThatAreNotSpokenAre400WithThoseThatAre) {
  for (const char* version : {"1900-01-01", "2027-01-01", "2025-11-25"}) {
    Json message = ModernMessage("tools/list");
    message["params"]["_meta"][mcp::kVersionKey] = version;
    const McpHeaders headers{version, "tools/list", {}};
    const McpReply reply = Send(message, &headers);
    EXPECT_EQ(reply.http_status, 400);
    const Json& error = (*reply.body)["error"];
    EXPECT_EQ(error["code"], mcp::kUnsupportedVersion);
    EXPECT_EQ(error["data"]["supported"], Json::array({"2026-07-28"}));
    EXPECT_EQ(error["data"]["requested"], version);
  }
}

TEST_F(McpEndpointTest, RequiredMetaFieldsThatAreMissingAre400) {
  const auto refuse = [&](const Json& message) {
    const McpHeaders headers{std::string(mcp::kModernVersion), "tools/list", {}};
    const McpReply reply = Send(message, &headers);
    EXPECT_EQ(reply.http_status, 400);
    EXPECT_EQ((*reply.body)["error"]["code"], mcp::kInvalidParams);
    return (*reply.body)["error"]["message"].get<std::string>();
  };
  Json message = ModernMessage("tools/list");
  message["params"]["_meta"].erase(mcp::kVersionKey);
  EXPECT_THAT(refuse(message), HasSubstr("protocolVersion"));
  message = ModernMessage("tools/list");
  message["params"]["_meta"].erase(mcp::kClientCapabilitiesKey);
  EXPECT_THAT(refuse(message), HasSubstr("clientCapabilities"));
  message = ModernMessage("tools/list");
  message["params"]["_meta"][mcp::kClientInfoKey].erase("version");
  EXPECT_THAT(refuse(message), HasSubstr("clientInfo"));
  message = ModernMessage("tools/list");
  message["params"]["_meta"].erase(mcp::kClientInfoKey);  // which is optional
  const McpHeaders headers = HeadersOf(message);
  EXPECT_EQ(Send(message, &headers).http_status, 200);
}

TEST_F(McpEndpointTest, HeadersMustBeThereAndMatchTheBody) {
  const Json call = ModernMessage("tools/call", {{"name", "echo"}, {"arguments", {{"text", "a"}}}});
  const auto status_of = [&](auto change) {
    McpHeaders headers = HeadersOf(call);
    change(headers);
    const McpReply reply = Send(call, &headers);
    if (reply.http_status == 400) {
      EXPECT_EQ((*reply.body)["error"]["code"], mcp::kHeaderMismatch);
    }
    return reply.http_status;
  };
  EXPECT_EQ(status_of([](McpHeaders&) {}), 200);
  EXPECT_EQ(status_of([](McpHeaders& headers) { headers.protocol_version = "2025-11-25"; }), 400);
  EXPECT_EQ(status_of([](McpHeaders& headers) { headers.protocol_version.reset(); }), 400);
  EXPECT_EQ(status_of([](McpHeaders& headers) { headers.method = "tools/list"; }), 400);
  EXPECT_EQ(status_of([](McpHeaders& headers) { headers.method = "Tools/Call"; }), 400);
  EXPECT_EQ(status_of([](McpHeaders& headers) { headers.method.reset(); }), 400);
  EXPECT_EQ(status_of([](McpHeaders& headers) { headers.name = "note_get"; }), 400);
  EXPECT_EQ(status_of([](McpHeaders& headers) { headers.name.reset(); }), 400);
  EXPECT_EQ(status_of([](McpHeaders& headers) { headers.name = "=?base64?ZWNobw==?="; }), 200);
  EXPECT_EQ(status_of([](McpHeaders& headers) { headers.name = "=?base64?ZWNob?="; }), 400);
  EXPECT_EQ(status_of([](McpHeaders& headers) { headers.name = "=?base64?bm90ZQ==?="; }), 400);
}

TEST_F(McpEndpointTest, NamesOutsideAsciiAreComparedDecoded) {
  fixture_.notes.Put("\xc3\xa9", "accent");
  const Json read = ModernMessage("resources/read", {{"uri", "perdure://memory/\xc3\xa9"}});
  McpHeaders headers = HeadersOf(read);
  headers.name = "=?base64?cGVyZHVyZTovL21lbW9yeS/DqQ==?=";
  EXPECT_EQ((*Send(read, &headers).body)["result"]["contents"][0]["text"], "accent");
}

// Tools

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

// Resources and prompts

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

// Subscriptions

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
  EXPECT_EQ(code_of(uris(kSubscriptionUrisMax - 1)), 0);
  EXPECT_EQ(code_of(uris(kSubscriptionUrisMax)), 0);
  EXPECT_EQ(code_of(uris(kSubscriptionUrisMax + 1)), mcp::kInvalidParams);
}

}  // namespace
}  // namespace perdure
