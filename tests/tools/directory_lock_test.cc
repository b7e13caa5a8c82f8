#include "tools/directory_lock.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "support/status_matchers.h"
#include "support/temp_dir.h"

namespace perdure {
namespace {

using ::perdure::testing::IsOk;
using ::perdure::testing::TempDir;

constexpr std::chrono::milliseconds kNoPatience{0};

TEST(DirectoryLockTest, NamesItsHolderAndItsAddressToOthers) {
  const TempDir data;
  auto first = DirectoryLock::Acquire(data.path(), "serve", kNoPatience);
  ASSERT_THAT(first, IsOk());
  ASSERT_TRUE(first->lock.has_value());

  const auto early = DirectoryLock::Acquire(data.path(), "memory get", kNoPatience);
  ASSERT_THAT(early, IsOk());
  EXPECT_FALSE(early->lock.has_value());
  EXPECT_FALSE(early->holder.TakesCalls());
  EXPECT_EQ(early->holder.pid, getpid());

  ASSERT_THAT(first->lock->Announce("127.0.0.1", 7411), IsOk());
  const auto later = DirectoryLock::Acquire(data.path(), "memory get", std::chrono::minutes(5));
  ASSERT_THAT(later, IsOk());
  EXPECT_FALSE(later->lock.has_value());
  EXPECT_EQ(later->holder.Address(), "http://127.0.0.1:7411");
  EXPECT_EQ(later->holder.verb, "serve");
}

TEST(DirectoryLockTest, IsFreeAgainWhenItsHolderIsGone) {
  const TempDir data;
  {
    auto first = DirectoryLock::Acquire(data.path(), "serve", kNoPatience);
    ASSERT_THAT(first, IsOk());
    ASSERT_THAT(first->lock->Announce("127.0.0.1", 7411), IsOk());
  }
  const auto second = DirectoryLock::Acquire(data.path(), "serve", kNoPatience);
  ASSERT_THAT(second, IsOk());
  EXPECT_TRUE(second->lock.has_value());
}

TEST(DirectoryLockTest, DoesNotBelieveAFileThatNobodyHolds) {
  const TempDir data;
  std::ofstream(data / "lock") << R"({"pid": 1, "verb": "serve", "host": "127.0.0.1", "port": 1})";
  const auto taken = DirectoryLock::Acquire(data.path(), "serve", kNoPatience);
  ASSERT_THAT(taken, IsOk());
  EXPECT_TRUE(taken->lock.has_value());
}

TEST(DirectoryLockTest, WritesAddressesOfIpv6InBrackets) {
  EXPECT_EQ((LockHolder{1, "serve", "::1", 80}.Address()), "http://[::1]:80");
}

}  // namespace
}  // namespace perdure
