#include "index/text/reader_pool.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/status_matchers.h"
#include "support/temp_dir.h"

namespace perdure {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::TempDir;

// A compaction removes the files of the old database one after the other, while a search may be
// about to open it. Each of them missing, and all, has to send the search to look again.
TEST(ReaderPool, AsksToLookAgainWhereTheDatabaseThatMovedIsHalfRemoved) {
  const TempDir dir;
  const std::string path = dir / "db.1";
  DiskRevision written{.database = 1};
  {
    const auto writer = DiskWriter::Create(path);
    ASSERT_THAT(writer, IsOk());
    ASSERT_THAT((*writer)->Apply({{}, {}, {{"state", "x"}}}), IsOk());
    written.revision = (*writer)->revision();
  }
  ReaderPool pool;
  pool.Keep(1);
  EXPECT_THAT(pool.Acquire(written, path), IsOk());
  std::size_t tried = 0;
  for (const auto& file : std::filesystem::directory_iterator(path)) {
    const std::string half = dir / "half";
    std::filesystem::copy(path, half);
    std::filesystem::remove(std::filesystem::path(half) / file.path().filename());
    pool.Keep(1);
    const auto opened = pool.Acquire(written, half);
    if (!opened) {
      ++tried;
      EXPECT_THAT(opened, FailsWith(Code::kCorrupt, HasSubstr(file.path().filename().string())));
    }
    pool.Keep(2);
    EXPECT_THAT(pool.Acquire(written, half), FailsWith(Code::kUnavailable, HasSubstr("moved")))
        << file.path();
    std::filesystem::remove_all(half);
  }
  EXPECT_EQ(tried, 3u) << "of the lock and the three files that are always there";
  EXPECT_THAT(pool.Acquire(written, dir / "nothing"),
              FailsWith(Code::kUnavailable, HasSubstr("moved")));
  pool.Keep(1);
  const auto current = pool.Acquire(written, dir / "nothing");
  EXPECT_THAT(current, FailsWith(Code::kCorrupt, HasSubstr("index rebuild"))) << "that is no move";
}

}  // namespace
}  // namespace perdure
