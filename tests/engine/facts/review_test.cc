#include "engine/read/review.h"

#include <gtest/gtest.h>

#include "engine/facts/fact_engine.h"

namespace perdure {
namespace {

using testing::Being;
using ::testing::ElementsAre;
using testing::Fact;
using testing::FactEngine;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::IsRefusedBy;
using testing::kDay;
using testing::Note;
using testing::Quote;
using testing::With;

constexpr float kNear = 1e-4f;

FactDraft Drinks(std::string what, std::optional<Evidence> evidence = {}) {
  return Fact("Alice", "drinks", std::move(what), std::move(evidence));
}

TEST(Candidate, IsInNoReadOfAnAgentUntilAReviewerLetsItIn) {
  FactEngine engine;
  const Uuid fact = engine.Proposed(Drinks("milk"));
  const Uuid note = engine.Proposed(Note("a proposed note"));
  for (const Uuid& id : {fact, note}) {
    EXPECT_THAT(engine.Get(id), FailsWith(Code::kNotFound, ::testing::_));
    EXPECT_EQ(engine.Record(id).state, fb::MemoryState::pending);
  }
  EXPECT_THAT(engine.Listed(), IsEmpty());
  ListFilter pending;
  pending.states = {fb::MemoryState::pending};
  EXPECT_THAT(engine.Listed(pending), IsEmpty());
  EXPECT_EQ(engine.Standing("alice", "drinks"), "");
  EXPECT_EQ(engine.Queue(ReviewQueue::kCandidates).total, 2u);
  ASSERT_THAT(engine.Approve(fact), IsOk());
  ASSERT_THAT(engine.Approve(note), IsOk());
  EXPECT_EQ(engine.Standing("alice", "drinks"), "milk");
  EXPECT_THAT(engine.Listed(), ElementsAre("a proposed note", "Alice drinks milk"));
  EXPECT_EQ(engine.Queue(ReviewQueue::kCandidates).total, 0u);
  engine.ExpectSound();
}

TEST(Candidate, IsDecidedOnByReviewersAndOperatorsAlone) {
  FactEngine engine;
  const Uuid id = engine.Proposed(Drinks("milk"));
  for (const RoleMask role : {kAgent, kAuditor}) {
    EXPECT_FALSE(engine.Approve(id, With(role)));
    EXPECT_FALSE(engine.Reject(id, {}, With(role)));
  }
  EXPECT_THAT(engine.Do(UndoReview{1}, {}, With(kAgent)), IsRefusedBy(Rule::kRole));
  EXPECT_THAT(ListReview(*(*engine).Read(With(kAgent)), ReviewQueue::kCandidates, 10),
              FailsWith(Code::kForbidden, ::testing::_));
  EXPECT_EQ(engine.Record(id).state, fb::MemoryState::pending);
  EXPECT_THAT(engine.Approve(id, With(kOperator)), IsOk());
  EXPECT_THAT(engine.Approve(id), IsRefusedBy(Rule::kState));
  EXPECT_THAT(engine.Reject(id), IsRefusedBy(Rule::kState));
}

TEST(Candidate, OfAReviewerWithAScopeIsTheirsAloneWhenItIsInside) {
  FactEngine engine;
  FactDraft inside = Drinks("milk");
  inside.scope = ScopePath{{"acme"}, "", "", ""};
  const Uuid theirs = engine.Proposed(inside);
  const Uuid other = engine.Proposed(Drinks("milk"));
  const Principal narrow = With(kReviewer, {{"acme"}, "", "", ""});
  EXPECT_EQ(engine.Queue(ReviewQueue::kCandidates, narrow).total, 1u);
  EXPECT_THAT(engine.Approve(other, narrow), IsRefusedBy(Rule::kNoMemory));
  EXPECT_THAT(engine.Reject(theirs, {.wide = true}, narrow), IsRefusedBy(Rule::kScope));
  EXPECT_THAT(engine.Reject(theirs, {}, narrow), IsOk());
}

TEST(Candidate, ThatWaitsIsNotProposedTwice) {
  FactEngine engine;
  const Uuid id = engine.Proposed(Drinks("milk"));
  EXPECT_THAT(engine.Do(ProposeCandidate{Drinks("MILK ")}), IsRefusedBy(Rule::kWaits));
  EXPECT_THAT(engine.Assert(Drinks("milk", Quote("q", "s", 1))), IsRefusedBy(Rule::kWaits));
  engine.Proposed(Note("same"));
  EXPECT_THAT(engine.Do(ProposeCandidate{Note("same")}), IsRefusedBy(Rule::kWaits));
  engine.Store(Note("live"));
  EXPECT_THAT(engine.Do(ProposeCandidate{Note("live")}), IsRefusedBy(Rule::kStands));
  ASSERT_THAT(engine.Approve(id), IsOk());
  EXPECT_THAT(engine.Do(ProposeCandidate{Drinks("milk")}), IsRefusedBy(Rule::kStands));
}

TEST(Candidate, ThatIsApprovedPassesTheGatesOfThatMoment) {
  FactEngine engine;
  const Uuid number = engine.Proposed(Fact("Alice", "born in", "Paris"));
  ASSERT_THAT(engine.Do(DeclarePredicate{"born in", false, false, fb::ValueShape::number}), IsOk());
  EXPECT_THAT(engine.Approve(number), IsRefusedBy(Rule::kShape));
  const Uuid milk = engine.Proposed(Drinks("milk"));
  ASSERT_THAT(engine.Do(SuppressValue{FactValue{"Alice", "drinks", "Milk"}}), IsOk());
  EXPECT_THAT(engine.Approve(milk), IsRefusedBy(Rule::kSuppressed));
  const Uuid note = engine.Proposed(Note("text"));
  engine.Store(Note("text"));
  EXPECT_THAT(engine.Approve(note), IsRefusedBy(Rule::kStands));
  for (const Uuid& id : {number, milk, note}) {
    EXPECT_EQ(engine.Record(id).state, fb::MemoryState::pending);
  }
}

TEST(Candidate, MayBeEditedAsItIsApproved) {
  FactEngine engine;
  const Uuid milk = engine.Proposed(Drinks("milk", Quote("q", "s", 1)));
  const Uuid note = engine.Proposed(Note("a draft", "title"));
  ReviewCandidate edited{.id = milk, .approve = true, .object = "oat milk"};
  EXPECT_THAT(engine.Do(ReviewCandidate{.id = milk, .approve = true, .text = "x"}),
              IsRefusedBy(Rule::kKind));
  EXPECT_THAT(engine.Do(ReviewCandidate{.id = milk, .approve = false, .object = "x"}),
              IsRefusedBy(Rule::kMalformed));
  EXPECT_THAT(engine.Do(ReviewCandidate{.id = note, .approve = true, .text = ""}),
              IsRefusedBy(Rule::kMalformed));
  ASSERT_THAT(engine.Do(edited), IsOk());
  ASSERT_THAT(engine.Do(ReviewCandidate{.id = note, .approve = true, .text = "final"}), IsOk());
  EXPECT_EQ(engine.Standing("alice", "drinks"), "oat milk");
  EXPECT_EQ(engine.Get(milk)->text, "Alice drinks oat milk");
  EXPECT_EQ(engine.Record(milk).version, 2u);
  EXPECT_EQ(engine.Get(note)->text, "final");
  EXPECT_EQ(engine.Get(note)->title, "title");
  EXPECT_THAT(engine.Assert(Drinks("oat milk", Quote("q", "s", 1))), IsRefusedBy(Rule::kStands))
      << "the evidence came with the candidate";
  EXPECT_THAT(engine.Assert(Drinks("milk")), IsOk()) << "the proposed value was never let in";
  engine.ExpectSound();
}

TEST(Candidate, TakesThePlaceOfEvenAPinnedValueWhenItIsApproved) {
  FactEngine engine;
  const Uuid oat = engine.Asserted(Drinks("oat milk"));
  ASSERT_THAT(engine.Do(MoveState{oat, Transition::kPin, {}}), IsOk());
  const Uuid milk = engine.Asserted(Drinks("milk"));
  EXPECT_EQ(engine.Queue(ReviewQueue::kDisputes).total, 1u);
  const auto item = engine.Queue(ReviewQueue::kCandidates).items.at(0);
  EXPECT_EQ(item.because, "challenge");
  EXPECT_EQ(item.rival->id, oat);
  ASSERT_THAT(engine.Approve(milk), IsOk());
  EXPECT_EQ(engine.Standing("alice", "drinks"), "milk");
  const auto lapsed = engine.Record(oat);
  EXPECT_EQ(lapsed.state, fb::MemoryState::superseded);
  EXPECT_FALSE(lapsed.pinned);
  EXPECT_EQ(FromIdPtr(lapsed.successor), milk);
  EXPECT_EQ(engine.Queue(ReviewQueue::kDisputes).total, 0u);
  engine.ExpectSound();
}

TEST(Candidate, WhoseValueCameToStandAddsItsEvidence) {
  FactEngine engine;
  const Uuid first = engine.Asserted(Drinks("milk", Quote("q", "s", 1)));
  ASSERT_THAT(engine.Do(MoveState{first, Transition::kArchive, {}}), IsOk());
  const Uuid second =
      engine.Proposed(Drinks("milk", Quote("q", "t", engine.clock().Now() + kDay / 2)));
  ASSERT_THAT(engine.Do(MoveState{first, Transition::kRestore, {}}), IsOk());
  const std::string before = Being(engine.Record(first));
  const std::string waited = Being(engine.Record(second));
  const auto approved = engine.Approve(second);
  ASSERT_THAT(approved, IsOk());
  EXPECT_NEAR(engine.Record(first).confidence, 0.6f, kNear);
  EXPECT_EQ(engine.Record(second).state, fb::MemoryState::superseded);
  EXPECT_EQ(FromIdPtr(engine.Record(second).successor), first);
  ASSERT_THAT(engine.Do(UndoReview{approved->seq}), IsOk());
  EXPECT_EQ(Being(engine.Record(first)), before);
  EXPECT_EQ(Being(engine.Record(second)), waited);
  engine.ExpectSound();
}

TEST(Dispute, LastsAsLongAsAChallengerWaits) {
  FactEngine engine;
  const Uuid oat = engine.Asserted(Drinks("oat milk"));
  ASSERT_THAT(engine.Do(MoveState{oat, Transition::kPin, {}}), IsOk());
  engine.Proposed(Drinks("water"));  // a proposal is a challenge, too, where a pinned value stands
  const Uuid milk = engine.Asserted(Drinks("milk"));
  const Uuid tea = engine.Asserted(Drinks("tea"));
  EXPECT_EQ(engine.Record(oat).dispute, fb::Dispute::challenged);
  const Uuid water = engine.Queue(ReviewQueue::kCandidates).items.at(0).memory->id;
  ASSERT_THAT(engine.Reject(water), IsOk());
  ASSERT_THAT(engine.Reject(milk), IsOk());
  EXPECT_EQ(engine.Record(oat).dispute, fb::Dispute::challenged) << "tea still waits";
  ASSERT_THAT((*engine).Erase(With(kOperator), {{tea}}, {}), IsOk());
  EXPECT_EQ(engine.Record(oat).dispute, fb::Dispute::none);
  EXPECT_EQ(engine.Queue(ReviewQueue::kDisputes).total, 0u);
}

TEST(Dispute, EndsWhenTheChallengerIsEditedIntoTheValueThatStands) {
  FactEngine engine;
  const Uuid oat = engine.Asserted(Drinks("oat milk", Quote("q", "s", 1)));
  ASSERT_THAT(engine.Do(MoveState{oat, Transition::kPin, {}}), IsOk());
  const Uuid milk = engine.Asserted(Drinks("milk", Quote("q", "t", 2)));
  ASSERT_EQ(engine.Record(oat).dispute, fb::Dispute::challenged);
  ASSERT_THAT(engine.Do(ReviewCandidate{.id = milk, .approve = true, .object = "oat milk"}),
              IsOk());
  const auto stands = engine.Record(oat);
  EXPECT_EQ(stands.dispute, fb::Dispute::none);
  EXPECT_TRUE(stands.pinned);
  EXPECT_NEAR(stands.confidence, 0.6f, kNear);
  EXPECT_EQ(engine.Standing("alice", "drinks"), "oat milk");
}

TEST(Dispute, OfAPairIsKnownFromEitherEnd) {
  FactEngine engine;
  ASSERT_THAT(engine.Do(DeclarePredicate{"married to", false, true, fb::ValueShape::any}), IsOk());
  const Uuid pair = engine.Asserted(Fact("Alice", "married to", "Bob"));
  ASSERT_THAT(engine.Do(MoveState{pair, Transition::kPin, {}}), IsOk());
  const Uuid carol = engine.Asserted(Fact("Carol", "married to", "Alice"));
  engine.Asserted(Fact("Bob", "married to", "Dora"));
  ASSERT_THAT(engine.Reject(carol), IsOk());
  EXPECT_EQ(engine.Record(pair).dispute, fb::Dispute::challenged);
}

TEST(Dispute, OfWhatIsPutAwayWaitsForNobody) {
  FactEngine engine;
  const Uuid oat = engine.Asserted(Drinks("oat milk"));
  ASSERT_THAT(engine.Do(MoveState{oat, Transition::kPin, {}}), IsOk());
  engine.Asserted(Drinks("milk"));
  ASSERT_THAT(engine.Do(MoveState{oat, Transition::kArchive, {}}), IsOk());
  EXPECT_EQ(engine.Queue(ReviewQueue::kDisputes).total, 0u);
  ASSERT_THAT(engine.Do(MoveState{oat, Transition::kRestore, {}}), IsOk());
  EXPECT_EQ(engine.Queue(ReviewQueue::kDisputes).total, 1u);
  ASSERT_THAT((*engine).Erase(With(kOperator), {{oat}}, {}), IsOk());
  EXPECT_EQ(engine.Queue(ReviewQueue::kDisputes).total, 0u);
  engine.ExpectSound();
}

// A decision and the records of all that it touched before it.
struct Decided {
  Result<WriteOutcome> outcome;
  std::vector<std::pair<Uuid, std::string>> before;
};
void ExpectUndone(FactEngine& engine, const Decided& decided) {
  ASSERT_THAT(decided.outcome, IsOk());
  ASSERT_THAT(engine.Do(UndoReview{decided.outcome->first_seq}, {.reason = "a mistake"}), IsOk());
  for (const auto& [id, before] : decided.before) {
    EXPECT_EQ(Being(engine.Record(id)), before) << ToString(id);
  }
  EXPECT_FALSE(engine.Do(UndoReview{decided.outcome->first_seq})) << "undone twice";
  engine.ExpectSound();
}

TEST(Undo, OfAnApprovalPutsBackTheCandidateAndAllItDisplaced) {
  FactEngine engine;
  const Uuid milk = engine.Asserted(Drinks("milk", Quote("q", "s", 1)));
  const Uuid oat = engine.Asserted(Drinks("oat milk", Quote("q", "t", 2)));
  const Uuid source = engine.Store(Note("She drinks tea now."));
  ASSERT_THAT(engine.Do(VerifyMemory{oat, Quote("seen", "receipt")}, {}, With(kReviewer)), IsOk());
  const Uuid tea = engine.Asserted(Drinks("tea", Quote("drinks tea", ToString(source))));
  ASSERT_EQ(engine.Record(tea).trust, fb::Trust::verbatim);
  for (const bool edit : {false, true}) {
    Decided decided;
    for (const Uuid& id : {milk, oat, tea})
      decided.before.emplace_back(id, Being(engine.Record(id)));
    ReviewCandidate approval{.id = tea, .approve = true};
    if (edit) approval.object = "green tea";
    decided.outcome = engine.Do(approval);
    EXPECT_EQ(engine.Standing("alice", "drinks"), edit ? "green tea" : "tea");
    ExpectUndone(engine, decided);
    EXPECT_EQ(engine.Standing("alice", "drinks"), "oat milk");
    EXPECT_EQ(engine.Queue(ReviewQueue::kDisputes).total, 1u);
  }
}

TEST(Undo, OfARejectionLiftsWhatItRefusedAndBringsBackWhatItForgot) {
  FactEngine engine;
  FactDraft inside = Drinks("milk");
  inside.scope = ScopePath{{"acme"}, "", "", ""};
  const Uuid live = engine.Asserted(inside);
  const Uuid milk = engine.Proposed(Drinks("milk"));
  Decided decided;
  for (const Uuid& id : {live, milk}) decided.before.emplace_back(id, Being(engine.Record(id)));
  decided.outcome = engine.Reject(milk, {.wide = true});
  EXPECT_EQ(engine.Record(live).state, fb::MemoryState::forgotten);
  EXPECT_THAT(engine.Assert(Drinks("milk")), IsRefusedBy(Rule::kSuppressed));
  ExpectUndone(engine, decided);
  EXPECT_NE(engine.Suppressions().at(0).lifted_seq, 0u);
  EXPECT_THAT(engine.Approve(milk), IsOk());
  EXPECT_THAT(engine.Do(UndoReview{decided.outcome->seq + 1}),
              FailsWith(Code::kNotFound, ::testing::_))
      << "an undo is no decision";
}

TEST(Undo, IsRefusedWhenWhatItTouchedHasChangedOrAnotherValueStands) {
  FactEngine engine;
  const Uuid displaced = engine.Asserted(Drinks("oat milk"));
  ASSERT_THAT(engine.Do(MoveState{displaced, Transition::kPin, {}}), IsOk());
  FactDraft milk = Drinks("milk");
  milk.expires_at = engine.clock().Now() + kDay;
  const Uuid candidate = engine.Asserted(milk);
  const auto approved = engine.Approve(candidate);
  ASSERT_THAT(approved, IsOk());
  engine.clock().Advance(2 * kDay);
  const Uuid since = engine.Asserted(Drinks("tea"));
  EXPECT_THAT(engine.Do(UndoReview{approved->seq}), IsRefusedBy(Rule::kRival));
  ASSERT_THAT(engine.Do(MoveState{since, Transition::kForget, {}}), IsOk());
  ASSERT_THAT(engine.Do(MoveState{candidate, Transition::kPin, {}}), IsOk());
  EXPECT_THAT(engine.Do(UndoReview{approved->seq}), IsRefusedBy(Rule::kState));
}

TEST(Undo, ByAReviewerWithAScopeTakesBackNothingOutsideIt) {
  FactEngine engine;
  FactDraft inside = Drinks("milk");
  inside.scope = ScopePath{{"acme"}, "", "", ""};
  const Uuid candidate = engine.Proposed(inside);
  const auto rejected = engine.Reject(candidate, {.wide = true});
  ASSERT_THAT(rejected, IsOk());
  const Principal narrow = With(kReviewer, {{"acme"}, "", "", ""});
  EXPECT_FALSE(engine.Do(UndoReview{rejected->seq}, {}, narrow));
  EXPECT_EQ(engine.Suppressions().at(0).lifted_seq, 0u);
  EXPECT_THAT(engine.Do(UndoReview{rejected->seq}), IsOk());
}

TEST(Refusal, OfStaleEvidenceIsAQueueOfItsOwn) {
  FactEngine engine;
  const Micros now = engine.clock().Now();
  engine.Asserted(Drinks("milk", Quote("q", "s", now - 2)));
  engine.Asserted(Drinks("oat milk", Quote("q", "t", now - 1)));
  EXPECT_THAT(engine.Assert(Drinks("milk", Quote("q", "s", now - 2))),
              IsRefusedBy(Rule::kStaleEvidence));
  const ReviewPage page = engine.Queue(ReviewQueue::kRefusals);
  ASSERT_EQ(page.total, 1u);
  EXPECT_EQ(page.items[0].because, "stale_evidence");
  EXPECT_EQ(page.items[0].rival->object, "milk");
}

}  // namespace
}  // namespace perdure
