// One run: a store, its clients and followers, on one thread, under a virtual clock, disk and
// scheduler. Everything follows from the seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulation/plant.h"

namespace perdure::simulation {

struct RunOptions {
  std::uint64_t seed = 1;
  std::uint64_t steps = 0;  // 0: as many as follow from the seed
  Plant plant = Plant::kNone;
  bool prints = false;  // the trace
};

struct Figures {
  std::uint64_t steps = 0;
  std::uint64_t commands = 0;  // taken in by the queue
  std::uint64_t answers = 0;
  std::uint64_t repeats = 0;    // answered from the log for their key
  std::uint64_t conflicts = 0;  // with an expected version
  std::uint64_t refusals = 0;   // with an entry
  std::uint64_t groups = 0;     // that reached the disk
  std::uint64_t entries = 0;
  std::uint64_t failed_writes = 0;
  std::uint64_t power_cuts = 0;
  std::uint64_t kills = 0;
  std::uint64_t closings = 0;
  std::uint64_t recoveries = 0;  // in place, from a full disk
  std::uint64_t clock_jumps = 0;
  std::uint64_t reads = 0;
  std::uint64_t followed = 0;      // entries
  std::uint64_t longest_wait = 0;  // steps until an answer, while the disk worked

  Figures& operator+=(const Figures& other);
};
std::string Describe(const Figures& figures);

struct RunResult {
  std::vector<std::string> violations;  // each begins with its kind and a colon
  std::string digest;                   // of the trace: equal for equal runs
  Figures figures;
};

RunResult RunOnce(const RunOptions& options);

// Runs a seed twice when its turn for that has come, one in a hundred, and says when they differ.
RunResult RunChecked(const RunOptions& options);
bool RunsTwice(std::uint64_t seed);

}  // namespace perdure::simulation
