// The power goes at any moment, and what was acknowledged is there.
//
// PERDURE_NIGHTLY=1 makes a thousand cuts; PERDURE_SEED=n repeats the store of that seed alone.
#include <gtest/gtest.h>

#include <cstdlib>

#include "engine/power/power_house.h"

namespace perdure {
namespace {

using ::testing::IsEmpty;
using testing::IsOk;
using testing::PowerHouse;

constexpr std::uint64_t kRoundsAStore = 5;

std::uint64_t Number(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

struct Outcome {
  std::vector<std::string> lost;
  std::vector<std::string> wrong;
  std::uint64_t acknowledged = 0;
  std::uint64_t cuts = 0;
};

Outcome CutPower(std::uint64_t seed, SyncPolicy sync) {
  PowerHouse house(seed, sync);
  for (std::uint64_t round = 0; round < kRoundsAStore; ++round) house.Round();
  house.CheckErasures();
  return {house.lost(), house.wrong(), house.acknowledged(), house.cuts()};
}

TEST(PowerCut, LosesNothingThatWasAcknowledgedOrSeen) {
  const std::uint64_t only = Number("PERDURE_SEED", 0);
  const std::uint64_t first = only != 0 ? only : 1;
  const std::uint64_t wanted = Number("PERDURE_NIGHTLY", 0) != 0 ? 1'000 : 50;
  std::uint64_t cuts = 0;
  std::uint64_t acknowledged = 0;
  for (std::uint64_t seed = first; cuts < wanted && (only == 0 || seed == only); ++seed) {
    const Outcome outcome = CutPower(seed, {});
    EXPECT_THAT(outcome.lost, IsEmpty()) << "PERDURE_SEED=" << seed << " repeats it";
    EXPECT_THAT(outcome.wrong, IsEmpty()) << "PERDURE_SEED=" << seed << " repeats it";
    if (HasFailure()) return;
    cuts += outcome.cuts;
    acknowledged += outcome.acknowledged;
  }
  std::printf("figures: %llu cuts, %llu acknowledged commands, none lost\n",
              static_cast<unsigned long long>(cuts), static_cast<unsigned long long>(acknowledged));
}

// The control: the same without sync must be seen to lose, or the test above sees nothing. What is
// left is a first part of the log all the same, and everything else follows from it.
TEST(PowerCut, WithoutSyncIsCaughtLosingWhatWasAcknowledged) {
  constexpr std::uint64_t kStoresMax = 12;
  std::size_t lossy = 0;
  for (std::uint64_t seed = 1; seed <= kStoresMax && lossy < 2; ++seed) {
    const Outcome outcome = CutPower(seed, {.mode = SyncMode::kNever});
    if (!outcome.lost.empty()) ++lossy;
    EXPECT_THAT(outcome.wrong, IsEmpty());
  }
  EXPECT_EQ(lossy, 2u);
}

// The power goes at each call of making a store, one after the other. What is left is a store that
// opens, or none, and then one can be made.
TEST(PowerCut, WhileAStoreIsMadeLeavesAWholeStoreOrNone) {
  std::mt19937_64 random(1);
  std::uint64_t made_later = 0;
  std::uint64_t cuts = 0;
  for (bool finished = false; !finished; ++cuts) {
    testing::Disk& disk = testing::Disk::Get();
    const testing::TempDir parent(testing::InMemory());
    const std::string data = parent / "some/data";
    testing::FakeClock clock;
    testing::SeededRandom bytes;
    disk.Watch(parent.path());
    disk.CutAfter(1 + cuts);
    finished = Engine::Create(data, clock, bytes).has_value();
    if (finished) disk.CutAfter(1);
    EXPECT_THAT(disk.Reboot(random), IsEmpty());
    auto engine = Engine::Open({.directory = data}, clock, bytes);
    EXPECT_TRUE(engine || !finished) << "what was made is there: " << engine.error();
    if (!engine) {
      ++made_later;
      ASSERT_THAT(Engine::Create(data, clock, bytes), IsOk()) << "cut " << cuts;
      engine = Engine::Open({.directory = data}, clock, bytes);
    }
    ASSERT_THAT(engine, IsOk()) << "cut " << cuts;
    EXPECT_THAT((*engine)->Write(testing::With(kAgent), StoreMemories{{testing::Note("a")}}, {}),
                IsOk());
    engine->reset();
    disk.Unwatch();
  }
  EXPECT_GT(made_later, 20u);
}

}  // namespace
}  // namespace perdure
