// A store of the bench's own, and the texts it is filled with.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.h"

namespace perdure::bench {

// An engine in a directory that goes away with it.
class ScratchEngine {
 public:
  explicit ScratchEngine(std::string directory) : directory_(std::move(directory)) {}
  static Result<std::unique_ptr<ScratchEngine>> Make(const std::string& directory);
  ~ScratchEngine();

  Engine& operator*() { return *engine_; }
  Engine* operator->() { return engine_.get(); }
  // Closes and opens again; returns the seconds that the opening took.
  Result<double> Reopen();

 private:
  std::string directory_;
  SystemClock clock_;
  SystemRandom random_;
  std::unique_ptr<Engine> engine_;
};

// A caller with every role.
Principal Everyone();

// Note number `n`: about `words` English words, different for every n, the same in every run.
NoteDraft MakeNote(std::uint64_t n, std::size_t words);

// Appends `entries` entries: notes of `words` words, and about nine times as many pins and unpins,
// so that the log is long and the memories few.
Status FillLog(Engine& engine, std::uint64_t entries, std::size_t words);

}  // namespace perdure::bench
