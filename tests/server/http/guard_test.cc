#include "server/http/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/support/fixture.h"
#include "support/status_matchers.h"

namespace perdure {
namespace {

using ::perdure::testing::FailsWith;
using ::perdure::testing::FixedTokens;
using ::perdure::testing::IsOk;
using ::testing::HasSubstr;

HttpRequest With(const std::string& name, const std::string& value) {
  HttpRequest request;
  request.headers.emplace("Host", "localhost:7411");
  request.headers.erase(name);
  request.headers.emplace(name, value);
  return request;
}

TEST(GuardTest, OnlyNamesOfThisHostAreAnswered) {
  const Guard guard(nullptr, LoopbackNames());
  for (const char* host : {"localhost", "LOCALHOST:1", "127.0.0.1:7411", "[::1]", "[::1]:7411"}) {
    EXPECT_THAT(guard.CheckOrigin(With("Host", host)), IsOk()) << host;
  }
  for (const char* host : {"", "evil.example", "localhost.evil.example", "127.0.0.1.nip.io:7411",
                           "localhost:80:80", "evil@localhost", "::1", "[::2]", "localhost:8x"}) {
    EXPECT_THAT(guard.CheckOrigin(With("Host", host)),
                FailsWith(Code::kForbidden, HasSubstr("Host")))
        << host;
  }
  HttpRequest twice = With("Host", "localhost");
  twice.headers.emplace("Host", "localhost");
  EXPECT_THAT(guard.CheckOrigin(twice), FailsWith(Code::kForbidden, HasSubstr("Host")));
}

TEST(GuardTest, OnlyPagesOfThisHostMayCall) {
  const Guard guard(nullptr, LoopbackNames());
  for (const char* origin : {"http://localhost", "http://127.0.0.1:3000", "https://[::1]:7411"}) {
    EXPECT_THAT(guard.CheckOrigin(With("Origin", origin)), IsOk()) << origin;
  }
  for (const char* origin :
       {"", "null", "http://evil.example", "file://", "localhost", "http://localhost.evil.example",
        "http://localhost/", "ftp://localhost"}) {
    EXPECT_THAT(guard.CheckOrigin(With("Origin", origin)),
                FailsWith(Code::kForbidden, HasSubstr("origin")))
        << origin;
  }
}

TEST(GuardTest, OtherNamesCanBeAllowed) {
  const Guard one(nullptr, {"memory.example"});
  EXPECT_THAT(one.CheckOrigin(With("Host", "memory.example:443")), IsOk());
  EXPECT_THAT(one.CheckOrigin(With("Host", "other.example")),
              FailsWith(Code::kForbidden, HasSubstr("Host")));
  const Guard any(nullptr, {"*"});
  EXPECT_THAT(any.CheckOrigin(With("Host", "other.example")), IsOk());
}

TEST(GuardTest, ATokenIsSentOnceAsBearer) {
  const FixedTokens tokens;
  const Guard guard(&tokens, LoopbackNames());
  EXPECT_EQ(guard.CheckToken(With("Authorization", "Bearer agent-token"))->roles, Caller::kAgent);
  EXPECT_EQ(guard.CheckToken(With("Authorization", "bearer agent-token"))->roles, Caller::kAgent);
  for (const char* value : {"", "Bearer", "Bearer ", "Basic agent-token", "agent-token",
                            "Bearer wrong", "Bearer agent-token2"}) {
    EXPECT_THAT(guard.CheckToken(With("Authorization", value)),
                FailsWith(Code::kUnauthenticated, HasSubstr("token")))
        << value;
  }
  HttpRequest twice = With("Authorization", "Bearer agent-token");
  twice.headers.emplace("authorization", "Bearer operator-token");
  EXPECT_THAT(guard.CheckToken(twice), FailsWith(Code::kUnauthenticated, HasSubstr("once")));
}

}  // namespace
}  // namespace perdure
