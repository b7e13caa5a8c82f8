#include "server/http/elastic_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <thread>

namespace perdure {
namespace {

using namespace std::chrono_literals;

TEST(ElasticPoolTest, EveryTaskRunsBeforeShutdownReturns) {
  std::atomic<int> done = 0;
  ElasticPool pool({.threads_max = 4, .waiting_max = 8});
  for (int i = 0; i < 1000; ++i) pool.Submit([&] { ++done; });
  pool.Shutdown();
  EXPECT_EQ(done, 1000);
  EXPECT_EQ(pool.Threads(), 0U);
}

TEST(ElasticPoolTest, ItGrowsWhileAllAreBusyAndNoFurtherThanItsMaximum) {
  std::latch may_end(1);
  ElasticPool pool({.threads_max = 3, .waiting_max = 10});
  EXPECT_EQ(pool.Threads(), 0U);
  for (std::size_t i = 1; i <= 3; ++i) {
    pool.Submit([&] { may_end.wait(); });
    EXPECT_EQ(pool.Threads(), i);
    EXPECT_FALSE(pool.HasWaiting()) << "a thread was made for it, though it may not run yet";
  }
  pool.Submit([&] { may_end.wait(); });
  EXPECT_EQ(pool.Threads(), 3U);
  EXPECT_TRUE(pool.HasWaiting());
  may_end.count_down();
  pool.Shutdown();
  EXPECT_FALSE(pool.HasWaiting());
}

TEST(ElasticPoolTest, SubmitWaitsWhileTooManyWait) {
  std::latch may_end(1);
  std::atomic<int> submitted = 0;
  std::latch two_wait(2);
  ElasticPool pool({.threads_max = 1, .waiting_max = 2});
  std::latch first_runs(1);
  pool.Submit([&] {
    first_runs.count_down();
    may_end.wait();
  });
  first_runs.wait();
  std::jthread submitter([&] {
    for (int i = 0; i < 5; ++i) {
      pool.Submit([] {});
      if (++submitted <= 2) two_wait.count_down();
    }
  });
  two_wait.wait();
  std::this_thread::sleep_for(20ms);  // a third would have had its chance
  EXPECT_EQ(submitted, 2);
  may_end.count_down();
  submitter.join();
  EXPECT_EQ(submitted, 5);
  pool.Shutdown();
}

TEST(ElasticPoolTest, ThreadsWithoutWorkEnd) {
  ElasticPool pool({.threads_max = 4, .waiting_max = 4, .idle = 1ms});
  std::atomic<int> done = 0;
  for (int i = 0; i < 4; ++i) pool.Submit([&] { ++done; });
  while (pool.Threads() > 0) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(done, 4);
  pool.Submit([&] { ++done; });
  pool.Shutdown();
  EXPECT_EQ(done, 5);
}

}  // namespace
}  // namespace perdure
