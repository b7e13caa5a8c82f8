// A store of the bench's own.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.h"
#include "tools/bench/texts.h"

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

// Appends entries until there are `entries`: `notes` notes of `words` words, then pins and unpins.
Status FillLog(Engine& engine, std::uint64_t entries, std::uint64_t notes, std::size_t words);

}  // namespace perdure::bench
