#include "engine/base/mutex.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

namespace perdure {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kMoment(20);  // in which a thread that may go on would have

TEST(MutexLock, LetsOneThreadInAtATime) {
  Mutex mutex;
  int value = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        for (int i = 0; i < 10'000; ++i) {
          const MutexLock lock(mutex);
          ++value;
        }
      });
    }
  }
  EXPECT_EQ(value, 40'000);
}

TEST(MutexUnlock, LetsOthersInUntilItsEndAfterAnExceptionToo) {
  Mutex mutex;
  int entered = 0;
  const auto enter = [&] {
    const MutexLock lock(mutex);
    ++entered;
  };
  std::jthread late;
  {
    const MutexLock lock(mutex);
    try {
      const MutexUnlock unlocked(mutex);
      std::thread(enter).join();
      throw std::runtime_error("meanwhile");
    } catch (const std::runtime_error&) {
      late = std::jthread(enter);
    }
    std::this_thread::sleep_for(kMoment);
    EXPECT_EQ(entered, 1);
  }
  late.join();
  EXPECT_EQ(entered, 2);
}

TEST(ReaderLock, LetsOtherReadersInAndWritersWait) {
  SharedMutex mutex;
  int value = 0;
  std::jthread writer;
  {
    const ReaderLock lock(mutex);
    std::thread([&] { const ReaderLock other(mutex); }).join();
    writer = std::jthread([&] {
      const WriterLock alone(mutex);
      value = 1;
    });
    std::this_thread::sleep_for(kMoment);
    EXPECT_EQ(value, 0);
  }
  writer.join();
  EXPECT_EQ(value, 1);
}

TEST(CondVar, WaitsUntilThePredicateHoldsAndHoldsTheMutexThen) {
  Mutex mutex;
  CondVar changed;
  int turn = 0;
  const auto play = [&](int mine) {
    for (int i = 0; i < 1000; ++i) {
      const MutexLock lock(mutex);
      changed.Wait(mutex, [&] { return turn % 2 == mine; });
      ++turn;
      changed.NotifyAll();
    }
  };
  {
    const std::jthread first([&] { play(0); });
    const std::jthread second([&] { play(1); });
  }
  EXPECT_EQ(turn, 2000);
}

TEST(CondVar, SaysWhetherThePredicateHeldWhenTheTimeWasUp) {
  Mutex mutex;
  CondVar never;
  const MutexLock lock(mutex);
  EXPECT_FALSE(never.WaitFor(mutex, milliseconds(1), [] { return false; }));
  EXPECT_TRUE(never.WaitFor(mutex, milliseconds(1), [] { return true; }));
  EXPECT_EQ(never.WaitFor(mutex, milliseconds(1)), std::cv_status::timeout);
  const auto past = std::chrono::steady_clock::now() - milliseconds(1);
  EXPECT_FALSE(never.WaitUntil(mutex, past, [] { return false; }));
}

TEST(StoppableCondVar, WaitsNoLongerThanUntilTheStopRequest) {
  Mutex mutex;
  StoppableCondVar changed;
  bool held = true;
  std::jthread waiting([&](const std::stop_token& stop) {
    const MutexLock lock(mutex);
    held = changed.Wait(mutex, stop, [] { return false; });
    changed.Sleep(mutex, stop, std::chrono::hours(1));
  });
  waiting.request_stop();
  waiting.join();
  EXPECT_FALSE(held);
  const MutexLock lock(mutex);
  EXPECT_TRUE(changed.Wait(mutex, {}, [] { return true; }));
}

}  // namespace
}  // namespace perdure
