#include "tools/eval/derived_sets.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/status_matchers.h"
#include "support/temp_dir.h"

namespace perdure::eval {
namespace {

using ::perdure::testing::IsOk;
using ::perdure::testing::TempDir;

QuestionSet Conversations(std::size_t turns) {
  QuestionSet set;
  set.name = "talks";
  for (const char* scope : {"a", "b"}) {
    for (std::size_t i = 0; i < turns; ++i) {
      Item turn;
      turn.id = std::string(scope) + std::to_string(i);
      turn.scope = scope;
      turn.session = "1";
      turn.speaker = i % 2 == 0 ? "Ann" : "";
      turn.text = "turn " + std::to_string(i);
      set.items.push_back(turn);
    }
  }
  Question question;
  question.id = "q";
  question.scope = "b";
  question.relevant = {turns, turns + 1};
  set.questions = {question};
  return set;
}

TEST(DerivedSetsTest, EachSessionOfEveryScopeIsOneTextAmongAll) {
  const auto sessions = SessionsOf(Conversations(4));
  ASSERT_TRUE(sessions);
  EXPECT_EQ(sessions->name, "talks/sessions");
  ASSERT_EQ(sessions->items.size(), 2u);
  EXPECT_EQ(sessions->items[1].id, "b/1");
  EXPECT_EQ(sessions->items[1].text, "Ann: turn 0\nturn 1\nAnn: turn 2\nturn 3");
  EXPECT_FALSE(sessions->items[1].IsTurn());
  EXPECT_EQ(sessions->questions[0].relevant, std::vector<std::size_t>{1});
  EXPECT_EQ(sessions->questions[0].scope, sessions->items[0].scope);
  EXPECT_EQ(sessions->items[1].scope, sessions->items[0].scope);
}

TEST(DerivedSetsTest, WhatIsNoSetOfConversationsHasNoSessions) {
  EXPECT_FALSE(SessionsOf(Conversations(3)));
  QuestionSet set = Conversations(4);
  set.items[0].session.clear();
  EXPECT_FALSE(SessionsOf(set));
  set = Conversations(4);
  for (Item& item : set.items) item.scope = "a";
  EXPECT_FALSE(SessionsOf(set));
}

TEST(DerivedSetsTest, AMemoryInOtherWordsStandsBesideItsDecoy) {
  const TempDir directory;
  const auto load = [&](const std::string& lines) {
    std::ofstream(directory / "queries.tsv") << lines;
    return LoadSet({"pairs", directory.path()});
  };
  const auto set = load("who?\tan answer\ta decoy\n\nwhy?\tother\tone\n");
  ASSERT_THAT(set, IsOk());
  ASSERT_EQ(set->items.size(), 4u);
  EXPECT_EQ(set->questions[1].text, "why?");
  EXPECT_EQ(set->items[set->questions[1].relevant[0]].text, "other");
  EXPECT_EQ(set->items[3].text, "one");
  for (const char* wrong : {"who?\tan answer\n", "a\tb\tc\td\n", "one\n"}) {
    EXPECT_EQ(load(wrong).error().code, Code::kInvalidArgument) << wrong;
  }
  const auto found = FindSets(directory.path());
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->size(), 1u);
}

}  // namespace
}  // namespace perdure::eval
