#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "index/vector/vector_index.h"
#include "index/vector/vectors.h"
#include "support/status_matchers.h"
#include "support/temp_dir.h"

namespace perdure {
namespace {

namespace fs = std::filesystem;
using testing::IsOk;

constexpr std::size_t kDimensions = 384;
constexpr std::uint64_t kErased = 123;
constexpr std::uint64_t kControl = 124;

constexpr auto Everything = [](std::uint64_t) { return true; };

// Bytes that this program itself holds in disguise only, so that a scan of its memory finds none
// but the index's own.
class Needle {
 public:
  explicit Needle(std::span<const std::byte> bytes) {
    for (const std::byte b : bytes) hidden_.push_back(b ^ kMask);
  }

  std::size_t CountIn(std::span<const std::byte> haystack) const {
    std::size_t count = 0;
    if (haystack.size() < hidden_.size()) return 0;
    const std::byte first = hidden_[0] ^ kMask;
    for (std::size_t at = 0; at + hidden_.size() <= haystack.size(); ++at) {
      if (haystack[at] != first) continue;
      std::size_t i = 1;
      while (i < hidden_.size() && haystack[at + i] == (hidden_[i] ^ kMask)) ++i;
      count += i == hidden_.size() ? 1 : 0;
    }
    return count;
  }

 private:
  static constexpr std::byte kMask{0x5a};
  std::vector<std::byte> hidden_;
};

void Wipe(std::vector<float>& vector) {
  explicit_bzero(vector.data(), vector.size() * sizeof(float));
}

// A tenth of the vector, and of its code, is enough to betray it.
Needle VectorNeedle(std::vector<float> vector) {
  Needle needle(std::as_bytes(std::span(vector).first(39)));
  Wipe(vector);
  return needle;
}

Needle CodeNeedle(std::vector<float> vector) {
  RowTable rows{RowFormat(kDimensions)};
  rows.Append(vector);
  Wipe(vector);
  Needle needle(std::as_bytes(std::span(rows.CodeOf(0)->values(), 39)));
  rows.MoveLastTo(0);  // overwrites it
  return needle;
}

// Through a mapping, so that the search itself leaves no copy of a file in the heap.
std::size_t CountInFiles(const std::string& directory, const Needle& needle) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    const std::size_t size = entry.file_size();
    const int fd = ::open(entry.path().c_str(), O_RDONLY);
    void* bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    ::close(fd);
    EXPECT_NE(bytes, MAP_FAILED);
    count += needle.CountIn({static_cast<const std::byte*>(bytes), size});
    ::munmap(bytes, size);
  }
  return count;
}

// In all writable memory of this process. Blocks overlap, so one copy may be counted twice.
std::size_t CountInMemory(const Needle& needle) {
  std::ifstream maps("/proc/self/maps");
  const int memory = ::open("/proc/self/mem", O_RDONLY);
  EXPECT_GE(memory, 0);
  std::size_t count = 0;
  std::vector<std::byte> block(1 << 16);
  for (std::string line; std::getline(maps, line);) {
    std::size_t rest = 0;
    const std::uint64_t begin = std::stoull(line, &rest, 16);
    const std::uint64_t end = std::stoull(line.substr(rest + 1), nullptr, 16);
    const bool writable = line.substr(line.find(' ') + 1, 2) == "rw";
    if (!writable || end - begin > std::uint64_t{1} << 30) continue;  // a sanitizer's shadow
    for (std::uint64_t at = begin; at < end; at += block.size() / 2) {
      const auto size = std::min<std::uint64_t>(block.size(), end - at);
      const ssize_t got = ::pread(memory, block.data(), size, static_cast<off_t>(at));
      if (got > 0) count += needle.CountIn(std::span(block).first(static_cast<std::size_t>(got)));
      explicit_bzero(block.data(), block.size());
    }
  }
  ::close(memory);
  return count;
}

std::vector<float> VectorOf(std::uint64_t chunk) {
  std::mt19937_64 random(1'000 + chunk);
  return testing::RandomVector(kDimensions, random);
}

class VectorErasure : public ::testing::Test {
 protected:
  VectorErasure() {
    options_.exact_max = 0;
    options_.segment_chunks = 1'024;
    index_ = *VectorIndex::Open(dir_.path(), options_);
    for (std::uint64_t chunk = 0; chunk < 1'500; ++chunk) {
      auto vector = VectorOf(chunk);
      EXPECT_THAT(index_->Add(chunk, vector), IsOk());
      Wipe(vector);
    }
    EXPECT_THAT(index_->Advance(SIZE_MAX), IsOk());
    EXPECT_THAT(index_->Checkpoint(9), IsOk());
    EXPECT_LT(index_->Stats().tail, 1'500U);
  }

  static constexpr std::uint64_t kOne[] = {kErased};
  testing::TempDir dir_;
  VectorIndexOptions options_;
  std::unique_ptr<VectorIndex> index_;
};

TEST_F(VectorErasure, LeavesNoByteInAnyFileNorInMemory) {
  const Needle erased = VectorNeedle(VectorOf(kErased));
  const Needle erased_code = CodeNeedle(VectorOf(kErased));
  const Needle control = VectorNeedle(VectorOf(kControl));
  const Needle control_code = CodeNeedle(VectorOf(kControl));
  EXPECT_EQ(CountInFiles(dir_.path(), erased), 1U);
  EXPECT_EQ(CountInFiles(dir_.path(), control), 1U);
  EXPECT_GE(CountInMemory(erased), 1U);
  EXPECT_GE(CountInMemory(erased_code), 1U);

  // A reload and one more checkpoint: neither may leave a copy behind either.
  index_.reset();
  index_ = *VectorIndex::Open(dir_.path(), options_);
  ASSERT_THAT(index_->Remove(7), IsOk());
  ASSERT_THAT(index_->Checkpoint(10), IsOk());
  ASSERT_THAT(index_->Erase(kOne), IsOk());

  EXPECT_EQ(CountInFiles(dir_.path(), erased), 0U);
  EXPECT_EQ(CountInFiles(dir_.path(), control), 1U);
  EXPECT_EQ(CountInMemory(erased), 0U);
  EXPECT_EQ(CountInMemory(erased_code), 0U);
  EXPECT_GE(CountInMemory(control_code), 1U);
  EXPECT_GE(CountInMemory(control), 1U);
}

TEST_F(VectorErasure, TakesTheChunkOutOfEveryAnswerAndKeepsTheOthers) {
  ASSERT_THAT(index_->Erase(kOne), IsOk());
  for (const bool reopened : {false, true}) {
    if (reopened) index_ = *VectorIndex::Open(dir_.path(), options_);
    EXPECT_EQ(index_->cursor(), 9U);
    EXPECT_EQ(index_->Stats().chunks, 1'499U);
    EXPECT_LT(index_->Search(VectorOf(kErased), 1, Everything, SIZE_MAX)->front().cosine, 0.99F);
    EXPECT_EQ(index_->Search(VectorOf(kControl), 1, Everything, SIZE_MAX)->front().chunk, kControl);
    ASSERT_THAT(index_->Advance(SIZE_MAX), IsOk());
    EXPECT_EQ(index_->Search(VectorOf(kControl), 1, Everything, SIZE_MAX)->front().chunk, kControl);
  }
}

TEST_F(VectorErasure, WritesOnlyTheSegmentThatItTouches) {
  const auto files = [&] {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(dir_.path())) {
      names.push_back(entry.path().filename());
    }
    std::ranges::sort(names);
    return names;
  };
  const auto before = files();
  ASSERT_THAT(index_->Erase(kOne), IsOk());
  const auto after = files();
  ASSERT_EQ(before.size(), 3U);
  ASSERT_EQ(after.size(), 3U);
  EXPECT_NE(before[0], after[0]);
  EXPECT_EQ(before[1], after[1]);
}

TEST_F(VectorErasure, KeepsAVectorThatAnotherChunkHasToo) {
  ASSERT_THAT(index_->Add(1'600, VectorOf(kErased)), IsOk());
  ASSERT_THAT(index_->Add(200, VectorOf(kErased)), IsOk());
  ASSERT_THAT(index_->Erase(kOne), IsOk());
  const auto hits = index_->Search(VectorOf(kErased), 2, Everything, SIZE_MAX);
  ASSERT_THAT(hits, IsOk());
  EXPECT_EQ((*hits)[0].chunk, 200U);
  EXPECT_EQ((*hits)[1].chunk, 1'600U);
}

TEST_F(VectorErasure, IsFinishedByTheNextCallWhenTheFilesCouldNotBeWritten) {
  const Needle erased = VectorNeedle(VectorOf(kErased));
  const fs::path blocker = fs::path(dir_ / "manifest.new");
  fs::create_directory(blocker);
  EXPECT_FALSE(index_->Erase(kOne).has_value());
  EXPECT_EQ(CountInFiles(dir_.path(), erased), 1U);
  fs::remove(blocker);
  EXPECT_THAT(index_->Erase({}), IsOk());
  EXPECT_EQ(CountInFiles(dir_.path(), erased), 0U);
  EXPECT_EQ(CountInFiles(dir_.path(), VectorNeedle(VectorOf(kControl))), 1U);
}

TEST_F(VectorErasure, OfAllOfASegmentRemovesItsFile) {
  std::vector<std::uint64_t> second;
  for (std::uint64_t chunk = 1'024; chunk < 1'500; ++chunk) second.push_back(chunk);
  ASSERT_THAT(index_->Erase(second), IsOk());
  EXPECT_EQ(index_->Stats().segments, 1U);
  EXPECT_EQ(CountInFiles(dir_.path(), VectorNeedle(VectorOf(1'030))), 0U);
  index_ = *VectorIndex::Open(dir_.path(), options_);
  EXPECT_TRUE(index_->discarded().empty());
  EXPECT_EQ(index_->Stats().chunks, 1'024U);
}

TEST_F(VectorErasure, OfAnUnknownChunkChangesNothing) {
  const auto digest = index_->GraphDigest();
  const std::vector<std::uint64_t> unknown = {1'023'000, 1'501, UINT64_MAX};
  EXPECT_THAT(index_->Erase(unknown), IsOk());
  EXPECT_EQ(index_->GraphDigest(), digest);
}

}  // namespace
}  // namespace perdure
