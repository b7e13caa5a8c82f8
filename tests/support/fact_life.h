// A short life of a store that appends every kind of event of facts, review and merging.
#pragma once

#include <string>
#include <utility>

#include "support/test_engine.h"

namespace perdure::testing {

class FactLife {
 public:
  explicit FactLife(TestEngine& engine) : engine_(engine) {}

  void Live() {
    Must(DeclarePredicate{"married to", false, true, fb::ValueShape::any});
    SetPolicy policy;
    policy.reinforce = 0.125f;
    Must(policy);
    CorrectAndSupersede();
    Review();
    GovernAndMerge();
    Reconsider();
    LiveInPlaces();
  }

 private:
  WriteOutcome Must(Command command, std::string reason = "because") {
    engine_.clock().Advance(1'500'000);
    auto done = engine_.Do(std::move(command), {.reason = std::move(reason)});
    EXPECT_THAT(done, IsOk());
    return done ? *std::move(done) : WriteOutcome{};
  }
  Uuid First(const WriteOutcome& outcome) {
    return outcome.memories.empty() ? Uuid{} : outcome.memories[0].id;
  }
  FactDraft Fact(std::string subject, std::string predicate, std::string object,
                 std::string source) {
    FactDraft draft;
    draft.value = {std::move(subject), std::move(predicate), std::move(object)};
    Evidence evidence;
    evidence.quote = "she said so";
    evidence.source = std::move(source);
    evidence.reference_time = engine_.clock().Now();
    draft.evidence = std::move(evidence);
    return draft;
  }
  Uuid Assert(FactDraft draft) { return First(Must(AssertFacts{{std::move(draft)}, false})); }

  // Reinforced, faded, superseded.
  void CorrectAndSupersede() {
    FactDraft milk = Fact("Zoë", "drinks", "Milch", "monday");
    milk.scope = ScopePath{{"acme"}, "alice", "", ""};
    FactDraft tea = Fact("zoe\u0308", "drinks", "Tee", "tuesday");
    tea.scope = milk.scope;
    FactDraft again = tea;
    again.evidence->source = "wednesday";
    again.evidence->quote = "and said it again";
    Assert(milk);
    Assert(tea);
    Assert(again);
    FactDraft paris = Fact("Bob", "lives in", "Paris", "s");
    FactDraft rome = Fact("Bob", "lives in", "Rome", "t");
    rome.valid_from = 10;
    rome.valid_until = 20;
    Assert(paris);
    Assert(rome);  // bounded, and the rest is stored
  }
  // Challenged, settled, approved, rejected, suppressed, undone, lifted, refused.
  void Review() {
    const Uuid pair = Assert(Fact("Zoë", "married to", "Bob", "s"));
    Must(MoveState{pair, Transition::kPin, {}});
    const Uuid rival = Assert(Fact("Carol", "married to", "Bob", "t"));
    const WriteOutcome rejected = Must(ReviewCandidate{.id = rival, .refusing = {.wide = true}});
    EXPECT_FALSE(engine_.Do(AssertFacts{{Fact("Bob", "married to", "Carol", "u")}, false}));
    Must(UndoReview{rejected.seq});
    Must(ReviewCandidate{.id = rival, .approve = true, .object = "Robert"});
    NoteDraft note = Note("a proposal");
    Must(ReviewCandidate{.id = First(Must(ProposeCandidate{note}))});
  }
  // A refusal dismissed, a suppression without its words, a predicate declared anew.
  void Reconsider() {
    Assert(Fact("Dora", "knows", "Emil", "s"));
    Must(DeclarePredicate{"knows", false, true, fb::ValueShape::any});
    FactDraft stale = Fact("Dora", "knows", "Fritz", "u");
    Assert(stale);
    FactDraft old = Fact("Dora", "knows", "Emil", "s");
    const auto refused = engine_.Do(AssertFacts{{old}, false});
    ASSERT_FALSE(refused);
    for (const auto& [name, value] : refused.error().details) {
      if (name == "refused_seq") Must(DismissRefusals{{std::stoull(value)}});
    }
    const WriteOutcome kept_out = Must(SuppressValue{std::string("a secret"), {}, {}});
    EraseMemories erase;
    erase.suppressions = {kept_out.seq};
    EXPECT_THAT(engine_->Erase(With(kOperator), erase, {}), IsOk());
  }
  // Verified, scored, another genre; merged, unmerged, disputed for a source that is gone.
  void GovernAndMerge() {
    const Uuid one = engine_.Store(Note("part one"));
    const Uuid two = engine_.Store(Note("part two"));
    Must(ScoreMemory{one, 0.6f, {}, "a pass"});
    Must(ChangeGenre{two, fb::Genre::personal});
    Must(ChangeGenre{two, fb::Genre::factual});
    Must(UnmergeMemory{First(Must(MergeMemories{{one, two}, Note("one and two")}))});
    Evidence seen;
    seen.source = "a receipt";
    Must(VerifyMemory{one, seen});
    NoteDraft summary = Note("what part two says");
    summary.derived_from = {two};
    engine_.Store(summary);
    Must(MoveState{two, Transition::kForget, {}});
  }

  // Containers described, moved, deleted and made again; links; a folder that a store mirrors.
  void LiveInPlaces() {
    const auto at = [](std::vector<std::string> names) {
      return ScopePath{.containers = std::move(names)};
    };
    CreateContainer made{.container = at({"apex", "shop"})};
    made.description = "Sells shoes";
    Must(made);
    DescribeContainer renamed{.container = made.container};
    renamed.name = "store";
    renamed.conditions = "It sells";
    Must(renamed);
    Must(CreateContainer{.container = at({"attic"})});
    Must(MoveContainer{at({"apex", "store"}), at({"attic"})});
    NoteDraft note = Note("in the shop");
    note.scope = at({"attic", "store"});
    const Uuid one = engine_.Store(note);
    const Uuid two = engine_.Store(Note("about the shop"));
    Must(AddLink{two, one, "about"});
    Must(RemoveLink{two, one, "about"});
    Must(DeleteContainer{at({"attic"}), at({"apex"})});
    Must(CreateContainer{.container = at({"attic"})});
    Must(RemoveSource{Must(AddSource{"notes", "/notes", "{}"}).made});
    NoteDraft record = Note("as it was said");
    record.is_record = true;
    record.memory_class = fb::MemoryClass::communication;
    record.store = "said";
    NoteDraft correction = record;
    correction.text = "as it was meant";
    correction.supersedes = engine_.Store(record);
    engine_.Store(correction);
    Must(ForgetMatching{.scope = {}, .store = "said"});
  }

  TestEngine& engine_;
};

}  // namespace perdure::testing
