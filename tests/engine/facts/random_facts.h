// Random commands on facts, candidates and suppressions over few words, so that they meet; the
// same for the same seed.
#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/facts/fact_engine.h"

namespace perdure::testing {

class RandomFacts {
 public:
  explicit RandomFacts(std::uint64_t seed) : generator_(seed) {}

  std::size_t Below(std::size_t n) { return generator_() % n; }
  const std::vector<Uuid>& ids() const { return ids_; }

  // Runs one command as somebody; refusals are as welcome as successes.
  Result<WriteOutcome> Step(FactEngine& engine) {
    engine.clock().Advance(static_cast<Micros>(Below(20'000'000)));
    const LogHead head = (*engine).Visible(kMainSpace);
    Command command = Next(head);
    const Principal caller = Caller();
    WriteOptions options;
    if (Below(8) != 0) options.reason = "r";
    if (auto* erase = std::get_if<EraseMemories>(&command)) {
      auto erased = (*engine).Erase(caller, std::move(*erase), options);
      if (!erased) return std::unexpected(erased.error());
      return std::move(erased->outcome);
    }
    auto done = engine.Do(std::move(command), std::move(options), caller);
    if (!done) return done;
    for (const MemoryOutcome& memory : done->memories) {
      if (memory.created) ids_.push_back(memory.id);
    }
    passes_.push_back(done->seq);
    return done;
  }

 private:
  template <typename T>
  T OneOf(std::initializer_list<T> some) {
    return *(some.begin() + Below(some.size()));
  }
  bool Rarely() { return Below(6) == 0; }
  Uuid Id() { return ids_.empty() ? Uuid{} : ids_[Below(ids_.size())]; }
  Principal Caller();
  ScopePath Scope();
  std::string Object();
  std::optional<Micros> Day();
  std::optional<Evidence> Support(Micros now);
  FactDraft Draft(Micros now);
  NoteDraft Words();
  Refusing Reach(Micros now);
  Command Next(const LogHead& head);
  Command Review(Micros now);
  Command Describe(Micros now);
  Command Rare(Micros now);

  std::mt19937_64 generator_;
  std::vector<Uuid> ids_;
  std::vector<Seq> passes_;
  Seq last_ = 0;
};

}  // namespace perdure::testing
