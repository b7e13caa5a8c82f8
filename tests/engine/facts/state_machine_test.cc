#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "engine/apply/memory_fold.h"
#include "engine/facts/fact_engine.h"
#include "engine/facts/state_table.h"

namespace perdure {
namespace {

using enum fb::MemoryState;
using fb::MemoryState;
using testing::Fact;
using testing::FactEngine;
using testing::IsOk;
using testing::kDeciders;
using testing::kWriters;
using testing::Note;
using testing::Quote;
using testing::States;
using testing::With;

// What may be done to a memory, from which states, by whom, and where it leads. Whatever no row
// allows is refused and leaves the memory as it is.
struct Act {
  const char* name;
  std::function<Command(const Uuid&)> command;
  States from;
  MemoryState to;  // or where it was, when it was there or the row says live of a live one
  RoleMask who;
};

// A store with memories in every state, each with words of its own.
class Walk : public FactEngine {
 public:
  explicit Walk(bool facts) : facts_(facts) {}

  struct Made {
    Uuid id;
    Micros then = 0;   // when it was new
    Seq decision = 0;  // of the review that led to its state
    Uuid merged;       // what it became a part of
  };
  Made In(MemoryState state) {
    ++made_;
    Made made;
    const bool waited = state == pending || state == rejected;
    made.id = New(waited, state == disputed, 0.3f);
    made.then = (**this).Visible(kMainSpace).time;
    switch (state) {
      case pending:
      case live:
        break;
      case rejected:
        made.decision = Reject(made.id)->seq;
        Done(LiftSuppression{Suppressions().back().seq});  // else it would stay for that
        break;
      case superseded:
        Supersede(made);
        break;
      case disputed:
        Done(MoveState{source_, Transition::kForget, {}});
        break;
      case archived:
        Done(MoveState{made.id, Transition::kArchive, {}});
        break;
      case forgotten:
        Done(MoveState{made.id, Transition::kForget, {}});
        break;
      case erased:
        EXPECT_THAT((**this).Erase(With(kOperator), {{made.id}}, {}), IsOk());
        break;
    }
    EXPECT_EQ(StateOf(made.id), state);
    return made;
  }
  MemoryState StateOf(const Uuid& id) {
    const auto record = ReadMemory((**this).Latest(), kMainSpace, id);
    EXPECT_THAT(record, IsOk());
    return (*record)->state;
  }

 private:
  std::string Word() { return "word " + std::to_string(made_); }
  void Done(Command command) { EXPECT_THAT(Do(std::move(command), {.reason = "r"}), IsOk()); }
  Uuid New(bool waits, bool derived, float confidence) {
    if (derived) source_ = Store(Note("source of " + Word()));
    FactDraft fact = Fact(Word(), "is", "so");
    fact.confidence = confidence;
    NoteDraft note = Note(Word() + " is so");
    if (derived) fact.derived_from = note.derived_from = {source_};
    if (waits) return facts_ ? Proposed(fact) : Proposed(note);
    return facts_ ? Asserted(fact) : Store(note);
  }
  // And nothing stands in its place.
  void Supersede(Made& made) {
    if (facts_) {
      const Uuid rival = Asserted(Fact(Word(), "is", "different"));
      Done(MoveState{rival, Transition::kArchive, {}});
      return;
    }
    const Uuid other = Store(Note("part " + Word()));
    const auto merged = Do(MergeMemories{{made.id, other}, Note("merged " + Word())});
    ASSERT_THAT(merged, IsOk());
    made.merged = merged->memories[0].id;
  }

  bool facts_;
  int made_ = 0;
  Uuid source_;
};

// What reviewers do, and who scores.
std::vector<Act> Judgements(const Walk::Made& made) {
  const auto review = [](bool approve) {
    return [=](const Uuid& id) { return ReviewCandidate{.id = id, .approve = approve}; };
  };
  return {{"approve", review(true), {pending}, live, kDeciders},
          {"reject", review(false), {pending}, rejected, kDeciders},
          {"undo",
           [made](const Uuid&) { return UndoReview{made.decision}; },
           {rejected},
           pending,
           kDeciders},
          {"verify",
           [](const Uuid& id) { return VerifyMemory{id, Quote("q", "s")}; },
           {live},
           live,
           kReviewer},
          {"score",
           [](const Uuid& id) { return ScoreMemory{id, 0.6f, {}, "p"}; },
           {live},
           live,
           kWriters},
          {"change genre",
           [](const Uuid& id) { return ChangeGenre{id, fb::Genre::personal}; },
           {live},
           live,
           kDeciders}};
}

std::vector<Act> Acts(bool facts, const Walk::Made& made) {
  const auto move = [](Transition transition, std::optional<Refusing> refusing = {}) {
    return [=](const Uuid& id) { return MoveState{id, transition, refusing}; };
  };
  const States shown = {live, disputed, superseded, archived};
  const States texts = facts ? States{} : States{live};
  std::vector<Act> acts = {
      {"edit", [](const Uuid& id) { return EditMemory{id, AppendText{"!"}}; }, texts, live,
       kWriters},
      {"describe",
       [](const Uuid& id) { return DescribeMemory{.id = id, .title = "t"}; },
       {live},
       live,
       kWriters},
      {"pin", move(Transition::kPin), {live}, live, kDeciders},
      {"unpin", move(Transition::kUnpin), {live}, live, kDeciders},
      {"archive", move(Transition::kArchive), {live, archived}, archived, kWriters},
      {"restore", move(Transition::kRestore), {live, archived}, live, kWriters},
      {"restore", move(Transition::kRestore), {forgotten}, live, kDeciders},
      {"forget", move(Transition::kForget), shown, forgotten, kWriters},
      {"forget", move(Transition::kForget), {forgotten}, forgotten, kDeciders},
      {"refuse",
       move(Transition::kForget, Refusing{}),
       {live, disputed, superseded, archived, forgotten},
       forgotten,
       kDeciders},
      {"erase",
       [](const Uuid& id) { return EraseMemories{{id}}; },
       {pending, live, disputed, superseded, archived, rejected, forgotten},
       erased,
       kOperator},
      {"revert", [](const Uuid& id) { return RevertMemory{id, 1, {}}; }, {live}, live, kWriters},
      {"roll back",
       [made](const Uuid& id) { return Rollback{{}, id, made.then}; },
       {live, disputed, superseded, archived, forgotten},
       live,
       kDeciders},
      {"roll back",
       [made](const Uuid& id) { return Rollback{{}, id, made.then}; },
       {pending, rejected},
       pending,
       kDeciders}};
  std::ranges::move(Judgements(made), std::back_inserter(acts));
  if (!facts) {
    acts.push_back({"unmerge",
                    [made](const Uuid&) { return UnmergeMemory{made.merged}; },
                    {superseded},
                    live,
                    kWriters});
  }
  return acts;
}

// Every command is in the table above, or is about no memory's state; a new one does not compile.
struct InTable {
  constexpr int operator()(const EditMemory&) const { return 1; }
  constexpr int operator()(const DescribeMemory&) const { return 1; }
  constexpr int operator()(const MoveState&) const { return 1; }
  constexpr int operator()(const EraseMemories&) const { return 1; }
  constexpr int operator()(const RevertMemory&) const { return 1; }
  constexpr int operator()(const Rollback&) const { return 1; }
  constexpr int operator()(const ReviewCandidate&) const { return 1; }
  constexpr int operator()(const UndoReview&) const { return 1; }
  constexpr int operator()(const VerifyMemory&) const { return 1; }
  constexpr int operator()(const ScoreMemory&) const { return 1; }
  constexpr int operator()(const ChangeGenre&) const { return 1; }
  constexpr int operator()(const MergeMemories&) const { return 1; }
  constexpr int operator()(const UnmergeMemory&) const { return 1; }
  // What comes in, and what is about the space, its scopes and its settings.
  constexpr int operator()(const StoreMemories&) const { return 0; }
  constexpr int operator()(const AssertFacts&) const { return 0; }
  constexpr int operator()(const ProposeCandidate&) const { return 0; }
  constexpr int operator()(const NameSnapshot&) const { return 0; }
  constexpr int operator()(const IssueToken&) const { return 0; }
  constexpr int operator()(const RevokeToken&) const { return 0; }
  constexpr int operator()(const CreateSpace&) const { return 0; }
  constexpr int operator()(const CompleteErasure&) const { return 0; }
  constexpr int operator()(const CompactHistory&) const { return 0; }
  constexpr int operator()(const DropPayloads&) const { return 0; }
  constexpr int operator()(const SuppressValue&) const { return 0; }
  constexpr int operator()(const LiftSuppression&) const { return 0; }
  constexpr int operator()(const DeclarePredicate&) const { return 0; }
  constexpr int operator()(const SetPolicy&) const { return 0; }
  constexpr int operator()(const MarkRestored&) const { return 0; }
  constexpr int operator()(const CarrySuppression&) const { return 0; }
  constexpr int operator()(const DismissRefusals&) const { return 0; }
  // What is about places and about more than one memory: tests/engine/places.
  constexpr int operator()(const CreateContainer&) const { return 0; }
  constexpr int operator()(const DescribeContainer&) const { return 0; }
  constexpr int operator()(const MoveContainer&) const { return 0; }
  constexpr int operator()(const DeleteContainer&) const { return 0; }
  constexpr int operator()(const AddLink&) const { return 0; }
  constexpr int operator()(const RemoveLink&) const { return 0; }
  constexpr int operator()(const ForgetMatching&) const { return 0; }
  constexpr int operator()(const AddSource&) const { return 0; }
  constexpr int operator()(const RemoveSource&) const { return 0; }
};

class StateMachine : public ::testing::TestWithParam<bool> {};

// Every entry of every memory, held to the table of events.
void ExpectMovesOfTable(FactEngine& engine) {
  std::map<Uuid, std::optional<fb::MemoryRecordT>> records;
  for (Seq seq = 1; seq <= (*engine).Visible(kMainSpace).seq; ++seq) {
    const Entry entry = *ReadEntry((*engine).Latest(), kMainSpace, seq);
    const fb::Id* id = MemoryOf(*entry);
    if (!id || !TouchesRecord(*entry)) continue;
    auto& record = records[FromId(*id)];
    const auto from = record ? std::optional(record->state) : std::nullopt;
    record = FoldRecord(*entry, std::move(record));
    EXPECT_TRUE(testing::MayMove(entry->event_type(), from, record->state, entry->role()))
        << "entry " << seq << ": " << fb::EnumNameEvent(entry->event_type()) << " from "
        << (from ? fb::EnumNameMemoryState(*from) : "nothing") << " to "
        << fb::EnumNameMemoryState(record->state) << " by " << int{entry->role()};
  }
}

TEST_P(StateMachine, MovesAsItsTableSaysAndNoOtherWay) {
  Walk walk(GetParam());
  std::set<std::size_t> commands;
  for (const MemoryState from : fb::EnumValuesMemoryState()) {
    std::set<std::string> names;
    for (const Act& act : Acts(GetParam(), {})) names.insert(act.name);
    for (const std::string& name : names) {
      for (const RoleMask role : {kAgent, kReviewer, kAuditor, kOperator}) {
        const Walk::Made made = walk.In(from);
        const Act* allows = nullptr;
        Command command;
        const std::vector<Act> acts = Acts(GetParam(), made);
        for (const Act& act : acts) {
          if (name != act.name) continue;
          command = act.command(made.id);
          const bool here = std::ranges::find(act.from, from) != act.from.end();
          if (here && (act.who & role) != 0) allows = &act;
        }
        SCOPED_TRACE(fmt::format("{} a {} one as {}", name, fb::EnumNameMemoryState(from), role));
        commands.insert(command.index());
        const auto done = walk.Do(command, {.reason = "r"}, With(role));
        EXPECT_EQ(done.has_value(), allows != nullptr)
            << (done ? "it was done" : done.error().message);
        if (!done) {
          EXPECT_TRUE(RuleOf(done.error())) << "a refusal is an entry";
        }
        EXPECT_EQ(walk.StateOf(made.id), allows ? allows->to : from);
      }
    }
  }
  ExpectMovesOfTable(walk);
  const std::size_t about_memories = GetParam() ? 11 : 12;
  EXPECT_EQ(commands.size(), about_memories);
}

INSTANTIATE_TEST_SUITE_P(, StateMachine, ::testing::Bool(), [](const auto& facts) {
  return std::string(facts.param ? "OfFacts" : "OfNotes");
});

TEST(StateTable, HasARowOfEveryEventThatMovesAMemory) {
  std::set<fb::Event> in_table;
  for (const testing::Move& move : testing::Moves()) in_table.insert(move.event);
  EXPECT_EQ(std::visit(InTable{}, Command{ChangeGenre{}}), 1);
  EXPECT_EQ(std::visit(InTable{}, Command{SetPolicy{}}), 0);
  for (const fb::Event event : fb::EnumValuesEvent()) {
    const std::string name = fb::EnumNameEvent(event);
    const bool about_memory = name.starts_with("Memory") || name.starts_with("Fact") ||
                              name.starts_with("Candidate") || name == "DisputeSettled" ||
                              name == "GenreChanged" || name == "ValidityBounded" ||
                              name == "SymmetryChanged";
    EXPECT_EQ(in_table.contains(event), about_memory && name != "MemorySeenAgain") << name;
  }
}

}  // namespace
}  // namespace perdure
