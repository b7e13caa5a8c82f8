// For one rejected value every way in.
#include "engine/facts/path_matrix.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/storage/backup.h"
#include "engine/transfer/adopt.h"
#include "engine/transfer/export.h"
#include "engine/transfer/restore.h"

namespace perdure {
namespace {

using testing::Ends;
using testing::Form;
using testing::IsOk;
using testing::IsRefusedBy;
using testing::Way;
using testing::With;
using testing::World;

void ExpectKeptOut(const Way& way, World& world, const Result<WriteOutcome>& done) {
  switch (way.ends) {
    case Ends::kRefused:
      EXPECT_THAT(done, IsRefusedBy(Rule::kSuppressed));
      EXPECT_GE(world.Refusals(Rule::kSuppressed), 1u);
      break;
    case Ends::kKeptOut:
      ASSERT_THAT(done, IsOk());
      EXPECT_EQ(done->kept_out, 1u);
      break;
    case Ends::kRepeated:
      ASSERT_THAT(done, IsOk());
      EXPECT_TRUE(done->repeated);
      break;
    case Ends::kOverride:
      ASSERT_THAT(done, IsOk());
      EXPECT_EQ(world.Holders(way.comes_as), 1u);
      EXPECT_NE(world.Suppressions().at(0).lifted_seq, 0u);
      return;
  }
}

class PathMatrix : public ::testing::TestWithParam<Form> {};

TEST_P(PathMatrix, NoWayBringsARejectedValueBack) {
  for (const Way& way : testing::AllWays()) {
    SCOPED_TRACE(way.name);
    {
      World control(GetParam());
      way.prepare(control);
      const std::size_t before = control.Holders(way.comes_as);
      const auto done = way.attempt(control);
      ASSERT_THAT(done, IsOk()) << "the way is none";
      const bool moves = way.name == "move in" || way.name.starts_with("give an expired") ||
                         way.name == "move its container in" ||
                         way.name == "delete its container, so that it comes in";
      if (way.ends != Ends::kRepeated && !moves) {
        EXPECT_EQ(control.Holders(way.comes_as), before + 1);
      }
    }
    World world(GetParam());
    way.prepare(world);
    world.Reject();
    const std::size_t before = world.Holders(way.comes_as);
    const auto done = way.attempt(world);
    ExpectKeptOut(way, world, done);
    if (way.ends != Ends::kOverride) {
      EXPECT_EQ(world.Holders(way.comes_as), before);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, PathMatrix, ::testing::Values(Form::kFact, Form::kNote),
                         [](const auto& form) {
                           return std::string(form.param == Form::kFact ? "AsFact" : "AsNote");
                         });

// The files of the world are those of the backup, and its tombstones those of before.
void RestoreInPlace(World& world, const testing::TempDir& files, std::vector<Tombstones> stones) {
  world.Close();
  std::filesystem::copy(world.dir() / "keys", files / "keys");
  std::filesystem::remove_all(world.dir().path());
  RestoreOptions options;
  options.backups = files / "backups";
  options.keys = files / "keys";
  options.directory = world.dir().path();
  options.tombstones = std::move(stones);
  ASSERT_THAT(RestoreStore(options, world.clock(), world.random()), IsOk());
  world.Open();
}

TEST_P(PathMatrix, ABackupOfBeforeTheRejectionBringsItBackOnlyWithoutTombstones) {
  for (const bool with_tombstones : {false, true}) {
    SCOPED_TRACE(with_tombstones);
    const testing::TempDir files;
    World world(GetParam());
    world.Hold();
    const Seq since = (*world).Visible(kMainSpace).seq;
    ASSERT_THAT(BackUp((*world).store(), files / "backups"), IsOk());
    world.Reject();
    std::stringstream bundle;
    ASSERT_THAT(WriteTombstones(*world, kMainSpace, since, bundle), IsOk());
    std::vector<Tombstones> stones;
    if (with_tombstones) stones.push_back(*ReadTombstones(bundle));
    RestoreInPlace(world, files, std::move(stones));
    EXPECT_EQ(world.Holders(fb::MemoryState::live), with_tombstones ? 0u : 1u);
    if (!with_tombstones) continue;
    EXPECT_THAT(world.Enter(), IsRefusedBy(Rule::kSuppressed));
  }
}

TEST(Adoption, OfAnExportMadeBeforeTheRejectionIsNotTakenOverIt) {
  World world(Form::kFact);
  world.Hold();
  const testing::TempDir dir;
  {
    std::ofstream out(dir / "export", std::ios::binary);
    ASSERT_THAT(WriteExport(*world, kMainSpace, out), IsOk());
  }
  world.Reject();
  world.Close();
  EXPECT_FALSE(AdoptExport(world.dir().path(), dir / "export", world.clock(), world.random()));
  world.Open();
  EXPECT_EQ(world.Holders(fb::MemoryState::live), 0u);
  EXPECT_THAT(world.Enter(), IsRefusedBy(Rule::kSuppressed));
}

}  // namespace
}  // namespace perdure
