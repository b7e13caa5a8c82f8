// What becomes of facts whose predicate is declared anew, and of what is left of a bounded one.
#include <gmock/gmock.h>

#include "engine/facts/fact_engine.h"

namespace perdure {
namespace {

using ::testing::ElementsAre;
using testing::Fact;
using testing::FactEngine;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::IsRefusedBy;
using testing::kDay;
using ::testing::UnorderedElementsAre;
using testing::With;

DeclarePredicate Declared(bool many, bool symmetric) {
  return {"knows", many, symmetric, fb::ValueShape::any};
}

std::vector<std::string> Objects(const FactAnswer& answer) {
  std::vector<std::string> objects;
  for (const Memory& fact : answer.facts) objects.push_back(fact.object);
  return objects;
}

std::vector<std::string> About(FactEngine& engine, const std::string& who) {
  return Objects(engine.About(who, "knows"));
}

TEST(Predicate, DeclaredSymmetricLaterHoldsForWhatIsStored) {
  FactEngine engine;
  const Uuid early = engine.Asserted(Fact("Ann", "knows", "Bob"));
  const Micros then = (*engine).Visible(kMainSpace).time;
  EXPECT_THAT(About(engine, "Bob"), IsEmpty());
  ASSERT_THAT(engine.Do(Declared(false, true)), IsOk());
  EXPECT_EQ(engine.About("Bob", "knows").facts.size(), 1u) << "found from the other end";
  EXPECT_THAT(engine.Assert(Fact("Bob", "knows", "Ann")), IsRefusedBy(Rule::kStands));
  const Uuid late = engine.Asserted(Fact("Bob", "knows", "Carl"));
  EXPECT_TRUE(engine.Record(early).shadowed) << "Bob's place is taken";
  EXPECT_FALSE(engine.Record(late).shadowed);
  EXPECT_THAT(Objects(engine.About("Bob", "knows", {.time = then})), IsEmpty());
  engine.ExpectSound();
}

TEST(Predicate, DeclaredSymmetricLaterMakesOneOfWhatWasSaidFromBothEnds) {
  FactEngine engine;
  const Uuid one = engine.Asserted(Fact("Ann", "knows", "Bob"));
  const Uuid other = engine.Asserted(Fact("Bob", "knows", "Ann"));
  ASSERT_THAT(engine.Do(Declared(false, true)), IsOk());
  EXPECT_EQ(engine.Record(one).state, fb::MemoryState::superseded);
  EXPECT_EQ(engine.Record(other).state, fb::MemoryState::live);
  EXPECT_EQ(About(engine, "Ann").size(), 1u);
}

TEST(Predicate, DeclaredNoLongerSymmetricIsFoundFromItsSubjectAlone) {
  FactEngine engine;
  ASSERT_THAT(engine.Do(Declared(false, true)), IsOk());
  const Uuid id = engine.Asserted(Fact("Ann", "knows", "Bob"));
  ASSERT_THAT(engine.Do(Declared(false, false)), IsOk());
  EXPECT_THAT(About(engine, "Bob"), IsEmpty());
  EXPECT_THAT(About(engine, "Ann"), ElementsAre("Bob"));
  engine.Asserted(Fact("Bob", "knows", "Carl"));
  EXPECT_FALSE(engine.Record(id).shadowed) << "Bob's place is another one now";
  engine.ExpectSound();
  ASSERT_THAT((*engine).Erase(With(kOperator), {{id}}, {}), IsOk());
  engine.ExpectSound();
}

TEST(Predicate, DeclaredToTakeOneValueLaterKeepsTheLatest) {
  FactEngine engine;
  ASSERT_THAT(engine.Do(Declared(true, false)), IsOk());
  const Uuid first = engine.Asserted(Fact("Ann", "knows", "Bob"));
  engine.Asserted(Fact("Ann", "knows", "Carl"));
  EXPECT_THAT(About(engine, "Ann"), UnorderedElementsAre("Bob", "Carl"));
  ASSERT_THAT(engine.Do(Declared(false, false)), IsOk());
  EXPECT_THAT(About(engine, "Ann"), ElementsAre("Carl"));
  EXPECT_FLOAT_EQ(engine.Record(first).confidence, 0.3f);
  ASSERT_THAT(engine.Do(Declared(true, false)), IsOk());
  EXPECT_THAT(About(engine, "Ann"), ElementsAre("Carl")) << "what faded is history";
  ASSERT_THAT(engine.Do(MoveState{first, Transition::kRestore, {}}), IsOk());
  EXPECT_THAT(About(engine, "Ann"), UnorderedElementsAre("Bob", "Carl"));
}

TEST(Predicate, DeclaredToTakeOneValueLaterKeepsWhatIsPinnedAndNeverChoosesBetweenTwo) {
  FactEngine engine;
  ASSERT_THAT(engine.Do(Declared(true, false)), IsOk());
  const Uuid first = engine.Asserted(Fact("Ann", "knows", "Bob"));
  const Uuid second = engine.Asserted(Fact("Ann", "knows", "Carl"));
  ASSERT_THAT(engine.Do(MoveState{first, Transition::kPin, {}}), IsOk());
  ASSERT_THAT(engine.Do(MoveState{second, Transition::kPin, {}}), IsOk());
  EXPECT_THAT(engine.Do(Declared(false, false)), IsRefusedBy(Rule::kRival));
  EXPECT_THAT(About(engine, "Ann"), UnorderedElementsAre("Bob", "Carl")) << "nothing was done";
  ASSERT_THAT(engine.Do(MoveState{second, Transition::kUnpin, {}}), IsOk());
  ASSERT_THAT(engine.Do(Declared(false, false)), IsOk());
  EXPECT_THAT(About(engine, "Ann"), ElementsAre("Bob"));
}

TEST(Predicate, RollbackToATimeOfManyValuesLeavesOneWhereOneIsDeclaredSince) {
  FactEngine engine;
  ASSERT_THAT(engine.Do(Declared(true, false)), IsOk());
  engine.Asserted(Fact("Ann", "knows", "Bob"));
  engine.Asserted(Fact("Ann", "knows", "Carl"));
  const Micros then = (*engine).Visible(kMainSpace).time;
  ASSERT_THAT(engine.Do(Declared(false, false)), IsOk());
  ASSERT_THAT(engine.Do(Rollback{{}, {}, then}), IsOk());
  EXPECT_THAT(About(engine, "Ann"), ElementsAre("Carl"));
}

// A fact from day 0 on, pinned or not, bounded by another from day 10 to 20: its two parts.
struct Parts {
  Uuid original;
  Uuid rest;
};
Parts Bounded(FactEngine& engine, bool pinned) {
  const Uuid original = engine.Asserted(
      Fact("Bob", "lives in", "Paris", testing::Quote("a flat in Paris", "letter", 5)));
  engine.Asserted(Fact("Bob", "lives in", "Paris", testing::Quote("still there", "card", 6)));
  FactDraft rome = Fact("Bob", "lives in", "Rome", testing::Quote("a year off", "call", 7));
  rome.valid_from = 10 * kDay;
  rome.valid_until = 20 * kDay;
  if (pinned) {
    EXPECT_THAT(engine.Do(MoveState{original, Transition::kPin, {}}), IsOk());
    EXPECT_THAT(engine.Approve(engine.Proposed(rome)), IsOk());
  } else {
    engine.Asserted(rome);
  }
  const FactAnswer after = engine.About("Bob", "lives in", {.valid_at = 30 * kDay});
  EXPECT_THAT(Objects(after), ElementsAre("Paris"));
  return {original, after.facts.empty() ? Uuid{} : after.facts[0].id};
}

TEST(RestOfAFact, StandsOnTheSameEvidenceWhenTheOriginalGoes) {
  FactEngine engine;
  const Parts parts = Bounded(engine, false);
  ASSERT_NE(parts.rest, parts.original);
  EXPECT_EQ(engine.Record(parts.rest).confidence, engine.Record(parts.original).confidence);
  for (const char* source : {"letter", "card"}) {
    FactDraft again = Fact("Bob", "lives in", "Paris", testing::Quote("again", source, 8));
    again.valid_from = 25 * kDay;
    EXPECT_THAT(engine.Assert(again), IsRefusedBy(Rule::kStands)) << source << " has counted";
  }
  ASSERT_THAT(engine.Do(MoveState{parts.original, Transition::kForget, {}}), IsOk());
  EXPECT_EQ(engine.Record(parts.rest).state, fb::MemoryState::live);
  engine.ExpectSound();
}

TEST(RestOfAFact, IsErasedWithTheOriginalWhenItsClosureIs) {
  FactEngine engine;
  const Parts parts = Bounded(engine, false);
  ASSERT_THAT((*engine).Erase(With(kOperator), {{parts.original}, true}, {}), IsOk());
  EXPECT_THAT(engine.Get(parts.rest, {}, With(kOperator)),
              testing::FailsWith(Code::kErased, ::testing::_));
}

TEST(RestOfAFact, IsPinnedWhereTheOriginalIs) {
  FactEngine engine;
  EXPECT_TRUE(engine.Record(Bounded(engine, true).rest).pinned);
  FactEngine loose;
  EXPECT_FALSE(loose.Record(Bounded(loose, false).rest).pinned);
}

}  // namespace
}  // namespace perdure
