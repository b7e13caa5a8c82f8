#include "engine/transfer/restore.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "engine/apply/memory_fold.h"
#include "engine/decide/refusal.h"
#include "engine/facts/fact_engine.h"
#include "engine/log/verify.h"
#include "engine/replay/replay.h"
#include "engine/storage/backup.h"
#include "engine/transfer/adopt.h"
#include "support/random_commands.h"

namespace perdure {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::IsRefusedBy;
using testing::Note;
using testing::TempDir;
using testing::TestEngine;
using testing::With;

const Principal kAll = With(kAgent | kReviewer | kOperator);

// A store, its backups, and what was restored from them.
class Restore : public ::testing::Test {
 protected:
  Restore() { Grow(5); }

  void Grow(int count) {
    for (int i = 0; i < count; ++i) source_.Store(Note(fmt::format("text {}", texts_++)));
  }
  std::uint32_t Back() {
    const auto made = BackUp(source_->store(), files_ / "backups");
    EXPECT_THAT(made, IsOk());
    return made ? made->number : 0;
  }
  RestoreOptions Options(const std::string& name) {
    return {.backups = files_ / "backups",
            .number = {},
            .keys = source_.dir() / "keys",
            .directory = files_ / name,
            .as_of = {},
            .as_of_seq = {},
            .tombstones = {}};
  }
  Result<RestoreReport> Run(const RestoreOptions& options) {
    auto report = RestoreStore(options, source_.clock(), source_.random());
    if (report) {
      auto opened =
          Engine::Open({.directory = options.directory}, source_.clock(), source_.random());
      EXPECT_THAT(opened, IsOk());
      restored_ = opened ? std::move(*opened) : nullptr;
    }
    return report;
  }
  Tombstones Since(Seq since) {
    std::ostringstream out;
    EXPECT_THAT(WriteTombstones(*source_, kMainSpace, since, out), IsOk());
    std::istringstream in(out.str());
    const auto read = ReadTombstones(in);
    EXPECT_THAT(read, IsOk());
    return read ? *read : Tombstones{};
  }
  Uuid Hold(const std::string& text) { return source_.Store(Note(text)); }
  void Reject(const Uuid& id) {
    ASSERT_THAT(source_.Do(MoveState{id, Transition::kForget, Refusing{}}), IsOk());
  }
  fb::MemoryState StateOf(const Uuid& id) {
    return (*ReadMemory(restored_->Latest(), kMainSpace, id))->state;
  }
  Result<WriteOutcome> Enter(const std::string& text) {
    return restored_->Write(kAll, StoreMemories{{Note(text)}}, {});
  }
  void ExpectSound() {
    const auto replayed = Replay(*restored_, files_ / "replay");
    ASSERT_THAT(replayed, IsOk());
    EXPECT_EQ(replayed->difference, "");
    for (const SpaceInfo& space : restored_->Spaces()) {
      const auto verified = VerifyLog(restored_->store(), space.id, Engine::OriginOf(space.name),
                                      restored_->KeysOf(space.id).signing.public_key);
      ASSERT_THAT(verified, IsOk());
      EXPECT_EQ(verified->first_bad, 0u) << verified->problem;
      EXPECT_GE(verified->tree_heads, 1u);
    }
  }

  int texts_ = 0;
  TempDir files_;
  TestEngine source_;
  std::unique_ptr<Engine> restored_;
};

TEST_F(Restore, GivesTheLogOfTheBackupAndThenAnEntryThatSaysSo) {
  const LogHead head = source_->Visible(kMainSpace);
  ASSERT_EQ(Back(), 1u);
  Grow(3);  // not in it
  const auto report = Run(Options("back"));
  ASSERT_THAT(report, IsOk());
  ASSERT_EQ(report->logs.size(), 2u);
  const LogHead now = restored_->Visible(kMainSpace);
  EXPECT_EQ(now.seq, head.seq + 1);
  const Entry marked = *ReadEntry(restored_->Latest(), kMainSpace, now.seq);
  ASSERT_EQ(marked->event_type(), fb::Event::LogRestored);
  EXPECT_EQ(marked->event_as_LogRestored()->head_seq(), head.seq);
  EXPECT_EQ(FromDigest(*marked->event_as_LogRestored()->head_hash()), head.hash);
  EXPECT_EQ(FromDigest(*marked->prev_hash()), head.hash);
  const std::string origin = *restored_->Origin({kMainSpace, "main"});
  EXPECT_NE(origin, *source_->Origin({kMainSpace, "main"}));
  EXPECT_TRUE(origin.starts_with("perdure/main/"));
  EXPECT_EQ(report->logs[1].origin, origin);
  ASSERT_THAT(Enter("more"), IsOk());
  ExpectSound();
}

TEST_F(Restore, TwiceFromOneBackupAreTwoLogs) {
  Back();
  ASSERT_THAT(Run(Options("one")), IsOk());
  const std::string one = *restored_->Origin({kMainSpace, "main"});
  ASSERT_THAT(Run(Options("two")), IsOk());
  EXPECT_NE(*restored_->Origin({kMainSpace, "main"}), one);
}

TEST_F(Restore, OfAnEarlierBackupIsPossibleAndLaterOnesShareItsFiles) {
  Back();
  Grow(2);
  ASSERT_EQ(Back(), 2u);
  ASSERT_EQ(BackupsIn(files_ / "backups")->size(), 2u);
  RestoreOptions first = Options("first");
  first.number = 1;
  ASSERT_THAT(Run(first), IsOk());
  EXPECT_EQ(restored_->Visible(kMainSpace).seq, 6u);
  ASSERT_THAT(Run(Options("last")), IsOk());
  EXPECT_EQ(restored_->Visible(kMainSpace).seq, 8u);
}

TEST_F(Restore, AsOfAnEntryOrATimeCutsTheLogThere) {
  const Micros then = source_->Visible(kMainSpace).time;
  source_.clock().Advance(1'000'000);
  const Uuid later = Hold("later");
  const Uuid erased = Hold("secret");
  RestoreOptions by_seq = Options("by-seq");
  ASSERT_THAT(source_->Erase(kAll, {{erased}}, {}), IsOk());
  Back();
  by_seq.as_of_seq = 7;  // both are there, and the erasure is not
  ASSERT_THAT(Run(by_seq), IsOk());
  EXPECT_EQ(StateOf(later), fb::MemoryState::live);
  EXPECT_EQ(StateOf(erased), fb::MemoryState::erased);
  ExpectSound();
  RestoreOptions by_time = Options("by-time");
  by_time.as_of = then;
  const auto report = Run(by_time);
  ASSERT_THAT(report, IsOk());
  EXPECT_EQ(report->logs[1].restored_seq, 6u);
  EXPECT_FALSE(*ReadMemory(restored_->Latest(), kMainSpace, later));
  ExpectSound();
}

TEST_F(Restore, WithATombstoneBundleKeepsOutWhatWasRejectedAndErasedSince) {
  const Uuid rejected = Hold("The sky is green");
  const Uuid erased = Hold("secret");
  const Uuid kept = Hold("harmless");
  const Seq since = source_->Visible(kMainSpace).seq;
  Back();
  NoteDraft scoped = Note("Only here");
  scoped.scope = ScopePath{{"new", "place"}, "alice", "", ""};
  const Uuid young = source_.Store(scoped);
  Reject(young);
  Reject(rejected);
  ASSERT_THAT(source_->Erase(kAll, {{erased}}, {}), IsOk());
  ASSERT_THAT(Run(Options("control")), IsOk());
  EXPECT_EQ(StateOf(rejected), fb::MemoryState::live);
  EXPECT_THAT(Enter("the sky is GREEN"), IsOk());
  RestoreOptions options = Options("back");
  options.tombstones = {Since(since)};
  const auto report = Run(options);
  ASSERT_THAT(report, IsOk());
  EXPECT_EQ(report->carried.back().erased, 1u);
  EXPECT_EQ(report->carried.back().suppressed, 2u);
  EXPECT_EQ(StateOf(rejected), fb::MemoryState::forgotten);
  EXPECT_EQ(StateOf(erased), fb::MemoryState::erased);
  EXPECT_EQ(StateOf(kept), fb::MemoryState::live);
  EXPECT_THAT(Enter("the sky is GREEN"), IsRefusedBy(Rule::kSuppressed));
  EXPECT_THAT(Enter("Only here"), IsOk());  // elsewhere it may be said
  EXPECT_THAT(restored_->Write(kAll, StoreMemories{{scoped}}, {}), IsRefusedBy(Rule::kSuppressed));
  const LogHead head = restored_->Visible(kMainSpace);
  const auto again = CarryTombstones(*restored_, options.tombstones[0]);
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(again->suppressed + again->erased + again->forgotten, 0u);
  EXPECT_EQ(restored_->Visible(kMainSpace).seq, head.seq);
  ExpectSound();
}

TEST_F(Restore, WithATombstoneBundleLiftsWhatWasLiftedSince) {
  const Uuid early = Hold("early");
  Reject(early);
  const Seq since = source_->Visible(kMainSpace).seq;
  Back();
  const Uuid late = Hold("late");
  Reject(late);
  const auto view = source_->Read(kAll);
  for (Seq seq = 1; seq <= source_->Visible(kMainSpace).seq; ++seq) {
    if ((*ReadEntry(source_->Latest(), kMainSpace, seq))->event_type() !=
        fb::Event::ValueSuppressed) {
      continue;
    }
    ASSERT_THAT(source_.Do(LiftSuppression{seq}, {.reason = "true after all"}), IsOk());
  }
  RestoreOptions options = Options("back");
  options.tombstones = {Since(since)};
  const auto report = Run(options);
  ASSERT_THAT(report, IsOk());
  EXPECT_EQ(report->carried.back().lifted, 1u);
  EXPECT_EQ(report->carried.back().suppressed, 0u);
  EXPECT_THAT(Enter("early"), IsOk());
  EXPECT_THAT(Enter("late"), IsOk());
}

TEST_F(Restore, RefusesATargetThatIsInUseMissingKeysAndDamagedFiles) {
  Back();
  std::filesystem::create_directory(files_ / "full");
  std::ofstream(files_ / "full/file") << "x";
  EXPECT_THAT(Run(Options("full")), FailsWith(Code::kConflict, HasSubstr("not empty")));
  RestoreOptions keyless = Options("keyless");
  keyless.keys = files_ / "nowhere";
  EXPECT_THAT(Run(keyless), FailsWith(Code::kNotFound, HasSubstr("key files")));
  TestEngine other(7);
  RestoreOptions foreign = Options("foreign");
  foreign.keys = other.dir() / "keys";
  EXPECT_FALSE(Run(foreign));
  RestoreOptions none = Options("none");
  none.backups = files_ / "nothing";
  EXPECT_THAT(Run(none), FailsWith(Code::kNotFound, HasSubstr("no backup")));
  for (const auto& file : std::filesystem::directory_iterator(files_ / "backups/shared_checksum")) {
    std::fstream bytes(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekg(100);
    const char was = static_cast<char>(bytes.get());
    bytes.seekp(100);
    bytes.put(static_cast<char>(was ^ 1));
  }
  EXPECT_THAT(Run(Options("damaged")), FailsWith(Code::kCorrupt, HasSubstr("Verifying")));
  for (const char* name : {"keyless", "foreign", "none", "damaged", "damaged.restoring"}) {
    EXPECT_FALSE(std::filesystem::exists(files_ / name)) << name;
  }
}

TEST_F(Restore, FromABackupThatWasMadeDuringWritesHoldsAWholeBeginningOfTheLog) {
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (int i = 0; !done; ++i) source_.Store(Note(fmt::format("during {}", i)));
  });
  for (int i = 0; i < 5; ++i) Back();
  done = true;
  writer.join();
  for (std::uint32_t number = 1; number <= 5; ++number) {
    RestoreOptions options = Options(fmt::format("back-{}", number));
    options.number = number;
    ASSERT_THAT(Run(options), IsOk());
    ExpectSound();
    std::filesystem::remove_all(files_ / "replay");
  }
}

TEST_F(Restore, ABundleWithAFlippedBitIsRefused) {
  Reject(Hold("The sky is green"));
  std::ostringstream out;
  ASSERT_THAT(WriteTombstones(*source_, kMainSpace, 3, out), IsOk());
  const std::string bytes = out.str();
  const auto read = [](const std::string& text) {
    std::istringstream in(text);
    return ReadTombstones(in);
  };
  ASSERT_THAT(read(bytes), IsOk());
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_THAT(read(flipped), FailsWith(Code::kCorrupt, HasSubstr("Line"))) << "bit " << bit;
  }
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(read(bytes.substr(0, size))) << size;
  }
}

TEST_F(Restore, ABundleOfAnotherLogIsRefused) {
  TestEngine other(7);
  other.Store(Note("text"));
  other.Store(Note("more"));
  std::ostringstream out;
  ASSERT_THAT(WriteTombstones(*other, kMainSpace, 1, out), IsOk());
  std::istringstream in(out.str());
  const auto foreign = ReadTombstones(in);
  ASSERT_THAT(foreign, IsOk());
  EXPECT_THAT(CarryTombstones(*source_, *foreign),
              FailsWith(Code::kForbidden, HasSubstr("no key of this space")));
  EXPECT_THAT(CarryTombstones(*source_, *foreign, {foreign->verifier_key}),
              FailsWith(Code::kConflict, HasSubstr("another log")));
  EXPECT_THAT(CarryTombstones(*source_, Since(0)), IsOk());
  EXPECT_FALSE(WriteTombstones(*source_, kMainSpace, 99, out));
}

}  // namespace
}  // namespace perdure
