// A compaction that moves the index to another database while someone is opening the old one.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "index/text/text_index.h"
#include "support/disk/disk.h"
#include "support/status_matchers.h"
#include "support/temp_dir.h"

namespace perdure {
namespace {

using testing::Disk;
using testing::DiskCall;
using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::TempDir;

constexpr const char* kFiles[] = {"iamglass", "termlist.glass", "postlist.glass"};

class MovedDatabase : public ::testing::Test {
 protected:
  MovedDatabase() { Disk::Get().Watch(directory_.path()); }
  ~MovedDatabase() override {
    Disk::Get().SetFault({});
    Disk::Get().Unwatch();
  }

  // Does `action` just before the next time that a file of this name is opened to be read.
  void Before(const std::string& file, std::function<void()> action) {
    happened_ = false;
    Disk::Get().SetFault([this, file, action = std::move(action)](DiskCall call, auto path) {
      if (call != DiskCall::kOpen || !path.ends_with(file) || happened_) return 0;
      happened_ = true;
      action();
      return 0;
    });
  }

  TempDir directory_{testing::InMemory()};
  bool happened_ = false;
};

// The pool's reader is a new one, or one that was idle since the revision before.
TEST_F(MovedDatabase, IsNoDamageWhicheverFileIsAlreadyGone) {
  for (const char* file : kFiles) {
    for (const bool was_idle : {false, true}) {
      const std::string path = directory_ / (file + std::to_string(was_idle));
      const auto writer = DiskWriter::Create(path);
      ASSERT_THAT(writer, IsOk());
      ReaderPool pool;
      pool.Keep(1);
      ASSERT_THAT((*writer)->Apply({{}, {}, {{"state", "one"}}}), IsOk());
      if (was_idle) {
        auto reader = pool.Acquire({1, (*writer)->revision()}, path);
        ASSERT_THAT(reader, IsOk());
        pool.Release(std::move(*reader));
      }
      ASSERT_THAT((*writer)->Apply({{}, {}, {{"state", "two"}}}), IsOk());
      Before(file, [&] {
        pool.Keep(2);
        std::filesystem::remove(path + "/" + file);
      });
      EXPECT_THAT(pool.Acquire({1, (*writer)->revision()}, path),
                  FailsWith(Code::kUnavailable, HasSubstr("another database")))
          << file << (was_idle ? " idle" : " new");
      EXPECT_TRUE(happened_);
    }
  }
}

// The follower of a log, which must not stop there.
TEST_F(MovedDatabase, IsLookedForAgainByAWriterAndByASearch) {
  const auto index = TextIndex::Open(directory_ / "text");
  ASSERT_THAT(index, IsOk());
  std::uint64_t chunk = 0;
  for (const char* file : kFiles) {
    for (const bool searches : {false, true}) {
      ++chunk;
      const TextDocument document{chunk, TermsOfDocument({"", "", {}, "fox"})};
      ASSERT_THAT((*index)->Add({&document, 1}), IsOk());
      ASSERT_THAT((*index)->Commit(chunk), IsOk());
      Before(file, [&] { EXPECT_THAT((*index)->Compact(), IsOk()); });
      if (searches) {
        const auto hits =
            (*index)->Search(TermsOfQuery("fox"), 10, false, [](std::uint64_t) { return true; });
        ASSERT_THAT(hits, IsOk()) << file;
        ASSERT_EQ(hits->size(), 1u) << file;
        EXPECT_EQ(hits->front().chunk, chunk);
      }
      EXPECT_THAT((*index)->Remove({&chunk, 1}), IsOk()) << file;
      EXPECT_TRUE(happened_);
      Disk::Get().SetFault({});
    }
  }
}

}  // namespace
}  // namespace perdure
