#include "server/mcp/sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/mcp/subscription.h"
#include "server/support/fixture.h"
#include "support/seeded_random.h"

namespace perdure {
namespace {

using Json = nlohmann::json;
using ::perdure::testing::Notes;
using ::perdure::testing::SeededRandom;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Caller CallerOf(const std::string& token) {
  Caller caller;
  caller.token_id = token;
  return caller;
}

std::shared_ptr<McpSession> NewSession() { return std::make_shared<McpSession>("desk/3"); }

TEST(McpSessions, AreFoundByTheirTokenAlone) {
  SeededRandom random(1);
  McpSessions sessions(random);
  const std::string id = sessions.Add(CallerOf("a"), NewSession());
  ASSERT_NE(sessions.Find(CallerOf("a"), id), nullptr);
  EXPECT_EQ(sessions.Find(CallerOf("a"), id)->client(), "desk/3");
  EXPECT_EQ(sessions.Find(CallerOf("b"), id), nullptr);
  EXPECT_FALSE(sessions.End(CallerOf("b"), id));
  EXPECT_EQ(sessions.Find(CallerOf("a"), id + "0"), nullptr);
  EXPECT_EQ(sessions.Find(CallerOf("a"), ""), nullptr);
}

TEST(McpSessions, HaveIdsOfTheirStartThatNobodyGuesses) {
  SeededRandom random(1);
  McpSessions sessions(random);
  McpSessions after_restart(random);
  const std::string first = sessions.Add(CallerOf("a"), NewSession());
  const std::string second = sessions.Add(CallerOf("a"), NewSession());
  EXPECT_NE(first, second);
  EXPECT_THAT(first, SizeIs(16 + 1 + 32));
  EXPECT_TRUE(sessions.IsOfThisStart(second));
  EXPECT_FALSE(after_restart.IsOfThisStart(second));
}

TEST(McpSessions, EndOnceAndForAll) {
  SeededRandom random(1);
  McpSessions sessions(random);
  const std::string id = sessions.Add(CallerOf("a"), NewSession());
  const auto session = sessions.Find(CallerOf("a"), id);
  EXPECT_FALSE(session->HasEnded());
  EXPECT_TRUE(sessions.End(CallerOf("a"), id));
  EXPECT_TRUE(session->HasEnded());
  EXPECT_EQ(sessions.Find(CallerOf("a"), id), nullptr);
  EXPECT_FALSE(sessions.End(CallerOf("a"), id));
  EXPECT_TRUE(sessions.IsOfThisStart(id));
}

TEST(McpSessions, TheOneUsedLeastRecentlyMakesRoom) {
  SeededRandom random(1);
  McpSessions sessions(random, 3);
  const Caller caller = CallerOf("a");
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(sessions.Add(caller, NewSession()));
  for (const std::string& id : ids) EXPECT_NE(sessions.Find(caller, id), nullptr);
  const auto first = sessions.Find(caller, ids[0]);  // so that the second is the oldest
  const auto second = sessions.Find(caller, ids[1]);
  ASSERT_NE(sessions.Find(caller, ids[2]), nullptr);
  ASSERT_NE(sessions.Find(caller, ids[0]), nullptr);
  ids.push_back(sessions.Add(caller, NewSession()));
  EXPECT_EQ(sessions.Find(caller, ids[1]), nullptr);
  EXPECT_TRUE(second->HasEnded());
  EXPECT_FALSE(first->HasEnded());
  for (const int kept : {0, 2, 3}) EXPECT_NE(sessions.Find(caller, ids[kept]), nullptr) << kept;
}

TEST(McpSession, TellsEachChangeOfWhatItWatchesOnce) {
  Notes notes;
  const Caller caller;
  McpSession session("");
  notes.Put("n", "before");
  ASSERT_TRUE(session.Watch(notes, caller, "perdure://memory/n"));
  EXPECT_THAT(session.Poll(notes, caller), IsEmpty());
  notes.Put("n", "after");
  notes.Put("unwatched", "x");
  const std::vector<Json> news = session.Poll(notes, caller);
  ASSERT_THAT(news, SizeIs(1));
  EXPECT_EQ(news[0], Json::parse(R"({"jsonrpc": "2.0", "method": "notifications/resources/updated",
                                    "params": {"uri": "perdure://memory/n"}})"));
  EXPECT_THAT(session.Poll(notes, caller), IsEmpty());
  session.Unwatch("perdure://memory/n");
  notes.Put("n", "later");
  EXPECT_THAT(session.Poll(notes, caller), IsEmpty());
}

TEST(McpSession, WatchesUpToTheMaximum) {
  Notes notes;
  McpSession session("");
  const auto watch = [&](std::size_t n) {
    return session.Watch(notes, Caller{}, "perdure://memory/" + std::to_string(n));
  };
  for (std::size_t n = 0; n < limits::kSubscriptionUrisMax; ++n) EXPECT_TRUE(watch(n)) << n;
  EXPECT_FALSE(watch(limits::kSubscriptionUrisMax));
  EXPECT_TRUE(watch(0));  // watched already
  session.Unwatch("perdure://memory/0");
  EXPECT_TRUE(watch(limits::kSubscriptionUrisMax));
}

}  // namespace
}  // namespace perdure
