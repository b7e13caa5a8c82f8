// Bounds around what agents write: refusals, importance, repetition and novelty.
#include <gmock/gmock.h>

#include "engine/base/limits.h"
#include "engine/decide/novelty.h"
#include "engine/facts/fact_engine.h"

namespace perdure {
namespace {

using ::testing::ElementsAre;
using testing::Fact;
using testing::FactEngine;
using testing::IsOk;
using testing::IsRefusedBy;
using testing::Note;
using testing::Quote;
using testing::With;

AssertFacts Refused(FactEngine& engine, std::size_t count) {
  AssertFacts batch{{}, true};
  engine.Asserted(Fact("Ann", "drinks", "milk"));
  for (std::size_t i = 0; i < count; ++i) batch.facts.push_back(Fact("Ann", "drinks", "milk"));
  return batch;
}

TEST(RefusedMembers, CountTowardsThePrincipalsRate) {
  FactEngine engine;
  const AssertFacts batch = Refused(engine, limits::kRefusalsPerSecondMax);
  const auto done = engine.Do(batch, {}, With(kAgent));
  ASSERT_THAT(done, IsOk());
  EXPECT_EQ(done->memories.size(), limits::kRefusalsPerSecondMax);
  const Seq before = (*engine).Visible(kMainSpace).seq;
  AssertFacts one{{batch.facts[0]}, true};
  EXPECT_THAT(engine.Do(one, {}, With(kAgent)), IsRefusedBy(Rule::kRate));
  EXPECT_EQ((*engine).Visible(kMainSpace).seq, before) << "the excess is counted, not written";
  EXPECT_THAT(engine.Do(one, {}, With(kReviewer)), IsOk()) << "another principal's";
  engine.clock().Advance(1'000'001);
  EXPECT_THAT(engine.Do(one, {}, With(kAgent)), IsOk());
}

TEST(RefusedMembers, OfABatchBeyondTheRateRefuseItWhole) {
  FactEngine engine;
  const AssertFacts batch = Refused(engine, limits::kRefusalsPerSecondMax + 1);
  EXPECT_THAT(engine.Do(batch, {}, With(kAgent)), IsRefusedBy(Rule::kRate));
}

TEST(Refusals, AreDismissedByAReviewerAndStayInTheLog) {
  FactEngine engine;
  engine.Asserted(Fact("Ann", "drinks", "milk", Quote("q", "one", 10)));
  engine.Asserted(Fact("Ann", "drinks", "tea", Quote("q", "two", 20)));
  EXPECT_FALSE(engine.Assert(Fact("Ann", "drinks", "milk", Quote("q", "one", 10))));
  EXPECT_FALSE(engine.Assert(Fact("Ann", "drinks", "milk", Quote("q", "one", 10))));
  const ReviewPage page = engine.Queue(ReviewQueue::kRefusals);
  ASSERT_EQ(page.total, 2u);
  const Seq seq = page.items[0].refusal->seq;
  EXPECT_THAT(engine.Do(DismissRefusals{{seq}}, {}, With(kAgent)), IsRefusedBy(Rule::kRole));
  EXPECT_THAT(engine.Do(DismissRefusals{{seq}}, {}, With(kReviewer, {{"a"}, "", "", ""})),
              IsRefusedBy(Rule::kNothing));
  EXPECT_THAT(engine.Do(DismissRefusals{{seq, seq + 100}}), IsRefusedBy(Rule::kNothing));
  EXPECT_THAT(engine.Do(DismissRefusals{{}}), IsRefusedBy(Rule::kTooMany));
  EXPECT_EQ(engine.Queue(ReviewQueue::kRefusals).total, 2u) << "all or none";
  ASSERT_THAT(engine.Do(DismissRefusals{{seq}}, {.reason = "seen"}, With(kReviewer)), IsOk());
  EXPECT_EQ(engine.Queue(ReviewQueue::kRefusals).total, 1u);
  EXPECT_THAT(engine.Do(DismissRefusals{{seq}}), IsRefusedBy(Rule::kNothing));
  EXPECT_EQ(engine.Refusals(Rule::kStaleEvidence), 2u);
  engine.ExpectSound();
}

DescribeMemory Weighed(const Uuid& id, float importance) {
  DescribeMemory change{.id = id};
  change.importance = importance;
  return change;
}

TEST(Describing, MovesImportanceNoFurtherThanScoringDoes) {
  FactEngine engine;
  const Uuid id = engine.Store(Note("a note"));
  EXPECT_THAT(engine.Do(Weighed(id, 0.9f), {}, With(kAgent)), IsRefusedBy(Rule::kCap));
  EXPECT_THAT(engine.Do(Weighed(id, 0.7f), {}, With(kAgent)), IsOk());
  EXPECT_THAT(engine.Do(Weighed(id, 0.9f), {}, With(kAgent)), IsOk());
  EXPECT_THAT(engine.Do(Weighed(id, 0.8f), {}, With(kAgent)), IsRefusedBy(Rule::kCap))
      << "all that an agent describes is one pass";
  EXPECT_THAT(engine.Do(Weighed(id, 0.1f), {}, With(kReviewer)), IsOk()) << "a reviewer decides";
  ASSERT_THAT(engine.Do(MoveState{id, Transition::kPin, {}}), IsOk());
  EXPECT_THAT(engine.Do(Weighed(id, 0.2f), {}, With(kAgent)), IsRefusedBy(Rule::kProtected));
  engine.ExpectSound();
}

TEST(StoringAgain, LeavesAnImportanceBeyondTheBoundsAlone) {
  FactEngine engine;
  const Uuid id = engine.Store(Note("a note"));
  NoteDraft again = Note("a note");
  again.importance = 1.0f;
  const auto stored = engine.Do(StoreMemories{{again}}, {}, With(kAgent));
  ASSERT_THAT(stored, IsOk());
  EXPECT_THAT(stored->memories[0].not_applied, ElementsAre("importance"));
  EXPECT_FLOAT_EQ(engine.Record(id).importance, 0.5f);
}

TEST(Reinforcement, NamesTheArgumentsThatItLeftAlone) {
  FactEngine engine;
  engine.Asserted(Fact("Ann", "drinks", "milk", Quote("q", "one", 10)));
  FactDraft again = Fact("Ann", "drinks", "milk", Quote("q2", "two", 20));
  again.tags = {"food"};
  again.importance = 0.9f;
  again.expires_at = engine.clock().Now() + 1'000'000'000;
  const auto done = engine.Do(AssertFacts{{again}, false}, {}, With(kAgent));
  ASSERT_THAT(done, IsOk());
  EXPECT_EQ(done->memories[0].fact, FactOutcome::kReinforced);
  EXPECT_THAT(done->memories[0].not_applied, ElementsAre("tags", "importance", "expires_at"));
  const auto plain = engine.Assert(Fact("Ann", "drinks", "milk", Quote("q3", "three", 30)));
  ASSERT_THAT(plain, IsOk());
  EXPECT_THAT(plain->memories[0].not_applied, ::testing::IsEmpty());
}

TEST(NearlySame, IsWhatDiffersInOrderPunctuationOrALetter) {
  EXPECT_TRUE(NearlySame("oat milk", "milk, oat"));
  EXPECT_TRUE(NearlySame("oat milk", "oat milks"));
  EXPECT_TRUE(NearlySame("new york", "new-york."));
  EXPECT_FALSE(NearlySame("milk", "silk")) << "one letter in four";
  EXPECT_FALSE(NearlySame("room 12345678", "room 12345679")) << "another number";
  EXPECT_FALSE(NearlySame("oat milk", "oat milk and tea"));
}

TEST(Novelty, IsRefusedOrParkedAsThePolicySays) {
  for (const bool many : {false, true}) {
    FactEngine engine;
    ASSERT_THAT(engine.Do(DeclarePredicate{"drinks", many, false, fb::ValueShape::any}), IsOk());
    engine.Asserted(Fact("Ann", "drinks", "oat milk", Quote("q", "one", 10)));
    SetPolicy policy;
    policy.novelty = fb::Admission::refuse;
    ASSERT_THAT(engine.Do(policy), IsOk());
    const auto near = [&](const char* source) {
      return engine.Assert(Fact("Ann", "drinks", "oat milks", Quote("q", source, 20)));
    };
    EXPECT_THAT(near("two"), IsRefusedBy(Rule::kNovelty));
    policy.novelty = fb::Admission::quarantine;
    ASSERT_THAT(engine.Do(policy), IsOk());
    const auto parked = near("three");
    ASSERT_THAT(parked, IsOk());
    EXPECT_TRUE(parked->memories[0].candidate);
    EXPECT_EQ(engine.Queue(ReviewQueue::kCandidates).items.at(0).because, "novelty");
    EXPECT_THAT(engine.Assert(Fact("Ann", "drinks", "tea", Quote("q", "four", 30))), IsOk());
    FactEngine open;
    open.Asserted(Fact("Ann", "drinks", "oat milk"));
    EXPECT_THAT(open.Assert(Fact("Ann", "drinks", "oat milks")), IsOk()) << "the default admits";
  }
}

}  // namespace
}  // namespace perdure
