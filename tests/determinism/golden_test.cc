#include "determinism/golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/random_commands.h"

namespace perdure {
namespace {

using testing::Folded;
using testing::FoldGolden;
using testing::Golden;
using testing::IsOk;
using testing::kFolds;
using testing::NameOf;
using testing::TempDir;
using testing::TestEngine;

std::vector<Golden> Goldens() {
  std::vector<Golden> goldens;
  for (const auto& entry :
       std::filesystem::directory_iterator(PERDURE_SOURCE_DIR "/tests/golden")) {
    const auto golden = testing::ReadGolden(entry.path().string());
    EXPECT_THAT(golden, IsOk()) << entry.path();
    if (golden) goldens.push_back(*golden);
  }
  std::ranges::sort(goldens, {}, &Golden::directory);
  return goldens;
}

TEST(Golden, EveryKindOfEventIsInALogOfThePast) {
  std::set<fb::Event> kinds;
  for (const Golden& golden : Goldens()) {
    const auto folded = FoldGolden(golden, testing::Fold::kInBatches);
    ASSERT_THAT(folded, IsOk()) << golden.directory;
    kinds.insert(folded->kinds.begin(), folded->kinds.end());
  }
  for (const fb::Event kind : fb::EnumValuesEvent()) {
    if (kind == fb::Event::NONE) continue;
    EXPECT_TRUE(kinds.contains(kind))
        << fb::EnumNameEvent(kind)
        << " is in no golden log. Add it to LiveThroughEveryEvent, and a new log beside the old "
           "ones: golden_digest --make tests/golden/NAME";
  }
}

TEST(Golden, FoldsToTheSameProjectionsInEveryWay) {
  const std::vector<Golden> goldens = Goldens();
  ASSERT_FALSE(goldens.empty());
  for (const Golden& golden : goldens) {
    for (const testing::Fold fold : kFolds) {
      const auto folded = FoldGolden(golden, fold);
      ASSERT_THAT(folded, IsOk()) << golden.directory << ' ' << NameOf(fold);
      EXPECT_EQ(folded->projections, golden.projections) << golden.directory << ' ' << NameOf(fold);
      EXPECT_EQ(folded->roots, golden.roots) << golden.directory;
    }
    const auto shorter = FoldGolden(golden, testing::Fold::kInBatches, 1);
    ASSERT_THAT(shorter, IsOk());
    EXPECT_NE(shorter->projections, golden.projections) << "the digest sees no entry";
  }
}

TEST(Golden, ALiveStoreHasTheProjectionsThatItsExportFoldsTo) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const TempDir dir;
    TestEngine engine(seed);
    testing::RandomCommands commands(seed, testing::RandomCommands::About::kFactsToo);
    for (int i = 0; i < 60; ++i) commands.Step(engine);
    testing::LiveThroughEveryEvent(engine);
    for (int i = 0; i < 60; ++i) commands.Step(engine);
    const auto live = testing::WriteGolden(engine, dir / "log");
    ASSERT_THAT(live, IsOk());
    for (const testing::Fold fold : kFolds) {
      const auto folded = FoldGolden(*live, fold);
      ASSERT_THAT(folded, IsOk());
      EXPECT_EQ(folded->projections, live->projections) << "seed " << seed << ' ' << NameOf(fold);
    }
  }
}

}  // namespace
}  // namespace perdure
