#include <gtest/gtest.h>

#include "engine/facts/fact_engine.h"

namespace perdure {
namespace {

using ::testing::ElementsAre;
using testing::Fact;
using testing::FactEngine;
using testing::IsOk;
using testing::IsRefusedBy;
using testing::kDay;
using testing::Quote;
using testing::With;

constexpr float kNear = 1e-4f;

FactDraft Milk(std::optional<Evidence> evidence = {}) {
  return Fact("Alice", "drinks", "milk", std::move(evidence));
}
FactDraft OatMilk(std::optional<Evidence> evidence = {}) {
  return Fact("Alice", "drinks", "oat milk", std::move(evidence));
}

// Milk, then twice oat milk: the state from which every case below starts.
struct Corrected {
  explicit Corrected(FactEngine& engine) : start(engine.clock().Now()) {
    milk = engine.Asserted(Milk(Quote("I drink milk", "monday", start - 3 * kDay)));
    oat = engine.Asserted(OatMilk(Quote("oat milk now", "tuesday", start - 2 * kDay)));
    EXPECT_EQ(engine.Asserted(OatMilk(Quote("still oat milk", "wednesday", start - kDay))), oat);
  }
  Micros start;
  Uuid milk;
  Uuid oat;
};

TEST(Fact, ACorrectionTakesThePlaceOfWhatItCorrects) {
  FactEngine engine;
  const Corrected corrected(engine);
  EXPECT_EQ(engine.Standing("alice", "DRINKS"), "oat milk");
  EXPECT_NEAR(engine.Record(corrected.oat).confidence, 0.7f, kNear);
  const auto milk = engine.Record(corrected.milk);
  EXPECT_EQ(milk.state, fb::MemoryState::superseded);
  EXPECT_NEAR(milk.confidence, 0.5f * 0.6f * 0.6f, kNear);
  EXPECT_EQ(FromIdPtr(milk.successor), corrected.oat);
  EXPECT_EQ(FromIdPtr(engine.Record(corrected.oat).predecessor), corrected.milk);
}

TEST(Fact, ARejectedValueFromTheSameTranscriptChangesNothingHoweverOften) {
  FactEngine engine;
  const Corrected corrected(engine);
  const auto before = engine.Record(corrected.oat);
  for (int i = 0; i < 15; ++i) {
    EXPECT_THAT(engine.Assert(Milk(Quote("I drink milk", "monday", corrected.start - 3 * kDay))),
                IsRefusedBy(Rule::kStaleEvidence));
  }
  EXPECT_EQ(engine.Refusals(Rule::kStaleEvidence), 15u);
  for (const auto& [rule, count] : (*engine).Refusals().All()) {
    EXPECT_EQ(count, rule == FactsOf(Rule::kStaleEvidence).name ? 15u : 0u) << rule;
  }
  EXPECT_EQ(engine.Record(corrected.oat).confidence, before.confidence);
  EXPECT_EQ(engine.Record(corrected.oat).seq, before.seq);
  EXPECT_EQ(engine.Standing("alice", "drinks"), "oat milk");
}

TEST(Fact, EvidenceOlderThanTheCorrectionOrWithoutATimeIsStale) {
  FactEngine engine;
  const Corrected corrected(engine);
  EXPECT_THAT(engine.Assert(Milk()), IsRefusedBy(Rule::kStaleEvidence));
  EXPECT_THAT(engine.Assert(Milk(Quote("milk!", "a new source"))),
              IsRefusedBy(Rule::kStaleEvidence));
  EXPECT_THAT(engine.Assert(Milk(Quote("milk!", "old", corrected.start - kDay))),
              IsRefusedBy(Rule::kStaleEvidence));
  EXPECT_THAT(engine.Assert(Milk(Quote("milk!", "new", corrected.start - kDay + 1))), IsOk());
}

TEST(Fact, FifteenNewerQuotesAreOneChangeOfMindAndAChainOfThree) {
  FactEngine engine;
  const Corrected corrected(engine);
  Uuid milk_again;
  for (int i = 0; i < 15; ++i) {
    const auto asserted =
        engine.Assert(Milk(Quote("milk again " + std::to_string(i), "chat " + std::to_string(i),
                                 corrected.start + i * 1000)));
    ASSERT_THAT(asserted, IsOk());
    EXPECT_EQ(asserted->memories[0].fact,
              i == 0 ? FactOutcome::kChanged : FactOutcome::kReinforced);
    if (i == 0) milk_again = asserted->memories[0].id;
    EXPECT_EQ(asserted->memories[0].id, milk_again);
  }
  const FactAnswer answer = engine.About("Alice", "drinks");
  ASSERT_EQ(answer.chain.size(), 3u);
  EXPECT_THAT((std::vector{answer.chain[0].id, answer.chain[1].id, answer.chain[2].id}),
              ElementsAre(corrected.milk, corrected.oat, milk_again));
  ASSERT_EQ(answer.facts.size(), 1u);
  EXPECT_EQ(answer.facts[0].id, milk_again);
  EXPECT_EQ(engine.Record(corrected.oat).state, fb::MemoryState::superseded);
}

TEST(Fact, AgainstAPinnedValueAChallengeWaitsForReview) {
  FactEngine engine;
  const Corrected corrected(engine);
  ASSERT_THAT(engine.Do(MoveState{corrected.oat, Transition::kPin, {}}), IsOk());
  const auto challenged = engine.Assert(Milk(Quote("milk", "new", corrected.start)));
  ASSERT_THAT(challenged, IsOk());
  EXPECT_EQ(challenged->memories[0].fact, FactOutcome::kCandidate);
  EXPECT_EQ(challenged->memories[0].rule, static_cast<int>(Rule::kChallenge));
  const auto oat = engine.Record(corrected.oat);
  EXPECT_NEAR(oat.confidence, 0.7f, kNear);
  EXPECT_EQ(oat.dispute, fb::Dispute::challenged);
  EXPECT_EQ(engine.Standing("alice", "drinks"), "oat milk");
  EXPECT_EQ(engine.Record(challenged->memories[0].id).state, fb::MemoryState::pending);
  EXPECT_THAT(engine.Assert(Milk(Quote("milk", "newer", corrected.start + 1))),
              IsRefusedBy(Rule::kWaits));
}

TEST(Fact, WhereRepetitionCountsTheThirdOneSupersedes) {
  FactEngine engine;
  SetPolicy policy;
  policy.repetition = fb::Repetition::any;
  ASSERT_THAT(engine.Do(policy), IsOk());
  const Corrected corrected(engine);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(engine.Record(corrected.oat).state, fb::MemoryState::superseded) << i;
    engine.Asserted(Milk());
  }
  EXPECT_EQ(engine.Record(corrected.oat).state, fb::MemoryState::superseded);
}

TEST(Fact, IsMadeSurerOnlyByEvidenceThatHasNotCounted) {
  FactEngine engine;
  const Uuid milk = engine.Asserted(Milk(Quote("q", "s", 1)));
  EXPECT_THAT(engine.Assert(Milk(Quote("other words", "S ", 2))), IsRefusedBy(Rule::kStands));
  EXPECT_THAT(engine.Assert(Milk(Quote("Q", "t", 1))), IsRefusedBy(Rule::kStands));
  EXPECT_THAT(engine.Assert(Milk()), IsRefusedBy(Rule::kStands));
  EXPECT_NEAR(engine.Record(milk).confidence, 0.5f, kNear);
  EXPECT_EQ(engine.Asserted(Milk(Quote("q", "t", 2))), milk);
  EXPECT_NEAR(engine.Record(milk).confidence, 0.6f, kNear);
  EXPECT_EQ(engine.Record(milk).frequency, 2u);
}

TEST(Fact, ImportantRivalsFadeSlowly) {
  FactEngine engine;
  FactDraft milk = Milk();
  milk.importance = 0.8f;
  milk.confidence = 1.0f;
  const Uuid id = engine.Asserted(milk);
  engine.Asserted(OatMilk());
  const auto faded = engine.Record(id);
  EXPECT_NEAR(faded.confidence, 0.9f, kNear);
  EXPECT_TRUE(faded.shadowed);
  EXPECT_EQ(faded.state, fb::MemoryState::live);
  EXPECT_EQ(engine.Standing("alice", "drinks"), "oat milk");
  const auto page = (*engine).Read(With(kAgent))->List({}, 10, "");
  ASSERT_THAT(page, IsOk());
  ASSERT_EQ(page->memories.size(), 1u);
  EXPECT_EQ(page->memories[0].object, "oat milk");
}

TEST(Fact, OfTwoPeriodsAreTwoIntervals) {
  FactEngine engine;
  FactDraft paris = Fact("Bob", "lives in", "Paris");
  paris.valid_from = 0;
  paris.valid_until = 10 * kDay;
  FactDraft rome = Fact("Bob", "lives in", "Rome");
  rome.valid_from = 10 * kDay;
  FactDraft paris_again = paris;
  paris_again.valid_from = -20 * kDay;
  paris_again.valid_until = -10 * kDay;
  const Uuid first = engine.Asserted(paris);
  const Uuid second = engine.Asserted(rome);
  EXPECT_NE(engine.Asserted(paris_again), first);
  EXPECT_NEAR(engine.Record(first).confidence, 0.5f, kNear);
  EXPECT_NEAR(engine.Record(second).confidence, 0.5f, kNear);
  const auto at = [&](Micros time) {
    return engine.Standing("bob", "lives in", {.valid_at = time});
  };
  EXPECT_EQ(at(10 * kDay - 1), "Paris");
  EXPECT_EQ(at(10 * kDay), "Rome");
  EXPECT_EQ(at(-1), "");
  EXPECT_EQ(at(-20 * kDay), "Paris");
  FactDraft inverted = paris;
  std::swap(inverted.valid_from, inverted.valid_until);
  EXPECT_THAT(engine.Assert(inverted), IsRefusedBy(Rule::kInterval));
}

TEST(Fact, ThatHoldsFromSomeTimeOnLeavesTheTimeBeforeToTheOther) {
  FactEngine engine;
  FactDraft paris = Fact("Bob", "lives in", "Paris");
  paris.valid_from = 0;
  const Uuid first = engine.Asserted(paris);
  FactDraft rome = Fact("Bob", "lives in", "Rome");
  rome.valid_from = 10 * kDay;
  engine.Asserted(rome);
  const auto at = [&](Micros time) {
    return engine.Standing("bob", "lives in", {.valid_at = time});
  };
  EXPECT_EQ(at(10 * kDay - 1), "Paris");
  EXPECT_EQ(at(10 * kDay), "Rome");
  EXPECT_NEAR(engine.Record(first).confidence, 0.5f, kNear);
  EXPECT_EQ(engine.Record(first).valid_until, 10 * kDay);

  FactDraft oslo = Fact("Bob", "lives in", "Oslo");
  oslo.valid_from = 2 * kDay;
  oslo.valid_until = 4 * kDay;
  engine.Asserted(oslo);
  EXPECT_EQ(at(2 * kDay - 1), "Paris");
  EXPECT_EQ(at(2 * kDay), "Oslo");
  EXPECT_EQ(at(4 * kDay), "Paris");
  EXPECT_EQ(at(10 * kDay - 1), "Paris");
  EXPECT_EQ(at(10 * kDay), "Rome");
}

TEST(Fact, StandsAsItDidAtAnyPastTime) {
  FactEngine engine;
  const Uuid milk = engine.Asserted(Milk(Quote("q", "s", 1)));
  const Seq then = engine.Record(milk).seq;
  engine.Asserted(OatMilk(Quote("q", "t", 2)));
  engine.Asserted(OatMilk(Quote("q", "u", 3)));
  EXPECT_EQ(engine.Standing("alice", "drinks"), "oat milk");
  EXPECT_EQ(engine.Standing("alice", "drinks", {.seq = then}), "milk");
}

TEST(Fact, OfADeclaredPredicateManyValuesStandSideBySide) {
  FactEngine engine;
  ASSERT_THAT(engine.Do(DeclarePredicate{"Speaks", true, false, fb::ValueShape::any}), IsOk());
  engine.Asserted(Fact("Alice", "speaks", "French"));
  engine.Asserted(Fact("Alice", "speaks", "German"));
  EXPECT_EQ(engine.About("alice", "speaks").facts.size(), 2u);
  ASSERT_THAT(engine.Do(DeclarePredicate{"born in", false, false, fb::ValueShape::number}), IsOk());
  EXPECT_THAT(engine.Assert(Fact("Alice", "born in", "Paris")), IsRefusedBy(Rule::kShape));
  EXPECT_THAT(engine.Assert(Fact("Alice", "born in", "1970")), IsOk());
}

TEST(Fact, OfASymmetricPredicateIsKnownFromBothEnds) {
  FactEngine engine;
  ASSERT_THAT(engine.Do(DeclarePredicate{"married to", false, true, fb::ValueShape::any}), IsOk());
  const Uuid pair = engine.Asserted(Fact("Alice", "married to", "Bob", Quote("q", "s", 1)));
  EXPECT_EQ(engine.Asserted(Fact("Bob", "married to", "Alice", Quote("q", "t", 2))), pair);
  EXPECT_EQ(engine.About("bob", "married to").facts.at(0).id, pair);
  const auto other = engine.Assert(Fact("Carol", "married to", "Bob", Quote("q", "u", 3)));
  ASSERT_THAT(other, IsOk());
  EXPECT_EQ(other->memories[0].fact, FactOutcome::kChanged);
  EXPECT_TRUE(engine.About("alice", "married to").facts.empty());
}

TEST(Fact, InABatchOneRefusedMemberRefusesAllUnlessTheyMayFallAlone) {
  FactEngine engine;
  engine.Asserted(Milk(Quote("q", "s", 1)));
  AssertFacts batch{
      {Fact("Bob", "drinks", "tea"), Milk(Quote("q", "s", 1)), Fact("Carol", "drinks", "coffee")},
      false};
  EXPECT_THAT(engine.Do(batch), IsRefusedBy(Rule::kStands));
  EXPECT_EQ(engine.Standing("bob", "drinks"), "");
  batch.partial = true;
  const auto outcome = engine.Do(batch);
  ASSERT_THAT(outcome, IsOk());
  ASSERT_EQ(outcome->memories.size(), 3u);
  EXPECT_EQ(outcome->memories[0].fact, FactOutcome::kStored);
  EXPECT_EQ(outcome->memories[1].fact, FactOutcome::kRefused);
  EXPECT_EQ(outcome->memories[1].rule, static_cast<int>(Rule::kStands));
  EXPECT_EQ(outcome->memories[2].fact, FactOutcome::kStored);
  EXPECT_EQ(engine.Standing("carol", "drinks"), "coffee");
}

TEST(Fact, IsVerbatimOnlyWhenItsQuoteStandsInTheMemoryItNames) {
  FactEngine engine;
  const Uuid source =
      engine.Store(testing::Note("Monday.\nAlice said: I  drink MILK daily.\nBye."));
  FactDraft found = Milk(Quote("i drink milk", ToString(source)));
  found.claimed = fb::Trust::verbatim;
  EXPECT_EQ(engine.Record(engine.Asserted(found)).trust, fb::Trust::verbatim);
  FactDraft absent = OatMilk(Quote("Alice said: I drink oat milk", ToString(source)));
  const Uuid inferred = engine.Asserted(absent);
  EXPECT_EQ(engine.Record(inferred).trust, fb::Trust::inferred);
  absent.claimed = fb::Trust::verbatim;
  const auto refused = engine.Assert(absent);
  ASSERT_THAT(refused, IsRefusedBy(Rule::kQuoteNotFound));
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("Alice said: I  drink MILK daily."));
}

TEST(Fact, OfAnotherScopeIsNoRival) {
  FactEngine engine;
  FactDraft theirs = Milk();
  theirs.scope = ScopePath{{"acme"}, "", "", ""};
  const Uuid in_acme = engine.Asserted(theirs);
  engine.Asserted(OatMilk());
  EXPECT_FALSE(engine.Record(in_acme).shadowed);
  EXPECT_EQ(engine.About("alice", "drinks").facts.size(), 2u);
}

}  // namespace
}  // namespace perdure
