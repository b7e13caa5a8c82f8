// Several commands that one caller has in flight together.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/base/limits.h"
#include "support/test_engine.h"

namespace perdure {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::Note;
using testing::TestEngine;
using testing::With;

WriteCall Storing(std::string text, WriteOptions options = {}) {
  return {StoreMemories{{Note(std::move(text))}}, std::move(options)};
}

TEST(WriteAll, AnswersEachCallInItsPlace) {
  TestEngine engine;
  std::vector<WriteCall> calls;
  const std::size_t count = 3 * limits::kGroupCommandsMax + 1;
  for (std::size_t i = 0; i < count; ++i) calls.push_back(Storing("text " + std::to_string(i)));
  const auto answers = engine->WriteAll(With(kAgent), std::move(calls));
  ASSERT_EQ(answers.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_THAT(answers[i], IsOk());
    const auto memory = engine.Get(answers[i]->memories.at(0).id);
    ASSERT_THAT(memory, IsOk());
    EXPECT_EQ(memory->text, "text " + std::to_string(i));
    EXPECT_EQ(answers[i]->seq, answers[0]->seq + i);
  }
}

TEST(WriteAll, DoesNotLetOneRefusalReachTheOthers) {
  TestEngine engine;
  std::vector<WriteCall> calls;
  calls.push_back(Storing("before"));
  calls.push_back(Storing(""));
  calls.push_back(Storing("only tried", {.dry_run = true}));
  calls.push_back({StoreMemories{}, {}});
  calls.push_back(Storing("before"));  // what the first of them stored
  const auto answers = engine->WriteAll(With(kAgent), std::move(calls));
  ASSERT_EQ(answers.size(), 5u);
  ASSERT_THAT(answers[0], IsOk());
  EXPECT_THAT(answers[1], FailsWith(Code::kInvalidArgument, HasSubstr("text")));
  ASSERT_THAT(answers[2], IsOk());
  EXPECT_TRUE(answers[2]->dry_run);
  EXPECT_FALSE(answers[3].has_value());
  ASSERT_THAT(answers[4], IsOk());
  EXPECT_EQ(answers[4]->memories.at(0).id, answers[0]->memories.at(0).id);
  EXPECT_FALSE(answers[4]->memories.at(0).created);
}

TEST(WriteAll, OfNothingIsNothing) {
  TestEngine engine;
  EXPECT_TRUE(engine->WriteAll(With(kAgent), {}).empty());
}

}  // namespace
}  // namespace perdure
