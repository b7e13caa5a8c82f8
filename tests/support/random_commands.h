// Random commands on notes and, when asked, on facts and candidates; the same for the same seed.
#pragma once

#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "support/test_engine.h"

namespace perdure::testing {

class RandomCommands {
 public:
  enum class About { kNotes, kFactsToo };
  explicit RandomCommands(std::uint64_t seed, About about = About::kNotes)
      : generator_(seed), about_(about) {}

  std::size_t Below(std::size_t n) { return generator_() % n; }

  // Runs one command; refusals are as welcome as successes.
  void Step(TestEngine& engine) {
    engine.clock().Advance(static_cast<Micros>(Below(3'000'000)));
    Command command = Next(engine->Visible(kMainSpace).time);
    if (auto* erase = std::get_if<EraseMemories>(&command)) {
      static_cast<void>(engine->Erase(With(kOperator), std::move(*erase), {}));
      return;
    }
    const bool stores = std::holds_alternative<StoreMemories>(command);
    const auto done = engine.Do(std::move(command), {.reason = about_ == About::kNotes ? "" : "r"});
    if (!done) return;
    last_ = done->seq;
    for (const MemoryOutcome& memory : done->memories) {
      if (stores || memory.created) Learn(memory.id);
    }
  }

  // The next command for a log whose last entry has that time.
  Command Next(Micros now) {
    if (about_ == About::kFactsToo && Below(2) == 0) return OnFacts();
    if (ids_.empty() || Below(6) == 0) return StoreMemories{{Draft()}};
    const Uuid id = AnyId();
    switch (Below(11)) {
      case 0:
        return EditMemory{id, AppendText{" " + Word()}};
      case 1:
        return EditMemory{id, ReplaceText{Word(), Word(), Below(2) == 0}};
      case 2:
        return EditMemory{id, WholeText{Word() + " " + Word()}};
      case 3:
        return Describe(id);
      case 4:
        return MoveState{id, Transition::kPin};
      case 5:
        return MoveState{id, Transition::kUnpin};
      case 6:
        return MoveState{id, Transition::kArchive};
      case 7:
        return MoveState{id, Transition::kRestore};
      case 8:
        return MoveState{id, Transition::kForget};
      case 9:
        return RevertMemory{id, 1 + static_cast<std::uint32_t>(Below(4)), {}};
      default:
        return Rare(id, now);
    }
  }
  // A memory that later commands may be about.
  void Learn(const Uuid& id) { ids_.push_back(id); }
  void Saw(Seq seq) { last_ = seq; }

  const std::vector<Uuid>& ids() const { return ids_; }

 private:
  std::string Word() {
    static constexpr const char* kWords[] = {"oat", "milk", "cat", "rain", "tea", "sun"};
    return kWords[Below(6)];
  }
  ScopePath Scope() {
    static constexpr const char* kNames[] = {"a", "b", "c"};
    ScopePath scope;
    for (std::size_t depth = Below(3); depth > 0; --depth) {
      scope.containers.emplace_back(kNames[Below(3)]);
    }
    return scope;
  }
  NoteDraft Draft() {
    NoteDraft draft = Note(Word() + " " + Word() + " " + Word(), Word());
    if (Below(2) == 0) draft.tags = {Word()};
    draft.scope = Scope();
    if (about_ == About::kNotes) return draft;
    if (Below(8) == 0) draft.store = Word();
    draft.is_record = Below(8) == 0;
    if (Below(16) == 0 && !ids_.empty()) draft.supersedes = AnyId();
    return draft;
  }
  Uuid AnyId() { return ids_.empty() ? Uuid{} : ids_[Below(ids_.size())]; }
  FactDraft Fact() {
    FactDraft draft{.value = {Word(), "likes", Word()}, .scope = Scope()};
    draft.evidence = Evidence{.quote = Word(), .source = std::to_string(Below(90))};
    if (Below(4) == 0) draft.confidence = 0.3f;
    return draft;
  }
  Command OnPlaces(const Uuid& id) {
    switch (Below(10)) {
      case 0:
        return CreateContainer{.container = Scope()};
      case 1: {
        DescribeContainer change{.container = Scope()};
        if (Below(2) == 0) change.name = Word();
        change.description = Word();
        return change;
      }
      case 2:
        return MoveContainer{Scope(), Scope()};
      case 3:
        return DeleteContainer{Scope(), Scope()};
      case 4:
        return RemoveLink{id, AnyId(), Word()};
      case 5: {
        ForgetMatching matching{.scope = Scope()};
        matching.tags = {Word()};
        return matching;
      }
      case 6:
        return AddSource{Word(), "/folder", "{}"};
      case 7:
        return RemoveSource{last_ - Below(20)};
      default:
        return AddLink{id, AnyId(), Word()};
    }
  }
  Command OnFacts() {
    if (Below(6) == 0) return OnPlaces(AnyId());
    switch (const Uuid id = AnyId(); Below(15)) {
      case 0:
        return ProposeCandidate{Fact()};
      case 1:
        return ProposeCandidate{Draft()};
      case 2:
      case 3:
        return ReviewCandidate{.id = id, .approve = Below(2) == 0};
      case 4:
        return UndoReview{last_};
      case 5:
        return SuppressValue{FactValue{Word(), "likes", Word()}, Scope()};
      case 6:
        return LiftSuppression{last_ - Below(20)};
      case 7:
        return VerifyMemory{id, {.quote = Word(), .source = "receipt"}};
      case 8:
        return ScoreMemory{id, 0.6f, {}, "pass"};
      case 9:
        return ChangeGenre{id, static_cast<fb::Genre>(Below(2))};
      case 10:
        return MergeMemories{{id, AnyId()}, Draft()};
      case 11:
        return UnmergeMemory{id};
      case 12:
        return DismissRefusals{{last_ - Below(20)}};
      default:
        return AssertFacts{{Fact(), Fact()}, Below(2) == 0};
    }
  }
  Command Describe(const Uuid& id) {
    DescribeMemory change{.id = id};
    if (Below(2) == 0) change.title = Word();
    if (Below(2) == 0) change.tags = {{Word(), Word()}};
    if (Below(4) == 0) change.scope = Scope();
    if (Below(4) == 0) change.importance = static_cast<float>(Below(5)) / 4;
    return change;
  }
  Command Rare(const Uuid& id, Micros now) {
    if (Below(4) == 0) return EraseMemories{{id}};
    if (Below(2) == 0) return Rollback{Scope(), {}, now - static_cast<Micros>(Below(30'000'000))};
    return Rollback{{}, id, now - static_cast<Micros>(Below(30'000'000))};
  }

  std::mt19937_64 generator_;
  About about_;
  Seq last_ = 1;
  std::vector<Uuid> ids_;
};

}  // namespace perdure::testing
