#include <gtest/gtest.h>

#include <fstream>

#include "engine/facts/fact_engine.h"
#include "engine/transfer/adopt.h"
#include "engine/transfer/export.h"

namespace perdure {
namespace {

using ::testing::ElementsAre;
using testing::Fact;
using testing::FactEngine;
using testing::FailsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::IsRefusedBy;
using testing::kDay;
using testing::Note;
using testing::Quote;
using testing::With;

const ScopePath kAcme{{"acme"}, "", "", ""};
const ScopePath kWeb{{"acme", "web"}, "", "", ""};
const ScopePath kOther{{"other"}, "", "", ""};

FactDraft Milk(std::optional<ScopePath> scope = {}) {
  FactDraft draft = Fact("Alice", "drinks", "milk");
  draft.scope = std::move(scope);
  return draft;
}

TEST(Suppression, OfANarrowRejectionReachesItsScopeAndWhatIsInside) {
  FactEngine engine;
  const Uuid id = engine.Proposed(Milk(kAcme));
  ASSERT_THAT(engine.Reject(id), IsOk());
  EXPECT_EQ(engine.Record(id).state, fb::MemoryState::rejected);
  for (const ScopePath& scope : {kAcme, kWeb, ScopePath{{"acme"}, "bob", "", ""}}) {
    EXPECT_THAT(engine.Assert(Milk(scope)), IsRefusedBy(Rule::kSuppressed)) << FormatScope(scope);
  }
  EXPECT_THAT(engine.Assert(Milk(kOther)), IsOk());
  EXPECT_THAT(engine.Assert(Milk()), IsOk()) << "the space is wider than the rejection";
  EXPECT_THAT(engine.Assert(Fact("Alice", "drinks", "oat milk")), IsOk()) << "another value";
}

TEST(Suppression, OfAWideRejectionReachesTheWholeSpaceAndNoOther) {
  FactEngine engine;
  const auto space = (*engine).AddSpace(With(kOperator), "team-a", {});
  ASSERT_THAT(space, IsOk());
  ASSERT_THAT(engine.Reject(engine.Proposed(Milk(kAcme)), {.wide = true}), IsOk());
  for (const auto& scope :
       {std::optional<ScopePath>(), std::optional(kAcme), std::optional(kOther)}) {
    EXPECT_THAT(engine.Assert(Milk(scope)), IsRefusedBy(Rule::kSuppressed));
  }
  Principal there = With(kAgent);
  there.space = space->id;
  EXPECT_THAT(engine.Assert(Milk(), there), IsOk());
}

TEST(Suppression, ForgetsTheLiveHoldersThatItReaches) {
  FactEngine engine;
  const Uuid wider = engine.Asserted(Milk());
  const Uuid here = engine.Asserted(Milk(kAcme));
  const Uuid inside = engine.Asserted(Milk(kWeb));
  FactDraft later = Milk(kAcme);
  later.value.object = "MILK";
  later.valid_from = engine.clock().Now() + kDay;
  later.evidence = Quote("q", "s", engine.clock().Now());
  const Uuid elsewhere = engine.Asserted(Milk(kOther));
  ASSERT_THAT(engine.Do(SuppressValue{FactValue{"alice", "drinks", "milk"}, kAcme}), IsOk());
  const auto state = [&](const Uuid& id) { return engine.Record(id).state; };
  EXPECT_EQ(state(here), fb::MemoryState::forgotten);
  EXPECT_EQ(state(inside), fb::MemoryState::forgotten);
  EXPECT_EQ(state(wider), fb::MemoryState::live);
  EXPECT_EQ(state(elsewhere), fb::MemoryState::live);
  ASSERT_THAT(engine.Refuse(wider, {.wide = true}), IsOk());
  EXPECT_EQ(state(wider), fb::MemoryState::forgotten);
  EXPECT_EQ(state(elsewhere), fb::MemoryState::forgotten);
  engine.ExpectSound();
}

TEST(Suppression, ForgetsWhatWasMadeFromAHolderToo) {
  FactEngine engine;
  const Uuid here = engine.Asserted(Milk(kAcme));
  NoteDraft summary = Note("what she drinks");
  summary.derived_from = {here};
  const Uuid made = engine.Store(summary);
  ASSERT_THAT(engine.Do(SuppressValue{FactValue{"alice", "drinks", "milk"}}), IsOk());
  EXPECT_EQ(engine.Record(made).state, fb::MemoryState::disputed);
  EXPECT_EQ(engine.Record(made).dispute, fb::Dispute::source_gone);
}

TEST(Suppression, IsAReviewersToMake) {
  FactEngine engine;
  const Uuid id = engine.Asserted(Milk());
  EXPECT_THAT(engine.Refuse(id, {}, With(kAgent)), IsRefusedBy(Rule::kRole));
  EXPECT_EQ(engine.Record(id).state, fb::MemoryState::live) << "nothing of it was done";
  EXPECT_THAT(engine.Do(SuppressValue{FactValue{"a", "b", "c"}}, {}, With(kAgent)),
              IsRefusedBy(Rule::kRole));
  EXPECT_THAT(engine.Do(MoveState{id, Transition::kArchive, Refusing{}}),
              IsRefusedBy(Rule::kMalformed));
  const Principal narrow = With(kReviewer, kAcme);
  EXPECT_THAT(engine.Do(SuppressValue{std::string("x"), kOther}, {}, narrow),
              IsRefusedBy(Rule::kScope));
  EXPECT_THAT(engine.Do(SuppressValue{std::string("x")}, {}, narrow), IsOk());
  EXPECT_EQ(FormatScope(engine.Suppressions().at(0).scope), "acme");
}

TEST(Suppression, EndsWhenItExpires) {
  FactEngine engine;
  const Micros now = engine.clock().Now();
  EXPECT_THAT(engine.Do(SuppressValue{FactValue{"Alice", "drinks", "milk"}, {}, now - 1}),
              IsRefusedBy(Rule::kInterval));
  const Micros until = now + kDay;
  ASSERT_THAT(engine.Do(SuppressValue{FactValue{"Alice", "drinks", "milk"}, {}, until}), IsOk());
  engine.clock().Advance(until - 2 - engine.clock().Now());
  EXPECT_THAT(engine.Assert(Milk()), IsRefusedBy(Rule::kSuppressed));
  engine.clock().Advance(until - engine.clock().Now());
  EXPECT_THAT(engine.Assert(Milk()), IsOk());
  EXPECT_EQ(engine.Suppressions().at(0).expires_at, until);
}

TEST(Suppression, IsLiftedByAReviewerWithAReasonOnce) {
  FactEngine engine;
  const auto rejected = engine.Reject(engine.Proposed(Milk(kAcme)), {.wide = true});
  ASSERT_THAT(rejected, IsOk());
  const Seq seq = engine.Suppressions().at(0).seq;
  const WriteOptions why{.reason = "she does"};
  EXPECT_THAT(engine.Do(LiftSuppression{seq}, why, With(kAgent)), IsRefusedBy(Rule::kRole));
  EXPECT_THAT(engine.Do(LiftSuppression{seq}, {}, With(kReviewer)), IsRefusedBy(Rule::kMalformed));
  EXPECT_THAT(engine.Do(LiftSuppression{seq}, why, With(kReviewer, kAcme)),
              IsRefusedBy(Rule::kNothing))
      << "it reaches further than the token";
  EXPECT_THAT(engine.Do(LiftSuppression{seq + 1}, why), IsRefusedBy(Rule::kNothing));
  EXPECT_THAT(engine.Assert(Milk()), IsRefusedBy(Rule::kSuppressed));
  ASSERT_THAT(engine.Do(LiftSuppression{seq}, why, With(kReviewer)), IsOk());
  EXPECT_THAT(engine.Do(LiftSuppression{seq}, why), IsRefusedBy(Rule::kState));
  EXPECT_THAT(engine.Assert(Milk()), IsOk());
  EXPECT_THAT(engine.Assert(Milk(kAcme)), IsOk()) << "what never stood needs no new evidence";
}

TEST(Suppression, OfTheSameValueTwiceIsLiftedTwice) {
  FactEngine engine;
  const SuppressValue value{FactValue{"Alice", "drinks", "milk"}};
  ASSERT_THAT(engine.Do(value), IsOk());
  ASSERT_THAT(engine.Do(value), IsOk());
  const auto listed = engine.Suppressions();
  ASSERT_EQ(listed.size(), 2u);
  ASSERT_THAT(engine.Do(LiftSuppression{listed[0].seq}, {.reason = "r"}), IsOk());
  EXPECT_THAT(engine.Assert(Milk()), IsRefusedBy(Rule::kSuppressed));
  ASSERT_THAT(engine.Do(LiftSuppression{listed[1].seq}, {.reason = "r"}), IsOk());
  EXPECT_THAT(engine.Assert(Milk()), IsOk());
}

TEST(Suppression, CountsWhatItTurnedDownAndSaysWhoMadeItAndWhy) {
  FactEngine engine;
  const Uuid id = engine.Asserted(Milk());
  ASSERT_THAT(engine.Refuse(id), IsOk());
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(engine.Assert(Milk(kAcme)), IsRefusedBy(Rule::kSuppressed));
  }
  AssertFacts batch{{Milk(), Fact("Bob", "drinks", "tea")}, true};
  ASSERT_THAT(engine.Do(batch), IsOk());
  EXPECT_THAT(engine.Do(AssertFacts{{Milk()}, false}, {.dry_run = true}),
              IsRefusedBy(Rule::kSuppressed));
  const auto listed = engine.Suppressions();
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0].refused, 4u) << "a dry run is no write";
  EXPECT_EQ(listed[0].reason, "wrong");
  EXPECT_EQ(listed[0].reviewer, With(kReviewer).id);
  EXPECT_EQ(listed[0].text, "Alice drinks milk");
  EXPECT_EQ(listed[0].memory, id);
  EXPECT_THAT(engine.Suppressions(With(kReviewer, kAcme)), IsEmpty());
  EXPECT_THAT(ListSuppressions(*(*engine).Read(With(kAgent))),
              FailsWith(Code::kForbidden, ::testing::_));
}

TEST(Suppression, OfANoteIsOfItsTextInAnySpelling) {
  FactEngine engine;
  const Uuid id = engine.Store(Note("The launch is on Friday.", "Launch"));
  ASSERT_THAT(engine.Refuse(id), IsOk());
  EXPECT_THAT(engine.Do(StoreMemories{{Note("the LAUNCH is  on friday.", "Another title")}}),
              IsRefusedBy(Rule::kSuppressed));
  EXPECT_THAT(engine.Do(ProposeCandidate{Note("The launch is on Friday.")}),
              IsRefusedBy(Rule::kSuppressed));
  FactDraft in_other_words = Fact("launch", "date", "Friday");
  in_other_words.text = "The launch is on Friday.";
  EXPECT_THAT(engine.Assert(in_other_words), IsRefusedBy(Rule::kSuppressed));
  engine.Store(Note("The launch is on Monday."));
}

TEST(Suppression, OfAFactHoldsForANoteThatSaysIt) {
  FactEngine engine;
  ASSERT_THAT(engine.Refuse(engine.Asserted(Milk())), IsOk());
  EXPECT_THAT(engine.Do(StoreMemories{{Note("alice drinks MILK")}}),
              IsRefusedBy(Rule::kSuppressed));
  FactDraft disguised = Milk();
  disguised.text = "quite another sentence";
  EXPECT_THAT(engine.Assert(disguised), IsRefusedBy(Rule::kSuppressed));
}

TEST(Suppression, OfAPairHoldsHoweverItsPredicateIsDeclaredLater) {
  const auto married = [](std::string a, std::string b) {
    return Fact(std::move(a), "married to", std::move(b));
  };
  const DeclarePredicate symmetric{"married to", false, true, fb::ValueShape::any};
  const DeclarePredicate plain{"married to", false, false, fb::ValueShape::any};
  {
    FactEngine engine;
    ASSERT_THAT(engine.Do(SuppressValue{FactValue{"Zoe", "married to", "Bob"}}), IsOk());
    EXPECT_THAT(engine.Assert(married("Bob", "Zoe")), IsOk()) << "not symmetric yet";
    ASSERT_THAT(engine.Do(symmetric), IsOk());
    EXPECT_THAT(engine.Assert(married("Zoe", "Bob")), IsRefusedBy(Rule::kSuppressed));
    EXPECT_THAT(engine.Assert(married("Bob", "Zoe")), IsRefusedBy(Rule::kSuppressed));
  }
  FactEngine engine;
  ASSERT_THAT(engine.Do(symmetric), IsOk());
  ASSERT_THAT(engine.Do(SuppressValue{FactValue{"Zoe", "married to", "Bob"}}), IsOk());
  ASSERT_THAT(engine.Do(plain), IsOk());
  EXPECT_THAT(engine.Assert(married("Zoe", "Bob")), IsRefusedBy(Rule::kSuppressed));
  EXPECT_THAT(engine.Assert(married("Bob", "Zoe")), IsRefusedBy(Rule::kSuppressed));
}

class Survival : public ::testing::Test {
 protected:
  void SetUp() override {
    fact_ = engine_.Asserted(Milk());
    note_ = engine_.Store(Note("a secret text", "title"));
    ASSERT_THAT(engine_.Refuse(fact_), IsOk());
    ASSERT_THAT(engine_.Refuse(note_), IsOk());
  }
  void ExpectRefusing(FactEngine& engine) {
    EXPECT_THAT(engine.Assert(Milk(kAcme)), IsRefusedBy(Rule::kSuppressed));
    EXPECT_THAT(engine.Do(StoreMemories{{Note("a secret text")}}), IsRefusedBy(Rule::kSuppressed));
    EXPECT_THAT(engine.Do(MoveState{fact_, Transition::kRestore, {}}), ::testing::Not(IsOk()));
    engine.ExpectSound();
  }
  std::vector<std::string> Texts(FactEngine& engine) {
    std::vector<std::string> texts;
    for (const SuppressionInfo& info : engine.Suppressions()) texts.push_back(info.text);
    return texts;
  }
  FactEngine engine_;
  Uuid fact_;
  Uuid note_;
};

TEST_F(Survival, OfAReopen) {
  engine_.Reopen();
  ExpectRefusing(engine_);
  EXPECT_THAT(Texts(engine_), ElementsAre("Alice drinks milk", "a secret text"));
}

TEST_F(Survival, OfACompactionWithPayloads) {
  engine_.clock().Advance(kDay);
  engine_.Store(Note("later"));
  ASSERT_THAT((*engine_).Compact(With(kOperator), {(*engine_).Visible(kMainSpace).time, true}, {}),
              IsOk());
  ExpectRefusing(engine_);
  engine_.Reopen();
  ExpectRefusing(engine_);
}

TEST_F(Survival, OfTheErasureOfTheTextItWasMadeFrom) {
  ASSERT_THAT((*engine_).Erase(With(kOperator), {{fact_, note_}}, {}), IsOk());
  ExpectRefusing(engine_);
  EXPECT_THAT(Texts(engine_), ElementsAre("[erased]", "[erased]"));
  EXPECT_EQ(engine_.Suppressions().at(0).reason, "") << "the reason was about the text";
  engine_.Reopen();
  ExpectRefusing(engine_);
}

TEST_F(Survival, OfAnExportThatAnotherStoreAdopts) {
  for (const bool erased : {false, true}) {
    if (erased) {
      ASSERT_THAT((*engine_).Erase(With(kOperator), {{fact_, note_}}, {}), IsOk());
    }
    const testing::TempDir dir;
    {
      std::ofstream out(dir / "export", std::ios::binary);
      ASSERT_THAT(WriteExport(*engine_, kMainSpace, out), IsOk());
    }
    FactEngine other(1);  // with the same secret: the keys of a rejection are made with it
    other.Close();
    ASSERT_THAT(AdoptExport(other.dir().path(), dir / "export", other.clock(), other.random()),
                IsOk());
    other.Open();
    ExpectRefusing(other);
    const std::string first = erased ? "[erased]" : "Alice drinks milk";
    EXPECT_EQ(Texts(other).at(0), first);
  }
}

}  // namespace
}  // namespace perdure
