// Random commands on notes, the same for the same seed.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "support/test_engine.h"

namespace perdure::testing {

class RandomCommands {
 public:
  explicit RandomCommands(std::uint64_t seed) : generator_(seed) {}

  std::size_t Below(std::size_t n) { return generator_() % n; }

  // Runs one command; refusals are as welcome as successes.
  void Step(TestEngine& engine) {
    engine.clock().Advance(static_cast<Micros>(Below(3'000'000)));
    if (ids_.empty() || Below(6) == 0) {
      const auto stored = engine.Do(StoreMemories{{Draft()}});
      if (stored) ids_.push_back(stored->memories[0].id);
      return;
    }
    const Uuid id = ids_[Below(ids_.size())];
    switch (Below(11)) {
      case 0:
        Run(engine, EditMemory{id, AppendText{" " + Word()}});
        break;
      case 1:
        Run(engine, EditMemory{id, ReplaceText{Word(), Word(), Below(2) == 0}});
        break;
      case 2:
        Run(engine, EditMemory{id, WholeText{Word() + " " + Word()}});
        break;
      case 3: {
        DescribeMemory change{.id = id};
        if (Below(2) == 0) change.title = Word();
        if (Below(2) == 0) change.tags = {{Word(), Word()}};
        if (Below(4) == 0) change.scope = Scope();
        if (Below(4) == 0) change.importance = static_cast<float>(Below(5)) / 4;
        Run(engine, change);
        break;
      }
      case 4:
        Run(engine, MoveState{id, Transition::kPin});
        break;
      case 5:
        Run(engine, MoveState{id, Transition::kUnpin});
        break;
      case 6:
        Run(engine, MoveState{id, Transition::kArchive});
        break;
      case 7:
        Run(engine, MoveState{id, Transition::kRestore});
        break;
      case 8:
        Run(engine, MoveState{id, Transition::kForget});
        break;
      case 9:
        Run(engine, RevertMemory{id, 1 + static_cast<std::uint32_t>(Below(4)), {}});
        break;
      default:
        Rare(engine, id);
    }
  }

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
    return draft;
  }
  void Rare(TestEngine& engine, const Uuid& id) {
    const LogHead head = engine->Visible(kMainSpace);
    if (Below(4) == 0) {
      static_cast<void>(engine->Erase(With(kOperator), {{id}}, {}));
    } else if (Below(2) == 0) {
      Run(engine, Rollback{Scope(), {}, head.time - static_cast<Micros>(Below(30'000'000))});
    } else {
      Run(engine, Rollback{{}, id, head.time - static_cast<Micros>(Below(30'000'000))});
    }
  }
  void Run(TestEngine& engine, Command command) {
    static_cast<void>(engine.Do(std::move(command)));
  }

  std::mt19937_64 generator_;
  std::vector<Uuid> ids_;
};

}  // namespace perdure::testing
