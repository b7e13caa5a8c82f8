// The threads of the write path over a disk that the test holds and fails, and the decider without
// threads over a group that is not written.
#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "engine/write/sequencer.h"
#include "support/test_engine.h"

namespace perdure {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::Note;
using testing::TestEngine;
using testing::With;

// The engine's store, each write of which waits until the test lets it through or fails it.
class HeldDisk final : public StateWriter {
 public:
  explicit HeldDisk(Store& store) : store_(store) {}

  Status Write(std::span<const Mutation> mutations, bool sync) override {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return passes_ > 0 || broken_; });
    if (broken_) return Fail(Code::kUnavailable, "The disk is broken.");
    --passes_;
    return store_.Write(mutations, sync);
  }
  Status SyncLog() override { return store_.SyncLog(); }

  void WaitForWrite(int number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return arrived_ >= number; });
  }
  void Pass(int writes) {
    const std::lock_guard lock(mutex_);
    passes_ += writes;
    changed_.notify_all();
  }
  void Break() {
    const std::lock_guard lock(mutex_);
    broken_ = true;
    changed_.notify_all();
  }
  int Arrived() {
    const std::lock_guard lock(mutex_);
    return arrived_;
  }

 private:
  Store& store_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
  int passes_ = 0;
  bool broken_ = false;
};

// A sequencer over the space main of an engine whose own one rests.
class Pipeline {
 public:
  Pipeline() {
    sequencer_.emplace(
        Sequencer::Surroundings{engine_->Latest(), disk_, engine_.clock(), engine_.random()},
        SyncPolicy{});
    sequencer_->AddSpace(kMainSpace, Start());
  }
  ~Pipeline() { disk_.Pass(1'000'000); }

  SpaceStart Start() {
    return {{engine_->Visible(kMainSpace), engine_->Tree(kMainSpace)},
            &engine_->KeysOf(kMainSpace),
            OriginTrail("perdure/main")};
  }

  using Answer = std::future<Result<WriteOutcome>>;
  // Submits from a thread of its own and returns once the command is in the queue.
  Answer Submit(Command command, WriteOptions options = {}) {
    const std::size_t before = sequencer_->Depth();
    Answer answer = std::async(std::launch::async,
                               [this, request = WriteRequest{With(kAgent), std::move(command),
                                                             std::move(options)}]() mutable {
                                 return sequencer_->Submit(std::move(request));
                               });
    while (sequencer_->Depth() <= before && !IsReady(answer)) std::this_thread::yield();
    return answer;
  }

  static bool IsReady(const Answer& answer) {
    return answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }

  TestEngine& engine() { return engine_; }
  HeldDisk& disk() { return disk_; }
  Sequencer& operator*() { return *sequencer_; }
  Sequencer* operator->() { return &*sequencer_; }
  void Stop() { sequencer_.reset(); }

 private:
  TestEngine engine_;
  HeldDisk disk_{engine_->store()};
  std::optional<Sequencer> sequencer_;
};

bool IsAnswered(Pipeline::Answer& answer) {
  return answer.wait_for(std::chrono::milliseconds(20)) == std::future_status::ready;
}

TEST(Pipeline, NothingIsAnsweredOrVisibleBeforeItsGroupIsDurable) {
  Pipeline writer;
  const Seq before = writer->Visible().Head(kMainSpace).seq;
  auto first = writer.Submit(StoreMemories{{Note("one")}});
  writer.disk().WaitForWrite(1);
  auto second = writer.Submit(StoreMemories{{Note("two")}});
  EXPECT_FALSE(IsAnswered(first));
  EXPECT_FALSE(IsAnswered(second));
  EXPECT_EQ(writer->Visible().Head(kMainSpace).seq, before);
  EXPECT_EQ(writer.disk().Arrived(), 1) << "the second group waits for the first";
  writer.disk().Pass(1);
  ASSERT_THAT(first.get(), IsOk());
  EXPECT_EQ(writer->Visible().Head(kMainSpace).seq, before + 1);
  writer.disk().WaitForWrite(2);
  EXPECT_FALSE(IsAnswered(second));
  writer.disk().Pass(1);
  ASSERT_THAT(second.get(), IsOk());
  EXPECT_EQ(writer->Visible().Head(kMainSpace).seq, before + 2);
}

TEST(Pipeline, ACommandSeesTheGroupThatIsBeingWritten) {
  Pipeline writer;
  const WriteOptions keyed{.idempotency_key = "k", .request_digest = "d"};
  auto first = writer.Submit(StoreMemories{{Note("text")}}, keyed);
  writer.disk().WaitForWrite(1);
  auto repeated = writer.Submit(StoreMemories{{Note("text")}}, keyed);
  auto again = writer.Submit(StoreMemories{{Note("text")}});
  EXPECT_FALSE(IsAnswered(repeated)) << "its answer stands on what a power cut could take back";
  writer.disk().Pass(2);
  const auto stored = first.get();
  ASSERT_THAT(stored, IsOk());
  const auto same = repeated.get();
  ASSERT_THAT(same, IsOk());
  EXPECT_TRUE(same->repeated);
  EXPECT_EQ(same->seq, stored->seq);
  const auto seen = again.get();
  ASSERT_THAT(seen, IsOk());
  EXPECT_FALSE(seen->memories[0].created);
  EXPECT_EQ(seen->memories[0].id, stored->memories[0].id);
}

TEST(Pipeline, OfTwoRacingEditsInSuccessiveGroupsOneWinsAndTheOtherNamesTheVersion) {
  Pipeline writer;
  writer.disk().Pass(1);
  const Uuid id = writer.Submit(StoreMemories{{Note("v1")}}).get()->memories[0].id;
  auto wins = writer.Submit(EditMemory{id, WholeText{"first"}}, {.expected_version = 1});
  writer.disk().WaitForWrite(2);
  auto loses = writer.Submit(EditMemory{id, WholeText{"second"}}, {.expected_version = 1});
  writer.disk().Pass(2);
  ASSERT_THAT(wins.get(), IsOk());
  EXPECT_THAT(loses.get(), FailsWith(Code::kConflict, HasSubstr("version 2")));
  writer.Stop();
  writer.engine().Reopen();
  EXPECT_EQ(writer.engine().Get(id)->text, "first");
}

TEST(Pipeline, AFailedWriteFailsTheGroupOverItAndStopsTheWriter) {
  Pipeline writer;
  writer.disk().Pass(1);
  const Uuid id = writer.Submit(StoreMemories{{Note("kept")}}).get()->memories[0].id;
  const LogHead durable = writer->Visible().Head(kMainSpace);
  auto failed = writer.Submit(EditMemory{id, WholeText{"lost"}});
  writer.disk().WaitForWrite(2);
  auto over_it = writer.Submit(EditMemory{id, AppendText{" too"}});
  auto dry = writer.Submit(EditMemory{id, AppendText{" dry"}}, {.dry_run = true});
  ASSERT_THAT(writer->State(), IsOk());
  writer.disk().Break();
  EXPECT_THAT(failed.get(), FailsWith(Code::kUnavailable, HasSubstr("broken")));
  EXPECT_THAT(over_it.get(), FailsWith(Code::kUnavailable, HasSubstr("broken")));
  EXPECT_THAT(dry.get(), FailsWith(Code::kUnavailable, HasSubstr("broken")));
  EXPECT_EQ(writer.disk().Arrived(), 2) << "what lay over it never reached the disk";
  EXPECT_THAT(writer->State(), FailsWith(Code::kUnavailable, HasSubstr("broken")));
  EXPECT_EQ(writer->Visible().Head(kMainSpace).seq, durable.seq);
  EXPECT_THAT(writer->Submit({With(kAgent), StoreMemories{{Note("more")}}, {}}),
              FailsWith(Code::kUnavailable, HasSubstr("broken")));
  EXPECT_EQ(writer->Depth(), 0u);
  writer.Stop();
  writer.engine().Reopen();
  EXPECT_EQ(writer.engine().Get(id)->text, "kept");
  EXPECT_EQ(writer.engine()->Visible(kMainSpace).seq, durable.seq);
  EXPECT_THAT(writer.engine().Do(EditMemory{id, AppendText{", and goes on"}}), IsOk());
}

TEST(Pipeline, StoppingAnswersWhatWaits) {
  Pipeline writer;
  std::vector<Pipeline::Answer> answers;
  for (int i = 0; i < 70; ++i) {
    answers.push_back(writer.Submit(StoreMemories{{Note("note " + std::to_string(i))}}));
  }
  EXPECT_EQ(writer->Depth(), 70u);
  auto stopped = std::async(std::launch::async, [&writer] { writer.Stop(); });
  EXPECT_EQ(stopped.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  writer.disk().Pass(70);
  stopped.get();
  std::set<Seq> seqs;
  for (Pipeline::Answer& answer : answers) {
    const auto outcome = answer.get();
    ASSERT_THAT(outcome, IsOk());
    seqs.insert(outcome->seq);
  }
  EXPECT_EQ(seqs.size(), 70u);
  writer.engine().Reopen();
  EXPECT_EQ(writer.engine()->Visible(kMainSpace).seq, *seqs.rbegin());
}

TEST(Pipeline, StoppingEndsWhateverTheThreadsAreAbout) {
  TestEngine engine;
  for (int i = 0; i < 300; ++i) {
    std::optional<Sequencer> sequencer;
    sequencer.emplace(
        Sequencer::Surroundings{engine->Latest(), engine->store(), engine.clock(), engine.random()},
        SyncPolicy{});
    sequencer->AddSpace(kMainSpace, {{engine->Visible(kMainSpace), engine->Tree(kMainSpace)},
                                     &engine->KeysOf(kMainSpace),
                                     OriginTrail("perdure/main")});
    auto answer = std::async(std::launch::async, [&] {
      return sequencer->Submit({With(kAgent), StoreMemories{{Note("text")}}, {.dry_run = true}});
    });
    while (sequencer->Depth() == 0 && !Pipeline::IsReady(answer)) std::this_thread::yield();
    sequencer.reset();
    EXPECT_THAT(answer.get(), IsOk());
  }
}

TEST(Decider, GroupsOverAGroupNotWrittenGiveTheBytesOfGroupsWrittenOneByOne) {
  std::vector<std::vector<std::pair<std::string, std::optional<std::string>>>> rows(2);
  for (const bool stacked : {false, true}) {
    TestEngine engine;
    Decider decider(engine->Latest(), engine.clock(), engine.random());
    decider.AddSpace(kMainSpace, {{engine->Visible(kMainSpace), engine->Tree(kMainSpace)},
                                  &engine->KeysOf(kMainSpace),
                                  OriginTrail("perdure/main")});
    std::shared_ptr<Group> below;
    const auto write = [&](Group& group) {
      ASSERT_THAT(engine->store().Write(group.state.mutations(), true), IsOk());
      for (const Mutation& m : group.state.mutations()) rows[stacked].emplace_back(m.key, m.value);
    };
    for (int i = 0; i < 20; ++i) {
      const auto group = decider.Begin(below);
      for (const char* text : {"same", "other"}) {
        const auto command = std::make_shared<Waiting>(
            WriteRequest{With(kAgent), StoreMemories{{Note(text + std::to_string(i / 2))}}, {}});
        decider.Decide(*group, command);
        ASSERT_THAT(command->answer, IsOk());
        EXPECT_EQ(command->answer->memories[0].created, i % 2 == 0);
      }
      if (below) write(*below);
      decider.Close(*group);
      if (!stacked) write(*group);
      below = stacked ? group : nullptr;
    }
    if (below) write(*below);
  }
  EXPECT_FALSE(rows[0].empty());
  EXPECT_EQ(rows[0], rows[1]);
}

}  // namespace
}  // namespace perdure
