// The stateless era: claims, headers, caching.
#include "server/mcp/endpoint_fixture.h"

namespace perdure {
namespace {

using ::testing::HasSubstr;

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

}  // namespace
}  // namespace perdure
