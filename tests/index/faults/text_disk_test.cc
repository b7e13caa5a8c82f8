// A text index on a disk whose power goes, or that is full for a while.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <random>

#include "index/text/text_index.h"
#include "support/disk/disk.h"
#include "support/status_matchers.h"
#include "support/temp_dir.h"

namespace perdure {
namespace {

using testing::Disk;
using testing::DiskCall;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::TempDir;

constexpr std::uint64_t kWindow = 3;  // chunks that stay

// Entry n of a made-up log adds chunk n and takes chunk n - kWindow away, so that every commit
// writes over blocks. Each tenth one compacts.
class TextDisk : public ::testing::Test {
 protected:
  TextDisk() { Disk::Get().Watch(directory_.path()); }
  ~TextDisk() override {
    Disk::Get().SetFault({});
    index_.reset();
    Disk::Get().Unwatch();
  }

  bool Open() {
    index_.reset();
    auto opened = TextIndex::Open(directory_ / "text");
    if (opened) index_ = std::move(*opened);
    return index_ != nullptr;
  }

  Status Fold(std::uint64_t entry) {
    const std::string text = fmt::format("all entry{} {}", entry, std::string(500, 'x'));
    const TextDocument document{entry, TermsOfDocument({"", "", {}, text})};
    RETURN_IF_ERROR(index_->Add({&document, 1}));
    if (entry <= kWindow) return {};
    const std::uint64_t gone = entry - kWindow;
    return index_->Remove({&gone, 1});
  }
  Status Write(std::uint64_t entry) {
    RETURN_IF_ERROR(index_->Commit(entry));
    return entry % 10 == 0 ? index_->Compact() : Status{};
  }

  void ExpectHolds(std::uint64_t last) {
    std::vector<std::uint64_t> expected;
    for (std::uint64_t n = last < kWindow ? 1 : last - kWindow + 1; n <= last; ++n) {
      expected.push_back(n);
      EXPECT_EQ(Find(fmt::format("entry{}", n)), std::vector{n});
    }
    if (last > kWindow) {
      EXPECT_THAT(Find(fmt::format("entry{}", last - kWindow)), IsEmpty());
    }
    EXPECT_EQ(Find("all"), expected);
    EXPECT_EQ(index_->Stats().current, expected.size());
  }
  std::vector<std::uint64_t> Find(const std::string& query) {
    const auto hits =
        index_->Search(TermsOfQuery(query), 10, false, [](std::uint64_t) { return true; });
    EXPECT_THAT(hits, IsOk());
    std::vector<std::uint64_t> chunks;
    if (!hits) return chunks;
    for (const TextHit& hit : *hits) chunks.push_back(hit.chunk);
    std::ranges::sort(chunks);
    return chunks;
  }

  TempDir directory_{testing::InMemory()};
  std::unique_ptr<TextIndex> index_;
};

// What a commit wrote is what the next start finds, and nothing is taken for damage.
TEST_F(TextDisk, APowerCutLeavesTheLastCommitWhole) {
  std::mt19937_64 random(1);
  ASSERT_TRUE(Open());
  std::uint64_t last = 0;
  std::uint64_t cuts = 0;
  std::uint64_t landed = 0;
  for (std::uint64_t calls = 1; calls < 150; ++calls, ++cuts) {
    Disk::Get().CutAfter(calls);
    std::uint64_t tried = last;
    while (!Disk::Get().IsOff()) {
      ++tried;
      ASSERT_THAT(Fold(tried), IsOk());
      if (Write(tried)) last = tried;
    }
    index_.reset();
    static_cast<void>(Disk::Get().Reboot(random));
    ASSERT_TRUE(Open());
    ASSERT_EQ(index_->discarded(), "") << "cut " << cuts << " after " << calls << " calls";
    const std::uint64_t cursor = index_->cursor();
    ASSERT_TRUE(cursor == last || cursor == tried) << cursor << " is not " << last;
    if (cursor != last) ++landed;
    last = cursor;
    ExpectHolds(last);
  }
  EXPECT_GT(landed, 5u);
  EXPECT_LT(landed, cuts - 5);
}

// It is full from some call on; then there is space again, and the same index goes on.
TEST_F(TextDisk, AFullDiskIsOverOnceThereIsSpace) {
  ASSERT_TRUE(Open());
  std::uint64_t entry = 0;
  std::uint64_t refused = 0;
  for (std::uint64_t free_calls = 0; free_calls < 40; ++free_calls) {
    for (int i = 0; i < 3; ++i) {
      ++entry;
      ASSERT_THAT(Fold(entry), IsOk());
      std::atomic<std::uint64_t> left = free_calls;
      Disk::Get().SetFault([&](DiskCall call, std::string_view) {
        const bool takes_space = call == DiskCall::kWrite || call == DiskCall::kCreate;
        if (!takes_space || (left > 0 && left-- > 0)) return 0;
        return ENOSPC;
      });
      if (!Write(entry)) ++refused;
      ExpectHolds(entry);
      Disk::Get().SetFault({});
      ExpectHolds(entry);
    }
    ASSERT_THAT(Write(entry), IsOk()) << "entry " << entry << ", full after " << free_calls;
    ExpectHolds(entry);
  }
  EXPECT_GT(refused, 10u);
  ASSERT_TRUE(Open());
  EXPECT_EQ(index_->discarded(), "");
  EXPECT_EQ(index_->cursor(), entry);
  ExpectHolds(entry);
}

}  // namespace
}  // namespace perdure
