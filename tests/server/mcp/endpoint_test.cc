// What is wrong with a message itself, and the era of initialize.
#include "server/mcp/endpoint_fixture.h"

namespace perdure {
namespace {

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
  EXPECT_EQ(result["capabilities"],
            Json::parse(R"({"tools":{},"resources":{"subscribe":true},"prompts":{}})"));
  EXPECT_EQ(reply.session->client(), "desk/3");
}

TEST_F(McpEndpointTest, LegacyResultsCarryNothingOfTheModernEra) {
  const Json result = Legacy("tools/list")["result"];
  EXPECT_FALSE(result.contains("resultType"));
  EXPECT_FALSE(result.contains("ttlMs"));
  EXPECT_FALSE(result.contains("_meta"));
}

TEST_F(McpEndpointTest, UnknownLegacyMethodsAreErrorsInABodyUnder200) {
  for (const char* method :
       {"server/discover", "subscriptions/listen", "logging/setLevel", "nonsense"}) {
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

}  // namespace
}  // namespace perdure
