// A simulated house holds what the product promises, whatever happens in it; and the simulation
// sees each of the bugs that can be planted there.
//
// PERDURE_NIGHTLY=1 runs 20,000 seeds instead of 500.
#include "simulation/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace perdure::simulation {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(Simulation, HoldsWhateverHappens) {
  const char* nightly = std::getenv("PERDURE_NIGHTLY");
  const bool is_nightly = nightly != nullptr && std::strtoull(nightly, nullptr, 10) != 0;
  const std::uint64_t seeds = is_nightly ? 20'000 : 500;
  Figures figures;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const RunResult result = RunChecked({.seed = seed});
    ASSERT_THAT(result.violations, IsEmpty())
        << "build/release/tests/simulation/simulate --seed " << seed << " -v";
    figures += result.figures;
  }
  std::printf("%llu seeds: %s\n", static_cast<unsigned long long>(seeds),
              Describe(figures).c_str());
  EXPECT_GT(figures.power_cuts, seeds);
  EXPECT_GT(figures.conflicts, seeds / 4);
  EXPECT_GT(figures.repeats, seeds);
  EXPECT_GT(figures.recoveries, seeds / 10);
}

TEST(Simulation, IsTheSameForTheSameSeedAndAnotherForAnother) {
  EXPECT_EQ(RunOnce({.seed = 7}).digest, RunOnce({.seed = 7}).digest);
  EXPECT_NE(RunOnce({.seed = 7}).digest, RunOnce({.seed = 8}).digest);
}

// --- Controls: each bug is seen, for what it is --------------------------------------------------

struct Control {
  Plant plant;
  const char* kind;  // of the violation
  std::uint64_t seeds;
};

void PrintTo(const Control& control, std::ostream* out) { *out << control.kind; }

class Planted : public ::testing::TestWithParam<Control> {};

TEST_P(Planted, BugIsSeen) {
  const auto& [plant, kind, seeds] = GetParam();
  std::vector<std::string> seen;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    for (std::string& violation : RunOnce({.seed = seed, .plant = plant}).violations) {
      seen.push_back(std::move(violation));
    }
  }
  EXPECT_THAT(seen, Contains(StartsWith(kind)));
}

INSTANTIATE_TEST_SUITE_P(Simulation, Planted,
                         ::testing::Values(Control{Plant::kSyncNever, "lost:", 5},
                                           Control{Plant::kAnswerEarly, "answer:", 5},
                                           Control{Plant::kAnswerEarly, "lost:", 20},
                                           Control{Plant::kWatermarkEarly, "watermark:", 5},
                                           Control{Plant::kOutOfOrder, "order:", 5},
                                           Control{Plant::kTornGroup, "log:", 20},
                                           Control{Plant::kLostWake, "stuck:", 40},
                                           Control{Plant::kSkippingFollower, "follower:", 5}));

// The comparison of two runs of one seed, which 1 % of the seeds get, is what sees these.
TEST(SimulationControl, ARunThatIsNotDeterministicIsSeenWhenItIsRunTwice) {
  ASSERT_TRUE(RunsTwice(100));
  EXPECT_THAT(RunChecked({.seed = 100}).violations, IsEmpty());
  for (const Plant plant : {Plant::kAddressInTrace, Plant::kClockInTrace}) {
    EXPECT_THAT(RunChecked({.seed = 100, .plant = plant}).violations,
                Contains(StartsWith("determinism:")));
  }
}

}  // namespace
}  // namespace perdure::simulation
