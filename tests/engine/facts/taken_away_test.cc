// What a rejection and an erasure take away besides the memory that they name.
#include <gmock/gmock.h>

#include "engine/facts/fact_engine.h"

namespace perdure {
namespace {

using ::testing::ElementsAre;
using testing::Fact;
using testing::FactEngine;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::IsRefusedBy;
using testing::Note;
using testing::With;

const ScopePath kAcme{{"acme"}, "", "", ""};
const ScopePath kWeb{{"acme", "web"}, "", "", ""};

Uuid Stored(FactEngine& engine, std::string text, ScopePath scope, std::string title = "") {
  NoteDraft draft = Note(std::move(text), std::move(title));
  draft.scope = std::move(scope);
  return engine.Store(draft);
}

TEST(Rejection, ForgetsEveryLiveMemoryThatSaysSoWithinItsReach) {
  FactEngine engine;
  const Uuid here = Stored(engine, "The key is 1234", kAcme);
  const Uuid below = Stored(engine, "the  KEY is 1234", kWeb, "titled");
  const Uuid elsewhere = Stored(engine, "The key is 1234", {{"other"}, "", "", ""});
  const Uuid other = Stored(engine, "The key is 12345", kAcme);
  ASSERT_THAT(engine.Refuse(here), IsOk());
  EXPECT_EQ(engine.Record(below).state, fb::MemoryState::forgotten);
  EXPECT_EQ(engine.Record(elsewhere).state, fb::MemoryState::live) << "beyond its reach";
  EXPECT_EQ(engine.Record(other).state, fb::MemoryState::live) << "another text";
  EXPECT_THAT(engine.Do(MoveState{below, Transition::kRestore, {}}),
              IsRefusedBy(Rule::kSuppressed));
  ASSERT_THAT(engine.Do(LiftSuppression{engine.Suppressions().back().seq}, {.reason = "r"}),
              IsOk());
  EXPECT_EQ(engine.Record(below).state, fb::MemoryState::forgotten) << "nothing comes by itself";
  EXPECT_THAT(engine.Do(MoveState{below, Transition::kRestore, {}}), IsOk());
}

TEST(Rejection, KnowsALongTextInOtherLettersFromOneThatEndsOtherwise) {
  FactEngine engine;
  std::string long_text;
  for (int i = 0; i < 40; ++i) long_text += "Cr\u00e8me br\u00fbl\u00e9e \u041c\u0438lk ";
  const Uuid same = engine.Store(Note("  \u200b" + long_text, "spaced"));
  const Uuid other = engine.Store(Note(long_text + "indeed"));
  ASSERT_THAT(engine.Do(SuppressValue{long_text, {}, {}}), IsOk());
  EXPECT_EQ(engine.Record(same).state, fb::MemoryState::forgotten);
  EXPECT_EQ(engine.Record(other).state, fb::MemoryState::live);
}

TEST(Rejection, OfAFactForgetsTheNoteThatSaysItAndOfANoteTheFact) {
  FactEngine engine;
  const Uuid note = engine.Store(Note("Alice drinks milk"));
  const Uuid fact = engine.Asserted(Fact("Bob", "drinks", "tea"));
  ASSERT_THAT(engine.Do(SuppressValue{FactValue{"alice", "drinks", "MILK"}, {}, {}}), IsOk());
  ASSERT_THAT(engine.Do(SuppressValue{std::string("bob drinks tea"), {}, {}}), IsOk());
  EXPECT_EQ(engine.Record(note).state, fb::MemoryState::forgotten);
  EXPECT_EQ(engine.Record(fact).state, fb::MemoryState::forgotten);
}

TEST(Rejection, OfACandidateIsUndoneWithAllThatItTookAway) {
  FactEngine engine;
  const Uuid note = engine.Store(Note("Alice drinks milk"));
  const Uuid candidate = engine.Proposed(Fact("Alice", "drinks", "milk"));
  const auto rejected = engine.Reject(candidate);
  ASSERT_THAT(rejected, IsOk());
  EXPECT_EQ(engine.Record(note).state, fb::MemoryState::forgotten);
  ASSERT_THAT(engine.Do(UndoReview{rejected->seq}), IsOk());
  EXPECT_EQ(engine.Record(note).state, fb::MemoryState::live);
  EXPECT_EQ(engine.Record(candidate).state, fb::MemoryState::pending);
}

TEST(Suppression, GoesOnRefusingWithoutItsWords) {
  FactEngine engine;
  const auto made = engine.Do(SuppressValue{std::string("a private matter"), {}, {}},
                              {.idempotency_key = "once", .reason = "why"});
  ASSERT_THAT(made, IsOk());
  EraseMemories erase;
  erase.suppressions = {made->seq};
  EXPECT_THAT(engine.Do(erase, {}, With(kReviewer)), IsRefusedBy(Rule::kRole));
  EXPECT_THAT(engine.Do(erase, {}, With(kOperator, kAcme)), IsRefusedBy(Rule::kNothing));
  const auto erased = (*engine).Erase(With(kOperator), erase, {});
  ASSERT_THAT(erased, IsOk());
  EXPECT_EQ(erased->payloads, 1u);
  EXPECT_EQ(erased->receipts.size(), 1u);
  const SuppressionInfo info = engine.Suppressions().at(0);
  EXPECT_EQ(info.text, "[erased]");
  EXPECT_EQ(info.reason, "");
  EXPECT_THAT(engine.Do(StoreMemories{{Note("A PRIVATE matter")}}), IsRefusedBy(Rule::kSuppressed));
  EXPECT_THAT((*engine).Erase(With(kOperator), erase, {}), IsRefusedBy(Rule::kErased));
  engine.ExpectSound();
}

TEST(Erasure, NamesTheCopiesThatStayAndReachesThemWhenAsked) {
  FactEngine engine;
  const Uuid one = Stored(engine, "Ann was born in 1990", kAcme);
  const Uuid copy = Stored(engine, "ann was BORN in 1990", {{"other"}, "", "", ""});
  const Uuid apart = Stored(engine, "Ann was born in 1991", kAcme);
  const auto first = (*engine).Erase(With(kOperator), {{one}}, {});
  ASSERT_THAT(first, IsOk());
  EXPECT_THAT(first->outcome.copies, ElementsAre(copy));
  const Uuid again = Stored(engine, "Ann was born in 1990", kWeb);
  EraseMemories all{{again}, false, true, {}};
  const auto second = (*engine).Erase(With(kOperator), all, {});
  ASSERT_THAT(second, IsOk());
  EXPECT_THAT(second->outcome.copies, IsEmpty());
  EXPECT_EQ(second->outcome.memories.size(), 2u);
  EXPECT_THAT(engine.Get(copy, {}, With(kOperator)), FailsWith(Code::kErased, ::testing::_));
  EXPECT_THAT(engine.Get(apart, {}, With(kOperator)), IsOk());
}

TEST(Erasure, NamesNoCopyThatItsCallerMayNotSee) {
  FactEngine engine;
  const Uuid one = Stored(engine, "a secret", kWeb);
  Stored(engine, "a secret", {{"other"}, "", "", ""});
  const auto erased = (*engine).Erase(With(kOperator, kAcme), {{one}, false, true, {}}, {});
  ASSERT_THAT(erased, IsOk());
  EXPECT_EQ(erased->outcome.memories.size(), 1u);
  EXPECT_THAT(erased->outcome.copies, IsEmpty());
}

TEST(Erasure, KnowsAFactByItsValueWhateverWordsShowIt) {
  FactEngine engine;
  FactDraft worded = Fact("Ann", "drinks", "milk");
  worded.text = "Ann likes a glass of milk";
  worded.scope = kAcme;
  const Uuid copy = engine.Asserted(worded);
  const Uuid fact = engine.Asserted(Fact("Ann", "drinks", "milk"));
  const auto erased = (*engine).Erase(With(kOperator), {{fact}}, {});
  ASSERT_THAT(erased, IsOk());
  EXPECT_THAT(erased->outcome.copies, ElementsAre(copy));
}

}  // namespace
}  // namespace perdure
