#include <gtest/gtest.h>

#include "engine/places/places.h"

namespace perdure {
namespace {

using ::testing::_;
using testing::At;
using testing::CountAt;
using testing::ExpectReplays;
using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::NoteAt;
using testing::TestEngine;
using testing::With;

TEST(ForgetMatching, TakesAllOfAUserAndCountsThem) {
  TestEngine engine;
  for (int i = 0; i < 20; ++i) engine.Store(NoteAt("acme;user=ann", "a" + std::to_string(i)));
  engine.Store(NoteAt("acme;user=bob", "b"));
  ForgetMatching command{.scope = At(";user=ann")};
  const auto dry = engine.Do(command, {.dry_run = true});
  ASSERT_THAT(dry, IsOk());
  EXPECT_EQ(dry->memories.size(), 20u);
  EXPECT_EQ(CountAt(engine, ""), 21u);
  const auto done = engine.Do(command);
  ASSERT_THAT(done, IsOk());
  EXPECT_EQ(done->memories.size(), 20u);
  EXPECT_EQ(CountAt(engine, ""), 1u);
  EXPECT_THAT(engine.Do(command), FailsWith(Code::kNotFound, HasSubstr("No memory matches")));
  ExpectReplays(engine);
}

TEST(ForgetMatching, MeansEveryThingThatIsGiven) {
  TestEngine engine;
  NoteDraft tagged = NoteAt("acme", "tagged");
  tagged.tags = {"draft"};
  const Uuid old = engine.Store(tagged);
  engine.clock().Advance(1'000'000);
  const Micros between = engine.clock().Now();
  tagged.text = "later";
  engine.Store(tagged);
  engine.Store(NoteAt("acme", "untagged"));
  ForgetMatching command;
  command.tags = {"Draft"};
  command.created_before = between;
  const auto done = engine.Do(command);
  ASSERT_THAT(done, IsOk());
  ASSERT_EQ(done->memories.size(), 1u);
  EXPECT_EQ(done->memories[0].id, old);
}

TEST(ForgetMatching, TakesTheExpiredAndLeavesTheOthers) {
  TestEngine engine;
  NoteDraft brief = NoteAt("", "brief");
  brief.expires_at = engine.clock().Now() + 10'000'000;
  engine.Store(brief);
  engine.Store(NoteAt("", "lasting"));
  ForgetMatching command;
  command.expired = true;
  EXPECT_THAT(engine.Do(command), FailsWith(Code::kNotFound, _));
  engine.clock().Advance(20'000'000);
  const auto done = engine.Do(command);
  ASSERT_THAT(done, IsOk());
  EXPECT_EQ(done->memories.size(), 1u);
}

TEST(ForgetMatching, IsForReviewersAndErasesForOperators) {
  TestEngine engine;
  const Uuid id = engine.Store(NoteAt(";run=7", "one"));
  ForgetMatching command{.scope = At(";run=7")};
  EXPECT_THAT(engine.Do(command, {}, With(kAgent)), FailsWith(Code::kForbidden, _));
  EXPECT_THAT(engine.Do(ForgetMatching{}),
              FailsWith(Code::kInvalidArgument, HasSubstr("everything")));
  const Principal web = With(kReviewer, At("web"));
  EXPECT_THAT(engine.Do(command, {}, web), FailsWith(Code::kForbidden, _));
  ASSERT_THAT(engine.Do(command), IsOk());
  command.erase = true;
  EXPECT_THAT(engine->EraseMatching(With(kReviewer), command, {}), FailsWith(Code::kForbidden, _));
  const auto erased = engine->EraseMatching(With(kOperator), command, {});
  ASSERT_THAT(erased, IsOk());
  EXPECT_EQ(erased->outcome.memories.size(), 1u);
  EXPECT_EQ(erased->receipts.size(), 1u);
  EXPECT_THAT(engine.Get(id), FailsWith(Code::kErased, _));
}

}  // namespace
}  // namespace perdure
