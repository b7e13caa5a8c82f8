// A real small disk, filled by somebody else at random moments.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <chrono>
#include <fstream>
#include <random>
#include <thread>

#include "engine/log/verify.h"
#include "engine/replay/replay.h"
#include "index/search/fake_embedder.h"
#include "index/search/search_service.h"
#include "support/byte_scanner.h"
#include "support/random_commands.h"
#include "support/test_engine.h"

namespace perdure {
namespace {

using std::chrono::steady_clock;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::RandomCommands;
using testing::TestEngine;
using testing::With;

// 48 MiB of memory as a disk of its own, where mounting is permitted.
class SmallDisk {
 public:
  SmallDisk() { mounted_ = mount("none", place_.path().c_str(), "tmpfs", 0, "size=48m") == 0; }
  ~SmallDisk() {
    if (mounted_) umount2(place_.path().c_str(), MNT_DETACH);
  }
  bool IsThere() const { return mounted_; }
  const std::string& path() const { return place_.path(); }

  void Fill() {
    std::ofstream ballast(place_ / "ballast", std::ios::binary);
    const std::string block(4096, 'b');
    while (ballast.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
    }
  }
  void Free() { std::filesystem::remove(place_ / "ballast"); }

 private:
  testing::TempDir place_;
  bool mounted_ = false;
};

class FullDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!disk_.IsThere()) GTEST_SKIP() << "mounting a file system is not permitted here";
    engine_.emplace(1, disk_.path());
    OpenSearch();
  }
  void TearDown() override {
    search_.reset();
    engine_.reset();
  }
  void OpenSearch() {
    SearchOptions options;
    options.directory = engine_->dir() / "index";
    options.checkpoint_entries = 30;
    auto opened =
        SearchService::Open(**engine_, std::make_unique<testing::FakeEmbedder>(model_), options);
    ASSERT_THAT(opened, IsOk());
    search_ = std::move(*opened);
    ASSERT_THAT((*engine_)->ResumeErasures(), IsOk());
  }
  // One command; what fails must say that the disk is full.
  bool Step() {
    engine_->clock().Advance(static_cast<Micros>(commands_.Below(3'000'000)));
    Command command = commands_.Next((*engine_)->Visible(kMainSpace).time);
    Result<WriteOutcome> done = Fail(Code::kInternal, "");
    if (auto* erase = std::get_if<EraseMemories>(&command)) {
      const auto erased = (*engine_)->Erase(With(kOperator), std::move(*erase), {});
      done = erased ? Result<WriteOutcome>(erased->outcome) : std::unexpected(erased.error());
    } else {
      if (auto* store = std::get_if<StoreMemories>(&command)) {
        words_.push_back("word" + std::to_string(words_.size()) + "x");
        store->memories[0].text += " " + words_.back() + std::string(3000, ' ');
      }
      const bool stores = std::holds_alternative<StoreMemories>(command);
      done = engine_->Do(std::move(command));
      if (stores && done) commands_.Learn(done->memories[0].id);
    }
    const bool fell_full = !done && done.error().code == Code::kStorageFull;
    EXPECT_TRUE(done || fell_full || done.error().code != Code::kUnavailable) << done.error();
    return !fell_full;
  }
  SmallDisk disk_;
  std::optional<TestEngine> engine_;
  std::shared_ptr<testing::ModelControls> model_ = std::make_shared<testing::ModelControls>();
  std::unique_ptr<SearchService> search_;
  RandomCommands commands_{5};
  std::vector<std::string> words_;
};

TEST_F(FullDisk, FilledAtRandomMomentsLosesNothingAndGoesOnWithinFiveSecondsOfSpace) {
  std::mt19937_64 random(3);
  int refusals = 0;
  for (int round = 0; round < 8; ++round) {
    const int before = static_cast<int>(random() % 60);
    for (int i = 0; i < before; ++i) static_cast<void>(Step());
    disk_.Fill();
    for (int i = 0; i < 40; ++i) refusals += Step() ? 0 : 1;
    EXPECT_THAT((*engine_)->Read(With(kAgent)), IsOk());
    disk_.Free();
    const auto freed = steady_clock::now();
    while (!Step() && steady_clock::now() - freed < std::chrono::seconds(10)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_LT(steady_clock::now() - freed, std::chrono::seconds(5));
    EXPECT_THAT((*engine_)->WriterState(), IsOk());
  }
  EXPECT_GT(refusals, 20) << "the disk was full, and it was noticed";
  ASSERT_TRUE(search_->WaitUntilIndexed(kMainSpace, std::chrono::seconds(20)))
      << search_->Status().spaces.at(0).failure;
  const auto verified = VerifyLog((*engine_)->store(), kMainSpace, Engine::OriginOf("main"),
                                  (*engine_)->KeysOf(kMainSpace).signing.public_key);
  ASSERT_THAT(verified, IsOk());
  EXPECT_EQ(verified->problem, "");
  const testing::TempDir scratch;
  const auto replayed = Replay(**engine_, scratch / "scratch");
  ASSERT_THAT(replayed, IsOk());
  EXPECT_EQ(replayed->difference, "");
}

TEST_F(FullDisk, AnErasureThatMeetsItCompletesByItselfOnceThereIsSpace) {
  NoteDraft draft = testing::Note("quixotic " + std::string(9000, '.'));
  const Uuid id = engine_->Store(draft);
  for (int i = 0; i < 50; ++i) engine_->Store(testing::Note("other " + std::to_string(i)));
  ASSERT_TRUE(search_->WaitUntilIndexed(kMainSpace, std::chrono::seconds(20)));
  ASSERT_THAT((*engine_)->store().CompactAll(), IsOk());
  const Seq head = (*engine_)->Visible(kMainSpace).seq;
  // Room for the entry in the log, not for what makes the bytes leave.
  disk_.Fill();
  std::filesystem::resize_file(disk_.path() + "/ballast",
                               std::filesystem::file_size(disk_.path() + "/ballast") - 16'384);
  const auto erased = (*engine_)->Erase(With(kOperator), {{id}}, {});
  ASSERT_FALSE(erased);
  EXPECT_EQ(erased.error().code, Code::kStorageFull) << erased.error();
  ASSERT_GT((*engine_)->Visible(kMainSpace).seq, head) << "the erasure is in the log";
  disk_.Free();
  const Seq receipt = (*engine_)->Visible(kMainSpace).seq + 1;
  EXPECT_GE((*engine_)->WaitFor(kMainSpace, receipt, std::chrono::seconds(5)).seq, receipt);
  search_.reset();
  engine_->Close();
  const testing::ByteScanner scanner(engine_->dir().path());
  EXPECT_THAT(scanner.FilesWith("quixotic"), IsEmpty());
  EXPECT_FALSE(scanner.FilesWith("other 7").empty()) << "the scan can see";
}

}  // namespace
}  // namespace perdure
