#include "engine/write/write_queue.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/limits.h"
#include "support/status_matchers.h"

namespace perdure {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;

constexpr std::size_t kGroup = limits::kGroupCommandsMax;

WriteQueue::Time At(int microseconds) {
  return WriteQueue::Time(std::chrono::microseconds(microseconds));
}

WaitingPtr Command() { return std::make_shared<Waiting>(WriteRequest{}); }

void Put(WriteQueue& queue, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) ASSERT_THAT(queue.Put(Command()), IsOk());
}

// What a group takes that nothing closes before.
std::vector<WaitingPtr> TakeGroup(WriteQueue& queue) {
  std::vector<WaitingPtr> group;
  for (;;) {
    const std::vector<WaitingPtr> more = queue.Take(group.size());
    if (more.empty()) return group;
    group.insert(group.end(), more.begin(), more.end());
  }
}

TEST(WriteQueue, GivesCommandsInTheirOrderAtMostAGroupOfThem) {
  for (const std::size_t count : {kGroup - 1, kGroup, kGroup + 1}) {
    WriteQueue queue;
    std::vector<WaitingPtr> all;
    for (std::size_t i = 0; i < count; ++i) {
      all.push_back(Command());
      ASSERT_THAT(queue.Put(all.back()), IsOk());
    }
    std::vector<WaitingPtr> taken = TakeGroup(queue);
    EXPECT_EQ(taken.size(), std::min(count, kGroup));
    const std::vector<WaitingPtr> rest = TakeGroup(queue);
    taken.insert(taken.end(), rest.begin(), rest.end());
    EXPECT_EQ(taken, all);
    EXPECT_EQ(queue.Depth(), count) << "none is answered";
  }
}

TEST(WriteQueue, RefusesWhatIsOverItsMaximumAndAllAfterItsDoorIsClosed) {
  WriteQueue queue;
  Put(queue, limits::kQueueCommandsMax);
  EXPECT_THAT(queue.Put(Command()), FailsWith(Code::kUnavailable, HasSubstr("Too many")));
  EXPECT_EQ(TakeGroup(queue).size(), kGroup);
  EXPECT_THAT(queue.Put(Command()), IsOk());
  queue.CloseDoor();
  EXPECT_THAT(queue.Put(Command()), FailsWith(Code::kUnavailable, HasSubstr("closing")));
  EXPECT_FALSE(queue.Ended()) << "what waits is still decided";
  while (!queue.Empty()) TakeGroup(queue);
  EXPECT_TRUE(queue.Ended());
}

TEST(WriteQueue, CallersAreGatheredOnlyIfTheDiskTakesMuchLongerThanDecidingForThem) {
  for (const bool is_slow_disk : {false, true}) {
    WriteQueue queue;
    for (int i = 0; i < 100; ++i) queue.NotePace(std::chrono::microseconds(10));
    Put(queue, 40);
    TakeGroup(queue);
    queue.StartWriting();
    queue.EndWriting(40, std::chrono::microseconds(is_slow_disk ? 900 : 700), At(0));
    Put(queue, 20);
    ASSERT_FALSE(queue.Take(0).empty());
    EXPECT_EQ(queue.IsDue(4, At(1)), !is_slow_disk) << "others wait to be decided";
    TakeGroup(queue);
    EXPECT_EQ(queue.IsDue(20, At(1)), !is_slow_disk) << "others may come";
    EXPECT_TRUE(queue.IsDue(20, At(450)));
  }
}

TEST(WriteQueue, AGroupIsDueAtOnceWhenNothingIsBeingWritten) {
  WriteQueue queue;
  Put(queue, 1);
  TakeGroup(queue);
  EXPECT_FALSE(queue.IsDue(0, At(5))) << "an empty group is never written";
  EXPECT_TRUE(queue.IsDue(1, At(5)));
}

TEST(WriteQueue, AGroupWaitsForTheOneBefore) {
  WriteQueue queue;
  Put(queue, kGroup + 1);
  TakeGroup(queue);
  queue.StartWriting();
  TakeGroup(queue);
  EXPECT_FALSE(queue.IsDue(1, At(1'000'000)));
  queue.EndWriting(kGroup, std::chrono::milliseconds(1), At(1000));
  EXPECT_EQ(queue.Depth(), 1u);
  EXPECT_FALSE(queue.IsDue(1, At(1000))) << "the callers answered just now may come back";
}

TEST(WriteQueue, AnsweredCallersAreWaitedForUntilTheyAreBackOrHalfTheTimeOfTheDiskHasPassed) {
  WriteQueue queue;
  Put(queue, 3);
  TakeGroup(queue);
  queue.StartWriting();
  queue.EndWriting(3, std::chrono::milliseconds(1), At(1000));
  Put(queue, 2);
  TakeGroup(queue);
  EXPECT_FALSE(queue.IsDue(2, At(1499)));
  EXPECT_TRUE(queue.IsDue(2, At(1500))) << "half of the 1000 that the disk took";
  Put(queue, 1);
  TakeGroup(queue);
  EXPECT_TRUE(queue.IsDue(3, At(1001))) << "all are back";
}

TEST(WriteQueue, OneCallerNeverWaitsForOthers) {
  WriteQueue queue;
  for (int i = 0; i < 3; ++i) {
    Put(queue, 1);
    TakeGroup(queue);
    ASSERT_TRUE(queue.IsDue(1, At(i * 1000)));
    queue.StartWriting();
    queue.EndWriting(1, std::chrono::milliseconds(1), At(i * 1000 + 900));
    EXPECT_EQ(queue.Depth(), 0u);
  }
}

TEST(WriteQueue, AFullGroupAndAClosedDoorWaitForNobody) {
  WriteQueue queue;
  Put(queue, 2 * kGroup);
  TakeGroup(queue);
  queue.StartWriting();
  TakeGroup(queue);
  queue.EndWriting(kGroup, std::chrono::milliseconds(1), At(1000));
  EXPECT_FALSE(queue.IsDue(kGroup - 1, At(1000)));
  EXPECT_TRUE(queue.IsDue(kGroup, At(1000)));
  queue.CloseDoor();
  EXPECT_TRUE(queue.IsDue(kGroup - 1, At(1000)));
}

}  // namespace
}  // namespace perdure
