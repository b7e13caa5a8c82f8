// Sessions, their streams and calls that talk, on a real socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>

#include "server/api/json.h"
#include "server/http/http_server.h"
#include "server/http/raw_client.h"
#include "server/support/fixture.h"
#include "support/status_matchers.h"

namespace perdure {
namespace {

using Json = nlohmann::json;
using ::perdure::testing::IsOk;
using ::perdure::testing::RawClient;
using ::perdure::testing::RawResponse;
using ::testing::HasSubstr;
using ::testing::Not;

Operation Talking() {
  Operation talking;
  talking.name = "talk";
  talking.title = "Talk";
  talking.description = "For tests.";
  talking.hints.read_only = true;
  talking.roles = Caller::kAnyone;
  talking.converse = [](const Caller& caller, const Json&, Dialogue& talk) -> Result<Json> {
    talk.Progress(1, 2, "half");
    talk.Log(LogLevel::kInfo, "a word");
    return Json{{"client", caller.client}};
  };
  return talking;
}

class McpSessionTest : public ::testing::Test {
 protected:
  McpSessionTest() { fixture_.catalogue.Add(Talking()); }

  void Start(std::size_t streams_max = 4) {
    HttpServerOptions options;
    options.streams_max = streams_max;
    server_ = std::make_unique<HttpServer>(
        options, HttpServerParts{.authenticator = &fixture_.tokens,
                                 .catalogue = &fixture_.catalogue,
                                 .mcp = &fixture_.mcp,
                                 .metrics = &metrics_,
                                 .log = &log_,
                                 .readiness = [] { return Readiness{}; }});
    ASSERT_THAT(server_->Start(), IsOk());
  }

  static std::string Head(const std::string& method, const std::string& fields,
                          const std::string& token = "agent-token") {
    return method + " /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\n" +
           fields + "\r\n";
  }
  static std::string Post(const std::string& method, const Json& params,
                          const std::string& fields = "",
                          const std::string& token = "agent-token") {
    const std::string body =
        DumpJson({{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}});
    return Head("POST", fields + "Content-Length: " + std::to_string(body.size()) + "\r\n", token) +
           body;
  }
  static std::string Named(const std::string& id) { return "Mcp-Session-Id: " + id + "\r\n"; }

  RawResponse Ask(const std::string& request) {
    RawClient client(server_->port());
    return client.Exchange(request);
  }

  std::string Initialize() {
    const RawResponse response =
        Ask(Post("initialize", {{"protocolVersion", "2025-11-25"},
                                {"clientInfo", {{"name", "desk"}, {"version", "3"}}}}));
    constexpr std::string_view kField = "Mcp-Session-Id: ";
    const std::size_t at = response.head.find(kField);
    if (at == std::string::npos) return "";
    const std::size_t begin = at + kField.size();
    return response.head.substr(begin, response.head.find('\r', begin) - begin);
  }

  testing::Fixture fixture_;
  Metrics metrics_;
  std::ostringstream log_text_;
  AccessLog log_{log_text_};
  std::unique_ptr<HttpServer> server_;
};

TEST_F(McpSessionTest, RemembersTheClientOfInitialize) {
  Start();
  const std::string id = Initialize();
  ASSERT_NE(id, "");
  const Json call = {{"name", "talk"}};
  const auto client_of = [&](const std::string& fields) {
    const RawResponse response = Ask(Post("tools/call", call, fields));
    return Json::parse(response.body)["result"]["structuredContent"]["client"];
  };
  EXPECT_EQ(client_of(Named(id)), "desk/3");
  EXPECT_EQ(client_of("User-Agent: curl/8\r\n"), "curl/8");
}

TEST_F(McpSessionTest, HasEndedForAllOnceDeleted) {
  Start();
  const std::string id = Initialize();
  EXPECT_EQ(Ask(Post("ping", Json::object(), Named(id))).status, 200);
  EXPECT_EQ(Ask(Head("DELETE", Named(id), "auditor-token")).status, 404);
  EXPECT_EQ(Ask(Head("DELETE", Named(id))).status, 204);
  EXPECT_EQ(Ask(Post("ping", Json::object(), Named(id))).status, 404);
  EXPECT_EQ(Ask(Head("GET", Named(id))).status, 404);
  EXPECT_EQ(Ask(Head("DELETE", Named(id))).status, 404);
}

TEST_F(McpSessionTest, OfBeforeARestartIsServedButNotRemembered) {
  Start();
  const std::string old = Named("0123456789abcdef-00112233445566778899aabbccddeeff");
  EXPECT_EQ(Ask(Post("ping", Json::object(), old)).status, 200);
  EXPECT_EQ(Ask(Post("resources/subscribe", {{"uri", "perdure://index"}}, old)).status, 400);
  EXPECT_EQ(Ask(Head("GET", old)).status, 404);
}

TEST_F(McpSessionTest, StreamsTheChangesOfWhatItWatches) {
  Start();
  const std::string id = Initialize();
  RawClient stream(server_->port());
  stream.Send(Head("GET", "Accept: text/event-stream\r\n" + Named(id)));
  EXPECT_THAT(stream.ReadUntil("\r\n\r\n"), HasSubstr("text/event-stream"));
  EXPECT_EQ(Ask(Post("resources/subscribe", {{"uri", "perdure://memory/n"}}, Named(id))).status,
            200);
  fixture_.notes.Put("n", "changed");
  const std::string event = stream.ReadUntil("}}\n\n");
  EXPECT_THAT(event, HasSubstr("notifications/resources/updated"));
  EXPECT_THAT(event, HasSubstr("perdure://memory/n"));
  EXPECT_EQ(Ask(Head("DELETE", Named(id))).status, 204);
  EXPECT_THAT(stream.ReadUntil("0\r\n\r\n"), HasSubstr("0\r\n\r\n"));
}

TEST_F(McpSessionTest, StreamsShareTheSlotsOfSubscriptions) {
  Start(1);
  const std::string id = Initialize();
  RawClient first(server_->port());
  first.Send(Head("GET", Named(id)));
  EXPECT_THAT(first.ReadUntil("\r\n\r\n"), HasSubstr(" 200 "));
  const RawResponse second = Ask(Head("GET", Named(id)));
  EXPECT_EQ(second.status, 503);
  EXPECT_THAT(second.head, HasSubstr("Retry-After"));
}

TEST_F(McpSessionTest, ACallThatTalksIsAStreamForWhoeverTakesOne) {
  Start();
  const Json call = {{"name", "talk"}, {"_meta", {{"progressToken", 5}}}};
  RawClient client(server_->port());
  client.Send(Post("tools/call", call, "Accept: application/json, text/event-stream\r\n"));
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("text/event-stream"));
  const std::string events = client.ReadUntil("0\r\n\r\n");
  EXPECT_LT(events.find("notifications/progress"), events.find("structuredContent"));
  EXPECT_THAT(events, Not(HasSubstr("notifications/message")));

  const RawResponse plain = Ask(Post("tools/call", call, "Accept: application/json\r\n"));
  EXPECT_EQ(plain.status, 200);
  EXPECT_EQ(Json::parse(plain.body)["id"], 1);
}

}  // namespace
}  // namespace perdure
