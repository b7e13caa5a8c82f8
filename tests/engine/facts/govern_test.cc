#include <gtest/gtest.h>

#include <limits>

#include "engine/base/limits.h"
#include "engine/facts/fact_engine.h"

namespace perdure {
namespace {

using ::testing::ElementsAre;
using testing::Fact;
using testing::FactEngine;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::IsRefusedBy;
using testing::kDay;
using testing::Note;
using testing::Quote;
using testing::With;

constexpr float kNear = 1e-4f;
const WriteOptions kWhy{.reason = "because"};

FactDraft Drinks(std::string what, std::optional<Evidence> evidence = {}) {
  return Fact("Alice", "drinks", std::move(what), std::move(evidence));
}

Result<WriteOutcome> Verify(FactEngine& engine, const Uuid& id, RoleMask role = kReviewer) {
  return engine.Do(VerifyMemory{id, Quote("seen", "receipt", 1)}, {}, With(role));
}
Result<WriteOutcome> Pin(FactEngine& engine, const Uuid& id, RoleMask role = kReviewer) {
  return engine.Do(MoveState{id, Transition::kPin, {}}, {}, With(role));
}

TEST(Verify, IsAReviewersWithEvidenceAndOfWhatStands) {
  FactEngine engine;
  const Uuid milk = engine.Asserted(Drinks("milk"));
  for (const RoleMask role : {kAgent, kAuditor, kOperator}) {
    EXPECT_THAT(Verify(engine, milk, role), IsRefusedBy(Rule::kRole));
  }
  EXPECT_THAT(engine.Do(VerifyMemory{milk, {}}), IsRefusedBy(Rule::kEvidence));
  EXPECT_EQ(engine.Record(milk).trust, fb::Trust::inferred);
  ASSERT_THAT(Verify(engine, milk), IsOk());
  EXPECT_EQ(engine.Record(milk).trust, fb::Trust::verified);
  const Uuid waits = engine.Proposed(Note("waits"));
  const Uuid archived = engine.Store(Note("archived"));
  ASSERT_THAT(engine.Do(MoveState{archived, Transition::kArchive, {}}), IsOk());
  for (const Uuid& id : {waits, archived}) {
    EXPECT_THAT(Verify(engine, id), IsRefusedBy(Rule::kState));
  }
  const Uuid faded = engine.Asserted(Fact("Bob", "drinks", "tea"));
  engine.Asserted(Fact("Bob", "drinks", "water"));
  EXPECT_THAT(Verify(engine, faded), IsRefusedBy(Rule::kRival));
}

TEST(Verify, IsOfTheTextThatWasSeenAndOfNoOther) {
  FactEngine engine;
  const Uuid id = engine.Store(Note("one"));
  ASSERT_THAT(engine.Do(EditMemory{id, WholeText{"two"}}), IsOk());
  ASSERT_THAT(Verify(engine, id), IsOk());
  const Micros verified = (*engine).Visible(kMainSpace).time;
  ASSERT_THAT(engine.Do(RevertMemory{id, 1, {}}, {}, With(kAgent)), IsOk());
  EXPECT_EQ(engine.Record(id).trust, fb::Trust::inferred);
  ASSERT_THAT(engine.Do(Rollback{{}, id, verified}), IsOk());
  EXPECT_EQ(engine.Get(id)->text, "two");
  EXPECT_EQ(engine.Record(id).trust, fb::Trust::inferred) << "a rollback vouches for nothing";
  ASSERT_THAT(Verify(engine, id), IsOk());
  ASSERT_THAT(engine.Do(EditMemory{id, AppendText{"!"}}), IsOk());
  EXPECT_EQ(engine.Record(id).trust, fb::Trust::inferred);
  engine.ExpectSound();
}

TEST(Verify, OutlivesARollbackToBeforeIt) {
  FactEngine engine;
  const Uuid id = engine.Store(Note("one"));
  const Micros before = (*engine).Visible(kMainSpace).time;
  ASSERT_THAT(Verify(engine, id), IsOk());
  ASSERT_THAT(Pin(engine, id), IsOk());
  const auto rolled = engine.Do(Rollback{{}, {}, before});
  ASSERT_THAT(rolled, IsOk());
  EXPECT_FALSE(engine.Record(id).pinned);
  EXPECT_EQ(engine.Record(id).trust, fb::Trust::verified);
  EXPECT_EQ(engine.Do(Rollback{{}, {}, before})->memories.size(), 0u) << "nothing is left to do";
}

TEST(Verify, KeepsAValueFromFadingAndItsRivalsInReview) {
  FactEngine engine;
  const Uuid milk = engine.Asserted(Drinks("milk"));
  ASSERT_THAT(Verify(engine, milk), IsOk());
  const auto rival = engine.Assert(Drinks("tea"));
  ASSERT_THAT(rival, IsOk());
  EXPECT_EQ(rival->memories[0].fact, FactOutcome::kCandidate);
  EXPECT_NEAR(engine.Record(milk).confidence, 0.5f, kNear);
  EXPECT_EQ(engine.Standing("alice", "drinks"), "milk");
}

TEST(Pin, IsAReviewersAndOfWhatStands) {
  FactEngine engine;
  const Uuid milk = engine.Asserted(Drinks("milk"));
  EXPECT_THAT(Pin(engine, milk, kAgent), IsRefusedBy(Rule::kRole));
  ASSERT_THAT(Pin(engine, milk, kOperator), IsOk());
  EXPECT_TRUE(engine.Record(milk).pinned);
  EXPECT_THAT(engine.Do(MoveState{milk, Transition::kUnpin, {}}, {}, With(kAgent)),
              IsRefusedBy(Rule::kRole));
  const Uuid faded = engine.Asserted(Fact("Bob", "drinks", "tea"));
  engine.Asserted(Fact("Bob", "drinks", "water"));
  EXPECT_THAT(Pin(engine, faded), IsRefusedBy(Rule::kRival));
  EXPECT_THAT(Pin(engine, engine.Proposed(Note("waits"))), IsRefusedBy(Rule::kState));
}

TEST(Pin, KeepsAnAgentFromMakingRoomForARival) {
  for (const bool verified : {false, true}) {
    FactEngine engine;
    const Uuid milk = engine.Asserted(Drinks("milk"));
    const Uuid note = engine.Store(Note("a note"));
    const Uuid other = engine.Store(Note("another note"));
    for (const Uuid& id : {milk, note}) {
      ASSERT_THAT(verified ? Verify(engine, id) : Pin(engine, id), IsOk());
      DescribeMemory moves{.id = id};
      moves.scope = ScopePath{{"attic"}, "", "", ""};
      DescribeMemory dates{.id = id};
      dates.expires_at = engine.clock().Now() + kDay;
      DescribeMemory titles{.id = id};
      titles.title = "a title";
      const std::vector<Command> unseating = {MoveState{id, Transition::kArchive, {}},
                                              MoveState{id, Transition::kForget, {}}, moves, dates};
      for (const Command& command : unseating) {
        EXPECT_THAT(engine.Do(command, {}, With(kAgent)), IsRefusedBy(Rule::kProtected));
      }
      EXPECT_THAT(engine.Do(titles, {}, With(kAgent)), IsOk());
    }
    EXPECT_THAT(engine.Do(MergeMemories{{note, other}, Note("both")}, {}, With(kAgent)),
                IsRefusedBy(Rule::kProtected));
    EXPECT_EQ(engine.Standing("alice", "drinks"), "milk");
    EXPECT_THAT(engine.Do(MoveState{milk, Transition::kArchive, {}}, {}, With(kReviewer)), IsOk());
  }
}

TEST(Score, MovesByACallAndByAPassNoFurtherThanItsCaps) {
  FactEngine engine;
  const auto score = [&](const Uuid& id, float importance, const std::string& pass) {
    return engine.Do(ScoreMemory{id, importance, {}, pass}, kWhy, With(kAgent));
  };
  constexpr float kStep = limits::kScoreStepMax;
  constexpr float kOver = 0.001f;
  int notes = 0;
  const auto stored = [&](float importance) {
    NoteDraft draft = Note("note " + std::to_string(++notes));
    draft.importance = importance;
    return engine.Store(draft);
  };
  const Uuid id = stored(0.3f);
  EXPECT_THAT(score(id, 0.3f + kStep + kOver, "p"), IsRefusedBy(Rule::kCap));
  EXPECT_THAT(score(id, 0.3f - kStep - kOver, "p"), IsRefusedBy(Rule::kCap));
  ASSERT_THAT(score(id, 0.3f + kStep - kOver, "p"), IsOk());
  ASSERT_THAT(score(id, 0.3f, "p"), IsOk());
  EXPECT_THAT(score(id, 0.3f + 3 * kOver, "p"), IsRefusedBy(Rule::kCap))
      << "the pass moved it .398";
  ASSERT_THAT(score(id, 0.3f + 2 * kOver, "p"), IsOk()) << "exactly .4 in all";
  EXPECT_THAT(score(id, 0.3f + 3 * kOver, "p"), IsRefusedBy(Rule::kCap));
  EXPECT_THAT(score(id, 0.3f + 3 * kOver, "another pass"), IsOk());
  const Uuid exact = stored(0.3f);
  EXPECT_THAT(score(exact, 0.3f + kStep, "p"), IsOk());
  const Uuid high = stored(limits::kScoreMax - kStep / 2);
  EXPECT_THAT(score(high, limits::kScoreMax + kOver, "p"), IsRefusedBy(Rule::kCap));
  EXPECT_THAT(score(high, limits::kScoreMax, "p"), IsOk());
  const Uuid low = stored(limits::kScoreMin + kStep / 2);
  EXPECT_THAT(score(low, limits::kScoreMin - kOver, "p"), IsRefusedBy(Rule::kCap));
  EXPECT_THAT(score(low, limits::kScoreMin, "p"), IsOk());
  EXPECT_THAT(score(low, std::numeric_limits<float>::quiet_NaN(), "p"), IsRefusedBy(Rule::kCap));
  engine.ExpectSound();
}

TEST(Score, CapsConfidenceForItself) {
  FactEngine engine;
  const Uuid id = engine.Asserted(Drinks("milk"));
  const auto score = [&](std::optional<float> importance, std::optional<float> confidence) {
    return engine.Do(ScoreMemory{id, importance, confidence, "p"}, kWhy, With(kAgent));
  };
  ASSERT_THAT(score(0.7f, {}), IsOk());
  ASSERT_THAT(score(0.5f, {}), IsOk());
  EXPECT_THAT(score(0.6f, {}), IsRefusedBy(Rule::kCap));
  EXPECT_THAT(score({}, 0.8f), IsRefusedBy(Rule::kCap));
  ASSERT_THAT(score({}, 0.7f), IsOk());
  EXPECT_NEAR(engine.Record(id).confidence, 0.7f, kNear);
  EXPECT_NEAR(engine.Record(id).importance, 0.5f, kNear);
  ASSERT_THAT((*engine).Erase(With(kOperator), {{id}}, {}), IsOk());
  engine.ExpectSound();
}

TEST(Score, WantsAPassAReasonAndAMemoryThatNobodyHoldsUp) {
  FactEngine engine;
  const Uuid id = engine.Store(Note("a note"));
  EXPECT_THAT(engine.Do(ScoreMemory{id, 0.6f, {}, ""}, kWhy), IsRefusedBy(Rule::kMalformed));
  EXPECT_THAT(engine.Do(ScoreMemory{id, {}, {}, "p"}, kWhy), IsRefusedBy(Rule::kMalformed));
  EXPECT_THAT(engine.Do(ScoreMemory{id, 0.6f, {}, "p"}), IsRefusedBy(Rule::kMalformed));
  EXPECT_THAT(
      engine.Do(ScoreMemory{id, 0.6f, {}, std::string(limits::kLabelBytesMax + 1, 'p')}, kWhy),
      IsRefusedBy(Rule::kLimit));
  ASSERT_THAT(Pin(engine, id), IsOk());
  EXPECT_THAT(engine.Do(ScoreMemory{id, 0.6f, {}, "p"}, kWhy), IsRefusedBy(Rule::kProtected));
  ASSERT_THAT(engine.Do(MoveState{id, Transition::kUnpin, {}}), IsOk());
  ASSERT_THAT(engine.Do(ScoreMemory{id, 0.6f, {}, "p"}, kWhy), IsOk());
  ASSERT_THAT(Verify(engine, id), IsOk());
  EXPECT_THAT(engine.Do(ScoreMemory{id, 0.5f, {}, "p"}, kWhy), IsRefusedBy(Rule::kProtected));
  EXPECT_EQ(engine.Refusals(Rule::kProtected), 2u);
  const auto dry =
      engine.Do(ScoreMemory{id, 0.5f, {}, "p"}, {.dry_run = true, .keep = true, .reason = "r"});
  EXPECT_THAT(dry, IsRefusedBy(Rule::kProtected));
  const auto page = (*engine).Read(With(kOperator))->QueryLog({.event = fb::Event::DryRunKept});
  ASSERT_EQ(page->entries.size(), 1u);
  EXPECT_EQ(page->entries[0].rule, "protected");
}

TEST(Genre, KeepsWhatIsNotFactualOutOfDefaultReads) {
  FactEngine engine;
  NoteDraft dream = Note("a dream");
  dream.genre = fb::Genre::associative;
  const Uuid id = engine.Store(dream);
  engine.Store(Note("a fact"));
  EXPECT_THAT(engine.Listed(), ElementsAre("a fact"));
  ListFilter dreams;
  dreams.genres = {fb::Genre::associative};
  EXPECT_THAT(engine.Listed(dreams), ElementsAre("a dream"));
  EXPECT_THAT(engine.Do(ChangeGenre{id, fb::Genre::factual}, {}, With(kAgent)),
              IsRefusedBy(Rule::kRole));
  ASSERT_THAT(engine.Do(ChangeGenre{id, fb::Genre::factual}, {}, With(kReviewer)), IsOk());
  EXPECT_THAT(engine.Listed(), ElementsAre("a fact", "a dream"));
  EXPECT_THAT(engine.Listed(dreams), IsEmpty());
  EXPECT_THAT(engine.Do(ChangeGenre{engine.Proposed(Note("waits")), fb::Genre::random}),
              IsRefusedBy(Rule::kState));
}

TEST(Genre, OfAFactKeepsItFromThePlaceOfAFactualOne) {
  FactEngine engine;
  const Uuid milk = engine.Asserted(Drinks("milk"));
  FactDraft imagined = Drinks("nectar");
  imagined.genre = fb::Genre::associative;
  const Uuid nectar = engine.Asserted(imagined);
  EXPECT_EQ(engine.Standing("alice", "drinks"), "milk");
  EXPECT_NEAR(engine.Record(milk).confidence, 0.5f, kNear);
  EXPECT_THAT(engine.Do(ChangeGenre{nectar, fb::Genre::factual}), IsRefusedBy(Rule::kRival));
  ASSERT_THAT(engine.Do(ChangeGenre{milk, fb::Genre::personal}), IsOk());
  EXPECT_EQ(engine.Standing("alice", "drinks"), "");
  ASSERT_THAT(engine.Do(ChangeGenre{nectar, fb::Genre::factual}), IsOk());
  EXPECT_EQ(engine.Standing("alice", "drinks"), "nectar");
  engine.ExpectSound();
}

TEST(Policy, IsSetByAReviewerOfTheWholeSpaceWithinBounds) {
  FactEngine engine;
  SetPolicy policy;
  policy.fade = 0.5f;
  EXPECT_THAT(engine.Do(policy, {}, With(kAgent)), IsRefusedBy(Rule::kRole));
  EXPECT_THAT(engine.Do(policy, {}, With(kReviewer, {{"acme"}, "", "", ""})),
              IsRefusedBy(Rule::kScope));
  ASSERT_THAT(engine.Do(policy), IsOk());
  SetPolicy other;
  other.reinforce = 0.25f;
  ASSERT_THAT(engine.Do(other), IsOk()) << "what was set before stays";
  other.critical = 1.5f;
  EXPECT_THAT(engine.Do(other), IsRefusedBy(Rule::kMalformed));
  engine.Reopen();
  const Uuid milk = engine.Asserted(Drinks("milk"));
  const Uuid tea = engine.Asserted(Drinks("tea", Quote("q", "s", 1)));
  EXPECT_NEAR(engine.Record(milk).confidence, 0.25f, kNear);
  EXPECT_EQ(engine.Record(milk).state, fb::MemoryState::live) << "not under .25";
  engine.Asserted(Drinks("tea", Quote("q", "t", 2)));
  EXPECT_NEAR(engine.Record(tea).confidence, 0.85f, kNear);
}

}  // namespace
}  // namespace perdure
