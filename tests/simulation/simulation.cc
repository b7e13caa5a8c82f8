#include "simulation/simulation.h"

#include <fmt/format.h>

#include <algorithm>

#include "simulation/house.h"

namespace perdure::simulation {

Figures& Figures::operator+=(const Figures& other) {
  steps += other.steps;
  commands += other.commands;
  answers += other.answers;
  repeats += other.repeats;
  conflicts += other.conflicts;
  refusals += other.refusals;
  groups += other.groups;
  entries += other.entries;
  failed_writes += other.failed_writes;
  power_cuts += other.power_cuts;
  kills += other.kills;
  closings += other.closings;
  recoveries += other.recoveries;
  clock_jumps += other.clock_jumps;
  reads += other.reads;
  followed += other.followed;
  longest_wait = std::max(longest_wait, other.longest_wait);
  return *this;
}

std::string Describe(const Figures& f) {
  return fmt::format(
      "{} steps, {} commands, {} answers, {} entries in {} groups; {} repeated, {} conflicts, {} "
      "refused\n{} power cuts, {} kills, {} closings, {} recoveries in place, {} failed writes, {} "
      "clock jumps\n{} reads, {} entries followed; longest wait {} steps",
      f.steps, f.commands, f.answers, f.entries, f.groups, f.repeats, f.conflicts, f.refusals,
      f.power_cuts, f.kills, f.closings, f.recoveries, f.failed_writes, f.clock_jumps, f.reads,
      f.followed, f.longest_wait);
}

RunResult RunOnce(const RunOptions& options) { return House(options).Run(); }

bool RunsTwice(std::uint64_t seed) { return seed % 100 == 0; }

RunResult RunChecked(const RunOptions& options) {
  House first(options);  // stays, so that the second lies elsewhere in memory
  RunResult result = first.Run();
  if (!RunsTwice(options.seed)) return result;
  RunOptions silent = options;
  silent.prints = false;
  const std::string second = House(silent).Run().digest;
  if (second != result.digest) {
    result.violations.push_back(
        fmt::format("determinism: {} the first time, {} the second", result.digest, second));
  }
  return result;
}

}  // namespace perdure::simulation
