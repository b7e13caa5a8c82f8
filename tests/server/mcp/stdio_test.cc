#include "server/mcp/stdio.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/limits.h"
#include "server/api/json.h"
#include "server/mcp/protocol.h"
#include "server/support/fixture.h"

namespace perdure {
namespace {

using Json = nlohmann::json;
using ::perdure::testing::Fixture;

std::vector<Json> Talk(const Fixture& fixture, const std::string& input) {
  std::istringstream in(input);
  std::ostringstream out;
  McpStdio(fixture.mcp, fixture.tokens.Authenticate("agent-token").value(), in, out).Run();
  std::vector<Json> messages;
  std::istringstream lines(out.str());
  for (std::string line; std::getline(lines, line);) messages.push_back(Json::parse(line));
  return messages;
}

std::string Line(int id, const std::string& method, const Json& params = Json::object()) {
  return DumpJson({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}) + "\n";
}

TEST(McpStdioTest, EachRequestIsAnsweredInOneLineInOrder) {
  const Fixture fixture;
  const auto messages = Talk(
      fixture, Line(1, "ping") + "\n  \r\n" + Line(2, "tools/list") +
                   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n" +
                   Line(3, "tools/call", {{"name", "echo"}, {"arguments", {{"text", "a\nb"}}}}));
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[0]["id"], 1);
  EXPECT_EQ(messages[1]["result"]["tools"].size(), 5U);
  EXPECT_EQ(messages[2]["result"]["structuredContent"]["text"], "a\nb");
  EXPECT_EQ(messages[2]["result"]["structuredContent"]["door"], "mcp-stdio");
}

TEST(McpStdioTest, ALastLineWithoutItsEndIsAnswered) {
  const Fixture fixture;
  std::string line = Line(1, "ping");
  line.pop_back();
  EXPECT_EQ(Talk(fixture, line).size(), 1U);
  EXPECT_EQ(Talk(fixture, "").size(), 0U);
}

TEST(McpStdioTest, TheClientOfInitializeIsRemembered) {
  const Fixture fixture;
  const auto messages = Talk(
      fixture,
      Line(1, "initialize",
           {{"protocolVersion", "2025-06-18"}, {"clientInfo", {{"name", "d"}, {"version", "3"}}}}) +
          Line(2, "tools/call", {{"name", "echo"}, {"arguments", {{"text", "a"}}}}));
  EXPECT_EQ(messages.at(1)["result"]["structuredContent"]["client"], "d/3");
}

TEST(McpStdioTest, GarbageIsAnsweredAndTheNextMessageToo) {
  const Fixture fixture;
  const auto messages = Talk(fixture, "not json\n" + Line(2, "ping"));
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0]["error"]["code"], mcp::kParseError);
  EXPECT_EQ(messages[1]["id"], 2);
}

TEST(McpStdioTest, LinesHoldAtTheirMaximum) {
  const Fixture fixture;
  const auto padded = [](std::size_t size) {
    const std::string line = Line(1, "ping");
    return std::string(size - (line.size() - 1), ' ') + line;
  };
  EXPECT_EQ(Talk(fixture, padded(limits::kBodyBytesMax - 1)).at(0)["id"], 1);
  EXPECT_EQ(Talk(fixture, padded(limits::kBodyBytesMax)).at(0)["id"], 1);
  const auto messages = Talk(fixture, padded(limits::kBodyBytesMax + 1) + Line(2, "ping"));
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0]["error"]["code"], mcp::kParseError);
  EXPECT_EQ(messages[1]["id"], 2);
}

// An input that the test feeds while the loop runs, and an output that it reads line by line.
class Pipe : public std::streambuf {
 public:
  void Feed(const std::string& text) {
    const std::lock_guard lock(mutex_);
    for (const char letter : text) bytes_.push_back(letter);
    changed_.notify_all();
  }
  void End() {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    changed_.notify_all();
  }
  Json NextMessage() {
    std::string line;
    for (int letter = Next(); letter != '\n' && letter != EOF; letter = Next()) {
      line += static_cast<char>(letter);
    }
    return Json::parse(line);
  }

 protected:
  int underflow() override {
    const int letter = Next();
    if (letter == EOF) return EOF;
    letter_ = static_cast<char>(letter);
    setg(&letter_, &letter_, &letter_ + 1);
    return traits_type::to_int_type(letter_);
  }
  int overflow(int letter) override {
    Feed(std::string(1, static_cast<char>(letter)));
    return letter;
  }

 private:
  int Next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !bytes_.empty() || has_ended_; });
    if (bytes_.empty()) return EOF;
    const char letter = bytes_.front();
    bytes_.pop_front();
    return traits_type::to_int_type(letter);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<char> bytes_;
  bool has_ended_ = false;
  char letter_ = 0;
};

std::string ListenLine(const std::string& id) {
  const Json meta = {{mcp::kVersionKey, mcp::kModernVersion},
                     {mcp::kClientCapabilitiesKey, Json::object()}};
  return DumpJson({{"jsonrpc", "2.0"},
                   {"id", id},
                   {"method", "subscriptions/listen"},
                   {"params",
                    {{"_meta", meta},
                     {"notifications", {{"resourceSubscriptions", {"perdure://memory/n"}}}}}}}) +
         "\n";
}

TEST(McpStdioTest, SubscriptionsReportChangesUntilTheyAreCancelled) {
  Fixture fixture;
  Pipe input;
  Pipe output;
  std::istream in(&input);
  std::ostream out(&output);
  McpStdio stdio(fixture.mcp, fixture.tokens.Authenticate("agent-token").value(), in, out);
  const std::jthread loop([&] { stdio.Run(); });

  input.Feed(ListenLine("first"));
  EXPECT_EQ(output.NextMessage()["method"], "notifications/subscriptions/acknowledged");
  fixture.notes.Put("n", "changed");
  EXPECT_EQ(output.NextMessage()["params"]["_meta"][mcp::kSubscriptionIdKey], "first");

  input.Feed(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"first"}})"
      "\n");
  input.Feed(ListenLine("second"));
  EXPECT_EQ(output.NextMessage()["params"]["_meta"][mcp::kSubscriptionIdKey], "second");
  fixture.notes.Put("n", "changed again");
  EXPECT_EQ(output.NextMessage()["params"]["_meta"][mcp::kSubscriptionIdKey], "second");
  input.Feed(Line(9, "ping"));
  EXPECT_EQ(output.NextMessage()["id"], 9);  // and nothing of the first before it
  input.End();
}

}  // namespace
}  // namespace perdure
