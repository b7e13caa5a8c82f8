// Callers who are not who they say, over a socket, on the whole table of operations.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "server/api/api.h"
#include "server/api/engine_authenticator.h"
#include "server/api/memory_resources.h"
#include "server/http/client.h"
#include "server/http/http_server.h"
#include "server/http/raw_client.h"

namespace perdure::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSecretText = "the wombat sleeps";

class HostileTest : public ::testing::Test {
 protected:
  HostileTest() {
    EXPECT_THAT(server_.Start(), IsOk());
    agent_ = Issue({{"roles", {"agent"}}});
    memory_ = api_.Store(kSecretText);
  }

  std::string Issue(const Json& arguments, Json* issued = nullptr) {
    const Json answer = api_.Must("token_issue", arguments, Operator());
    if (issued != nullptr) *issued = answer;
    return answer["token"];
  }

  RawResponse Ask(const std::string& method, const std::string& target, const std::string& fields) {
    RawClient client(server_.port());
    return client.Exchange(method + " " + target + " HTTP/1.1\r\nContent-Length: 0\r\n" + fields +
                           "\r\n");
  }
  RawResponse AskAs(const std::string& authorization, const std::string& method,
                    const std::string& target) {
    return Ask(method, target,
               "Host: localhost\r\n" + (authorization.empty() ? "" : authorization + "\r\n"));
  }
  static std::string Bearer(const std::string& token) { return "Authorization: Bearer " + token; }

  // Every route, of the operations and beside them, as "METHOD /path" with a memory's id.
  std::vector<std::pair<std::string, std::string>> Routes() const {
    std::vector<std::pair<std::string, std::string>> routes;
    for (const Operation* operation : api_.catalogue().All()) {
      std::string path = operation->http_path;
      if (const auto open = path.find('{'); open != path.npos) {
        path.replace(open, path.find('}') + 1 - open, memory_);
      }
      routes.emplace_back(operation->http_method, path);
    }
    for (const ServedPath& served : ServedPaths()) {
      if (served.access == Access::kToken) routes.emplace_back("POST", served.path);
    }
    routes.emplace_back("GET", "/no/such/path");
    routes.emplace_back("GET", "/api/v1/no/such/path");
    return routes;
  }

  Api api_;
  EngineAuthenticator authenticator_{*api_.engine()};
  MemoryResources resources_{*api_.engine()};
  McpEndpoint mcp_{{}, &api_.catalogue(), &resources_, nullptr};
  Metrics metrics_;
  std::ostringstream log_text_;
  AccessLog log_{log_text_};
  HttpServer server_{{.openapi_yaml = "openapi: 3.1.0\n"},
                     {.authenticator = &authenticator_,
                      .catalogue = &api_.catalogue(),
                      .mcp = &mcp_,
                      .metrics = &metrics_,
                      .log = &log_,
                      .readiness = [] { return Readiness{}; }}};
  std::string agent_;
  std::string memory_;
};

TEST_F(HostileTest, PathsBesideTheOperationsAreThoseThatAreKnownToBeOpen) {
  const std::map<std::string_view, Access> known = {
      {"/", Access::kAnyone},          {"/healthz", Access::kAnyone},
      {"/readyz", Access::kAnyone},    {"/api/openapi.yaml", Access::kAnyone},
      {"/metrics", Access::kLoopback}, {"/mcp", Access::kToken}};
  EXPECT_EQ(ServedPaths().size(), known.size());
  for (const ServedPath& served : ServedPaths()) {
    ASSERT_TRUE(known.contains(served.path)) << served.path << " has no rule";
    EXPECT_EQ(served.access, known.at(served.path)) << served.path;
    const int status = AskAs("", "GET", std::string(served.path)).status;
    EXPECT_EQ(status, served.access == Access::kToken ? 401 : 200) << served.path;
  }
}

TEST_F(HostileTest, WhatIsNoTokenInForceOpensNoRouteAndAllAnswerAlike) {
  Json revoked;
  const std::string of_revoked = Issue({{"roles", {"operator"}}}, &revoked);
  api_.Must("token_revoke", {{"id", revoked["id"]}}, Operator());
  const std::string expired =
      Issue({{"roles", {"operator"}},
             {"expires_at", FormatTime(api_.engine().clock().Now() + 60'000'000)}});
  api_.engine().clock().Advance(120'000'000);
  TestEngine elsewhere(2);
  const auto issued = elsewhere->Issue(With(kOperator), {.roles = kOperator}, {});
  ASSERT_THAT(issued, IsOk());
  const std::string foreign = issued->first;
  const std::string id = agent_.substr(0, agent_.rfind('_') + 1);
  const std::string secret = agent_.substr(agent_.rfind('_') + 1);
  const std::vector<std::string> wrong = {of_revoked,
                                          expired,
                                          foreign,
                                          "x",
                                          "perdure_",
                                          "perdure__",
                                          id,
                                          id + "x",
                                          secret,
                                          agent_ + "x",
                                          agent_.substr(0, agent_.size() - 1),
                                          agent_ + " " + agent_,
                                          "perdure_" + secret,
                                          std::string(5'000, 'a'),
                                          "perdure_" + std::string(32, '0') + "_" + secret};
  std::string body;
  for (const auto& [method, path] : Routes()) {
    for (const std::string& token : wrong) {
      const RawResponse response = AskAs(Bearer(token), method, path);
      EXPECT_EQ(response.status, 401) << method << path << " " << token;
      if (body.empty()) body = response.body;
      EXPECT_EQ(response.body, body) << token;
    }
    const std::vector<std::string> fields = {std::string(),
                                             "Authorization: " + agent_,
                                             "Authorization: Basic " + agent_,
                                             "Authorization: Bearer",
                                             Bearer(agent_) + "\r\n" + Bearer(agent_),
                                             "Token: " + agent_,
                                             "Cookie: token=" + agent_};
    for (const std::string& field : fields) {
      EXPECT_EQ(AskAs(field, method, path).status, 401) << method << path << " " << field;
    }
    EXPECT_EQ(AskAs("", method, path + "?token=" + agent_).status, 401) << path;
    EXPECT_NE(AskAs(Bearer(agent_), method, path).status, 401) << method << path;
  }
}

TEST_F(HostileTest, ForgedHostsAndOriginsOpenNothing) {
  std::vector<std::pair<std::string, std::string>> paths = Routes();
  for (const ServedPath& served : ServedPaths()) paths.emplace_back("GET", served.path);
  const std::string token =
      Bearer(Issue({{"roles", {"agent", "reviewer", "auditor", "operator"}}})) + "\r\n";
  for (const auto& [method, path] : paths) {
    for (const std::string forged :
         {"Host: evil.example\r\n", "", "Host: localhost.evil.example\r\n",
          "Host: localhost\r\nHost: evil.example\r\n", "Host: localhost, evil.example\r\n",
          "Host: evil.example\r\nX-Forwarded-Host: localhost\r\n",
          "Host: localhost\r\nOrigin: http://evil.example\r\n",
          "Host: localhost\r\nOrigin: null\r\n", "Host: localhost\r\nOrigin: \r\n",
          "Host: localhost\r\nOrigin: http://localhost.evil.example\r\n",
          "Host: localhost\r\nOrigin: file://localhost\r\n",
          "Host: localhost\r\nOrigin: http://localhost\r\nOrigin: http://evil.example\r\n"}) {
      const int status = Ask(method, path, token + forged).status;
      EXPECT_TRUE(status == 403 || status == 400) << method << path << " " << forged << status;
    }
    const int fair =
        Ask(method, path, token + "Host: localhost\r\nOrigin: http://localhost\r\n").status;
    EXPECT_NE(fair, 403) << method << path;
  }
  // The target in absolute form names another host, which Host does not.
  EXPECT_NE(Ask("GET", "http://evil.example/healthz", token + "Host: localhost\r\n").status, 200);
}

TEST_F(HostileTest, PathsThatClimbFindNothing) {
  const std::vector<std::string> climbs = {"../../../etc/passwd",
                                           "..%2f..%2f..%2fetc%2fpasswd",
                                           "%2e%2e/%2e%2e/token",
                                           "....//....//token",
                                           "..\\token",
                                           "%252e%252e%252ftoken",
                                           ".",
                                           "..",
                                           "%00",
                                           "a%00b",
                                           "token",
                                           "operator.token",
                                           "keys/0.key",
                                           "file:%2f%2f%2fetc%2fpasswd",
                                           "~",
                                           "%c0%ae%c0%ae/token"};
  std::string secrets = agent_.substr(agent_.rfind('_') + 1);
  for (const std::string& climb : climbs) {
    std::vector<std::pair<std::string, std::string>> asked = {
        {"GET", "/" + climb},
        {"GET", "/api/" + climb},
        {"GET", "/api/v1/" + climb},
        {"GET", "/api/openapi.yaml/" + climb},
        {"GET", "/healthz/" + climb},
        {"GET", "/api/v1/memories/" + climb},
        {"GET", "/api/v1/memories/" + climb + "/history"},
        {"DELETE", "/api/v1/tokens/" + climb},
        {"GET", "/api/v1/log/" + climb},
        {"GET", "/api/v1/memories?as_of=" + climb}};
    for (const auto& [method, target] : asked) {
      for (const std::string& authorization : {std::string(), Bearer(agent_)}) {
        const RawResponse response = AskAs(authorization, method, target);
        EXPECT_GE(response.status, 400) << target;
        EXPECT_LT(response.status, 500) << target;
        EXPECT_THAT(response.body, Not(HasSubstr("root:"))) << target;
        EXPECT_THAT(response.body, Not(HasSubstr(kSecretText))) << target;
        EXPECT_THAT(response.body, Not(HasSubstr(secrets))) << target;
      }
    }
    const Json read = {{"jsonrpc", "2.0"},
                       {"id", 1},
                       {"method", "resources/read"},
                       {"params", {{"uri", "perdure://memory/" + climb}}}};
    const McpReply reply = mcp_.Handle(*authenticator_.Authenticate(agent_), read.dump(), nullptr);
    EXPECT_TRUE(reply.body->contains("error")) << climb;
    // A source is a label and is opened by nobody.
    const std::string id = api_.Store("with a source " + climb, {{"source", climb}});
    EXPECT_THAT(api_.Get(id).dump(), Not(HasSubstr("root:")));
  }
  EXPECT_EQ(AskAs(Bearer(agent_), "GET", "/api/v1/memories/" + memory_).status, 200);
  EXPECT_EQ(AskAs("", "GET", "/healthz").status, 200);
}

TEST_F(HostileTest, TheLogNamesRoutesAndPrincipalsAndNothingThatWasSent) {
  const std::string canary = "quokka17";
  const std::vector<std::string> targets = {
      "/" + canary, "/api/v1/" + canary, "/api/v1/memories/" + canary,
      "/api/v1/memories?" + canary + "=1", "/api/v1/memories?cursor=" + canary};
  for (const std::string& target : targets) {
    AskAs(Bearer(agent_), "GET", target);
    AskAs(Bearer(canary), "GET", target);
    Ask("GET", target, "Host: " + canary + "\r\n");
    Ask("GET", target, "Host: localhost\r\nOrigin: http://" + canary + "\r\n");
    Ask(canary, target, "Host: localhost\r\n" + Bearer(agent_) + "\r\n");
  }
  AskAs(Bearer(agent_), "GET", "/api/v1/memories/" + memory_);
  server_.Stop();
  EXPECT_THAT(log_text_.str(), Not(HasSubstr(canary)));
  EXPECT_THAT(log_text_.str(), Not(HasSubstr(kSecretText)));
  EXPECT_THAT(log_text_.str(), Not(HasSubstr(agent_.substr(agent_.rfind('_')))));
  EXPECT_THAT(log_text_.str(), HasSubstr("\"route\":\"/api/v1/memories/{id}\""));
  EXPECT_THAT(log_text_.str(),
              HasSubstr("\"principal\":\"" + authenticator_.Authenticate(agent_)->principal_id));
  EXPECT_THAT(metrics_.Text(), Not(HasSubstr(canary)));
}

}  // namespace
}  // namespace perdure::testing
