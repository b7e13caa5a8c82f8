// A disk that says no: what fails says so, what was acknowledged stays, and reads go on.
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <functional>
#include <thread>

#include "engine/log/verify.h"
#include "engine/replay/replay.h"
#include "support/disk/disk.h"
#include "support/test_engine.h"

namespace perdure {
namespace {

using std::chrono::steady_clock;
using testing::Disk;
using testing::DiskCall;
using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::Note;
using testing::TestEngine;
using testing::With;

// An engine on the disk that fails.
class DiskFault : public ::testing::Test {
 protected:
  DiskFault() : engine_(1, testing::InMemory()) {
    engine_.Close();
    Disk::Get().Watch(engine_.dir().path());
    engine_.Open();
  }
  ~DiskFault() override {
    Disk::Get().SetFault({});
    engine_.Close();
    Disk::Get().Unwatch();
  }

  Result<WriteOutcome> Write(const std::string& text) {
    auto stored = engine_.Do(StoreMemories{{Note(text)}});
    if (stored) acknowledged_.emplace_back(stored->memories[0].id, text);
    return stored;
  }
  void WriteSome(int count = 20) {
    for (int i = 0; i < count; ++i) {
      ASSERT_THAT(Write("note " + std::to_string(next_++) + std::string(500, '.')), IsOk());
    }
  }
  void ExpectReadsGoOn() {
    for (const auto& [id, text] : acknowledged_) {
      const auto memory = engine_.Get(id);
      ASSERT_THAT(memory, IsOk());
      EXPECT_EQ(memory->text, text);
    }
  }
  // Everything acknowledged is there, and the log and its projections are whole.
  void ExpectAllIsWell() {
    ExpectReadsGoOn();
    const auto verified = VerifyLog(engine_->store(), kMainSpace, Engine::OriginOf("main"),
                                    engine_->KeysOf(kMainSpace).signing.public_key);
    ASSERT_THAT(verified, IsOk());
    EXPECT_EQ(verified->problem, "");
    const auto replayed = Replay(*engine_, engine_.dir() / "scratch");
    ASSERT_THAT(replayed, IsOk());
    EXPECT_EQ(replayed->difference, "");
  }
  // Whether writes are taken again within `time`, without a restart.
  bool WritesComeBack(std::chrono::seconds time) {
    const auto end = steady_clock::now() + time;
    while (steady_clock::now() < end) {
      if (Write("after " + std::to_string(next_++))) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  }
  static Disk::Fault Failing(DiskCall failing, std::string ending, int error) {
    return [=](DiskCall call, std::string_view path) {
      return call == failing && path.ends_with(ending) ? error : 0;
    };
  }
  static bool Changes(DiskCall call) { return call != DiskCall::kRead && call != DiskCall::kOpen; }

  TestEngine engine_;
  int next_ = 0;
  std::vector<std::pair<Uuid, std::string>> acknowledged_;
};

TEST_F(DiskFault, AFailedSyncOrWriteOfTheLogStopsTheWriterUntilTheStoreIsOpenedAnew) {
  for (const DiskCall call : {DiskCall::kSync, DiskCall::kWrite}) {
    WriteSome();
    Disk::Get().SetFault(Failing(call, ".log", EIO));
    EXPECT_THAT(Write("lost?"), FailsWith(Code::kUnavailable, HasSubstr("failed")));
    Disk::Get().SetFault({});
    EXPECT_THAT(Write("too late"), FailsWith(Code::kUnavailable, HasSubstr("failed")));
    EXPECT_FALSE(engine_->WriterState());
    EXPECT_FALSE(WritesComeBack(std::chrono::seconds(1))) << "a failed sync is not forgotten";
    ExpectReadsGoOn();
    engine_.Reopen();
    ExpectAllIsWell();
    WriteSome(1);
  }
}

TEST_F(DiskFault, AFailedWriteOfATableFileStopsTheWriterUntilTheStoreIsOpenedAnew) {
  WriteSome();
  Disk::Get().SetFault(Failing(DiskCall::kWrite, ".sst", EIO));
  EXPECT_THAT(engine_->store().Flush(), FailsWith(Code::kUnavailable, HasSubstr("Flushing")));
  Disk::Get().SetFault({});
  EXPECT_THAT(Write("too late"), FailsWith(Code::kUnavailable, HasSubstr("restart")));
  ExpectReadsGoOn();
  engine_.Reopen();
  ExpectAllIsWell();
  WriteSome(1);
}

TEST_F(DiskFault, AFailedReadIsAnErrorAndNoAnswerAndPasses) {
  WriteSome(200);
  ASSERT_THAT(engine_->store().CompactAll(), IsOk());
  engine_.Reopen();
  // Of the last note: opening has read the blocks of the first ones.
  Disk::Get().SetFault(Failing(DiskCall::kRead, ".sst", EIO));
  EXPECT_THAT(engine_.Get(acknowledged_.back().first),
              FailsWith(Code::kUnavailable, HasSubstr("")));
  Disk::Get().SetFault({});
  ExpectAllIsWell();
  WriteSome(1);
}

TEST_F(DiskFault, AReadOnlyDiskIsReadAndSaysSoToWriters) {
  WriteSome();
  const auto read_only = [](DiskCall call, std::string_view) { return Changes(call) ? EROFS : 0; };
  Disk::Get().SetFault(read_only);
  EXPECT_THAT(Write("never"), FailsWith(Code::kUnavailable, HasSubstr("Read-only")));
  ExpectReadsGoOn();
  engine_.Close();
  testing::FakeClock clock;
  testing::SeededRandom random;
  const std::string directory = engine_.dir().path();
  EXPECT_THAT(Engine::Open({.directory = directory}, clock, random),
              FailsWith(Code::kUnavailable, HasSubstr("Read-only")));
  {
    const auto reader = Engine::Open({.directory = directory, .read_only = true}, clock, random);
    ASSERT_THAT(reader, IsOk());
    const auto view = (*reader)->Read(With(kAgent));
    ASSERT_THAT(view, IsOk());
    EXPECT_THAT(view->Get(acknowledged_[0].first), IsOk());
  }
  Disk::Get().SetFault({});
  engine_.Open();
  ExpectAllIsWell();
  WriteSome(1);
}

// The disk is full from some call on: of the log, of a flush, of a compaction, of an erasure.
TEST_F(DiskFault, AFullDiskIsSaidTearsNothingAndIsOverOnceThereIsSpace) {
  std::uint64_t full_calls = 0;
  for (std::uint64_t from = 0; from < 60; from += 1 + from / 8) {
    WriteSome(3);
    const Uuid gone = engine_.Store(Note("gone " + std::to_string(from)));
    std::atomic<std::uint64_t> left = from;
    std::atomic<std::uint64_t> refused = 0;
    Disk::Get().SetFault([&](DiskCall call, std::string_view path) {
      const bool takes_space = call == DiskCall::kWrite || call == DiskCall::kCreate;
      if (!takes_space || path.ends_with("LOG")) return 0;
      if (left > 0 && left-- > 0) return 0;
      ++refused;
      return ENOSPC;
    });
    for (int i = 0; i < 3; ++i) {
      const auto stored = Write("while " + std::to_string(next_++));
      if (!stored) {
        EXPECT_EQ(stored.error().code, Code::kStorageFull) << stored.error();
      }
    }
    const auto erased = engine_->Erase(With(kOperator), {{gone}}, {});
    if (!erased) {
      EXPECT_EQ(erased.error().code, Code::kStorageFull) << erased.error();
    }
    const Status compacted = engine_->store().CompactAll();
    if (!compacted) {
      EXPECT_EQ(compacted.error().code, Code::kStorageFull) << compacted.error();
    }
    ExpectReadsGoOn();
    full_calls += refused;
    Disk::Get().SetFault({});
    ASSERT_TRUE(WritesComeBack(std::chrono::seconds(5))) << "from call " << from;
    EXPECT_THAT(engine_->WriterState(), IsOk());
    const auto again = engine_->Erase(With(kOperator), {{gone}}, {});
    EXPECT_TRUE(again || again.error().code == Code::kErased) << again.error();
  }
  EXPECT_GT(full_calls, 20u);
  ExpectAllIsWell();
  engine_.Reopen();
  ExpectAllIsWell();
}

}  // namespace
}  // namespace perdure
