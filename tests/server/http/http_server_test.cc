#include "server/http/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "server/api/json.h"
#include "server/http/raw_client.h"
#include "server/mcp/protocol.h"
#include "server/support/fixture.h"
#include "support/status_matchers.h"

namespace perdure {
namespace {

using Json = nlohmann::json;
using ::perdure::testing::Fixture;
using ::perdure::testing::IsOk;
using ::perdure::testing::RawClient;
using ::perdure::testing::RawResponse;
using ::testing::HasSubstr;
using ::testing::Not;

class HttpServerTest : public ::testing::Test {
 protected:
  void Start(HttpServerOptions options = {}) {
    options.openapi_yaml = "openapi: 3.1.0\n";
    server_ = std::make_unique<HttpServer>(options,
                                           HttpServerParts{.authenticator = &fixture_.tokens,
                                                           .catalogue = &fixture_.catalogue,
                                                           .mcp = &fixture_.mcp,
                                                           .metrics = &metrics_,
                                                           .log = &log_,
                                                           .readiness = [this] { return ready_; }});
    ASSERT_THAT(server_->Start(), IsOk());
  }

  static std::string Head(const std::string& line, const std::string& fields = "",
                          const std::string& token = "agent-token") {
    return line + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\n" +
           fields + "\r\n";
  }

  static std::string PostMcp(const Json& message, const std::string& fields = "") {
    const std::string body = DumpJson(message);
    return Head("POST /mcp", fields + "Content-Length: " + std::to_string(body.size()) + "\r\n") +
           body;
  }

  static std::string Listen() {
    const Json meta = {{mcp::kVersionKey, mcp::kModernVersion},
                       {mcp::kClientCapabilitiesKey, Json::object()}};
    return PostMcp({{"jsonrpc", "2.0"},
                    {"id", 1},
                    {"method", "subscriptions/listen"},
                    {"params",
                     {{"_meta", meta},
                      {"notifications", {{"resourceSubscriptions", {"perdure://memory/n"}}}}}}},
                   "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n");
  }

  RawResponse Ask(const std::string& request) {
    RawClient client(server_->port());
    return client.Exchange(request);
  }

  Fixture fixture_;
  Metrics metrics_;
  std::ostringstream log_text_;
  AccessLog log_{log_text_};
  Readiness ready_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, OpenPathsNeedNoTokenAndOthersDo) {
  Start();
  for (const std::string path : {"/", "/healthz", "/readyz", "/metrics", "/api/openapi.yaml"}) {
    EXPECT_EQ(Ask("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200) << path;
  }
  for (const std::string path : {"/mcp", "/api/v1/echo", "/api/v1/nothing", "/nothing", "/api"}) {
    const RawResponse response = Ask("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(response.status, 401) << path;
    EXPECT_THAT(response.head, HasSubstr("WWW-Authenticate: Bearer")) << path;
  }
  EXPECT_EQ(Ask(Head("GET /api/v1/echo?text=a")).status, 200);
  EXPECT_EQ(Ask(Head("GET /api/v1/echo?text=a", "", "wrong")).status, 401);
}

TEST_F(HttpServerTest, EvenOpenPathsCheckHostAndOrigin) {
  Start();
  EXPECT_EQ(Ask("GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n").status, 403);
  EXPECT_EQ(Ask("GET /healthz HTTP/1.1\r\n\r\n").status, 403);
  EXPECT_EQ(Ask(Head("GET /healthz", "Origin: http://evil.example\r\n")).status, 403);
  EXPECT_EQ(Ask(Head("GET /healthz", "Origin: http://localhost:3000\r\n")).status, 200);
}

TEST_F(HttpServerTest, ReadinessIsWhatThePartsSay) {
  Start();
  EXPECT_EQ(Ask(Head("GET /readyz")).body, R"({"status":"ready"})");
  ready_ = {false, {{"vectors", "loading"}}};
  const RawResponse response = Ask(Head("GET /readyz"));
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(Json::parse(response.body)["vectors"], "loading");
}

TEST_F(HttpServerTest, OnlyTheOperatorOfTheHouseVouchesForStdio) {
  Start();
  const auto door = [&](const std::string& fields) {
    const RawResponse response =
        Ask(PostMcp({{"jsonrpc", "2.0"},
                     {"id", 1},
                     {"method", "tools/call"},
                     {"params", {{"name", "echo"}, {"arguments", {{"text", "a"}}}}}},
                    fields));
    return Json::parse(response.body)["result"]["structuredContent"].value("door", "");
  };
  EXPECT_EQ(door("Perdure-Stdio: operator-token\r\n"), "mcp-stdio");
  EXPECT_EQ(door(""), "mcp-http");
  for (const std::string claim :
       {"", "1", "true", "mcp-stdio", "agent-token", "Bearer operator-token",
        "tenant-operator-token", "part-operator-token", "operator-token, operator-token"}) {
    EXPECT_EQ(door("Perdure-Stdio: " + claim + "\r\n"), "mcp-http") << claim;
  }
  const std::string twice = "Perdure-Stdio: operator-token\r\n";
  EXPECT_EQ(door(twice + twice), "mcp-http");
  const RawResponse rest =
      Ask(Head("GET /api/v1/echo?text=a", "Perdure-Stdio: operator-token\r\n"));
  EXPECT_EQ(Json::parse(rest.body)["door"], "rest");
}

TEST_F(HttpServerTest, McpAnswersPostOnly) {
  Start();
  EXPECT_EQ(Ask(PostMcp({{"jsonrpc", "2.0"}, {"id", 1}, {"method", "ping"}})).status, 200);
  for (const std::string method : {"GET", "DELETE", "PUT"}) {
    const RawResponse response = Ask(Head(method + " /mcp"));
    EXPECT_EQ(response.status, 405) << method;
    EXPECT_THAT(response.head, HasSubstr("Allow: POST")) << method;
  }
}

TEST_F(HttpServerTest, McpNotificationsAre202WithoutABody) {
  Start();
  const RawResponse response =
      Ask(PostMcp({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}},
                  "Mcp-Session-Id: anything\r\n"));
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(response.body, "");
}

TEST_F(HttpServerTest, McpErrorsOfTheModernEraHaveTheirStatus) {
  Start();
  const Json meta = {{mcp::kVersionKey, mcp::kModernVersion},
                     {mcp::kClientCapabilitiesKey, Json::object()}};
  const Json ping = {
      {"jsonrpc", "2.0"}, {"id", 1}, {"method", "ping"}, {"params", {{"_meta", meta}}}};
  const std::string version = "MCP-Protocol-Version: 2026-07-28\r\n";
  EXPECT_EQ(Ask(PostMcp(ping, version + "Mcp-Method: ping\r\n")).status, 404);
  EXPECT_EQ(Ask(PostMcp(ping, version + "Mcp-Method: pong\r\n")).status, 400);
  EXPECT_EQ(Ask(PostMcp(Json::array({ping}))).status, 400);
}

TEST_F(HttpServerTest, TheDoorIsWrittenIntoTheCaller) {
  Start();
  const RawResponse mcp =
      Ask(PostMcp({{"jsonrpc", "2.0"},
                   {"id", 1},
                   {"method", "tools/call"},
                   {"params", {{"name", "echo"}, {"arguments", {{"text", "a"}}}}}},
                  "User-Agent: probe/1\r\n"));
  const Json content = Json::parse(mcp.body)["result"]["structuredContent"];
  EXPECT_EQ(content["door"], "mcp-http");
  EXPECT_EQ(content["client"], "probe/1");
  EXPECT_EQ(Json::parse(Ask(Head("GET /api/v1/echo?text=a")).body)["door"], "rest");
}

TEST_F(HttpServerTest, SubscriptionsNeverTakeEveryThread) {
  HttpServerOptions options;
  options.transport.threads_max = 4;
  options.streams_max = 2;
  Start(options);
  std::vector<std::unique_ptr<RawClient>> streams;
  for (int i = 0; i < 2; ++i) {
    streams.push_back(std::make_unique<RawClient>(server_->port()));
    streams.back()->Send(Listen());
    EXPECT_THAT(streams.back()->ReadUntil("acknowledged"), HasSubstr("200 OK"));
  }
  const RawResponse refused = Ask(Listen());
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.head, HasSubstr("Retry-After"));
  EXPECT_EQ(Ask(Head("GET /healthz")).status, 200);
  fixture_.notes.Put("n", "changed");
  for (const auto& stream : streams) {
    EXPECT_THAT(stream->ReadUntil("memory/n\"}"), HasSubstr("notifications/resources/updated"));
  }
  server_->Stop();
  EXPECT_THAT(streams[0]->ReadUntil("0\r\n\r\n"), HasSubstr("\"resultType\":\"complete\""));
}

TEST_F(HttpServerTest, APlaceIsFreeAgainWhenItsStreamEnds) {
  HttpServerOptions options;
  options.streams_max = 1;
  Start(options);
  for (int i = 0; i < 3; ++i) {
    RawClient client(server_->port());
    RawResponse response;
    do {  // the previous client has left; the server may not have seen it yet
      response = client.Exchange(Listen());
    } while (response.status == 503);
    EXPECT_THAT(response.head, HasSubstr("text/event-stream"));
  }
}

TEST_F(HttpServerTest, MetricsCountByPatternAndStatus) {
  Start();
  double depth = 3;
  metrics_.AddGauge("perdure_queue_depth", "Commands that wait", [&] { return depth; });
  metrics_.AddCounters("perdure_refusals_total", "By rule", "rule",
                       [] { return Metrics::Labelled{{"role", 2}, {"scope", 0}}; });
  Ask(Head("GET /api/v1/notes/one"));
  Ask(Head("GET /api/v1/notes/two"));
  Ask(Head("GET /api/v1/echo?text=a"));
  const std::string text = Ask(Head("GET /metrics")).body;
  EXPECT_THAT(text, HasSubstr("perdure_http_requests_total{method=\"GET\","
                              "route=\"/api/v1/notes/{id}\",status=\"404\"} 2"));
  EXPECT_THAT(text, HasSubstr("perdure_http_request_seconds_count{route=\"/api/v1/echo\"} 1"));
  EXPECT_THAT(text, HasSubstr("perdure_queue_depth 3"));
  EXPECT_THAT(text, HasSubstr("perdure_refusals_total{rule=\"role\"} 2"));
  EXPECT_THAT(text, HasSubstr("perdure_refusals_total{rule=\"scope\"} 0"));
  EXPECT_THAT(text, HasSubstr("perdure_http_streams 0"));
  EXPECT_THAT(text, Not(HasSubstr("notes/one")));
}

TEST_F(HttpServerTest, MetricsNeedATokenOnAnOpenAddress) {
  HttpServerOptions options;
  options.transport.host = "0.0.0.0";
  Start(options);
  EXPECT_EQ(Ask("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 401);
  EXPECT_EQ(Ask(Head("GET /metrics")).status, 200);
}

TEST_F(HttpServerTest, TheLogTellsWhatHappenedAndNothingOfWhatWasSaid) {
  Start();
  Ask(Head("PUT /api/v1/notes/secret-id", "Content-Length: 22\r\n") + R"({"text":"secret-text"})");
  Ask(Head("GET /api/v1/echo?text=secret-query"));
  Ask(Head("GET /api/v1/echo?text=a", "", "secret-token"));
  server_->Stop();
  const std::string text = log_text_.str();
  std::istringstream lines(text);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  const Json entry = Json::parse(line);
  EXPECT_EQ(entry["route"], "/api/v1/notes/{id}");
  EXPECT_EQ(entry["method"], "PUT");
  EXPECT_EQ(entry["status"], 200);
  EXPECT_EQ(entry["principal"], "principal-of-agent-token");
  EXPECT_EQ(entry["request_bytes"], 22);
  EXPECT_TRUE(entry["ms"].is_number());
  EXPECT_THAT(entry["time"].get<std::string>(), ::testing::EndsWith("Z"));
  int count = 1;
  while (std::getline(lines, line)) {
    EXPECT_TRUE(Json::accept(line)) << line;
    ++count;
  }
  EXPECT_EQ(count, 3);
  EXPECT_THAT(text, Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace perdure
