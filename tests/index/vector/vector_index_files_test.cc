#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "index/vector/vector_index.h"
#include "index/vector/vectors.h"
#include "support/status_matchers.h"
#include "support/temp_dir.h"

namespace perdure {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::TopicVectors;

constexpr std::size_t kDimensions = 16;
constexpr std::uint64_t kCursor = 77;
constexpr auto kReplacing = fs::copy_options::overwrite_existing | fs::copy_options::recursive;

constexpr auto Everything = [](std::uint64_t) { return true; };

VectorIndexOptions SmallOptions() {
  VectorIndexOptions options;
  options.dimensions = kDimensions;
  options.exact_max = 0;
  options.segment_chunks = 2'048;
  return options;
}

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteFile(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::vector<fs::path> FilesOf(const std::string& directory) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::uint64_t BytesOf(const std::string& directory) {
  std::uint64_t bytes = 0;
  for (const auto& file : FilesOf(directory)) bytes += fs::file_size(file);
  return bytes;
}

class VectorFiles : public ::testing::Test {
 protected:
  // Two segments, one with a graph, and a manifest.
  VectorFiles() : vectors_(TopicVectors(2'500, kDimensions, 1)) {
    auto index = *VectorIndex::Open(dir_.path(), SmallOptions());
    for (std::size_t i = 0; i < vectors_.size(); ++i) {
      EXPECT_THAT(index->Add(i, vectors_[i]), IsOk());
    }
    EXPECT_THAT(index->Advance(SIZE_MAX), IsOk());
    EXPECT_THAT(index->Checkpoint(kCursor), IsOk());
  }

  // Opens what is there and expects that it was refused for what `name` has wrong.
  void ExpectRefused(const std::string& name, const std::string& why,
                     const VectorIndexOptions& options = SmallOptions()) const {
    const auto index = VectorIndex::Open(dir_.path(), options);
    ASSERT_THAT(index, IsOk());
    ASSERT_THAT((*index)->discarded(),
                ElementsAre(::testing::AllOf(HasSubstr(name), HasSubstr(why))));
    EXPECT_EQ((*index)->cursor(), 0U);
    EXPECT_EQ((*index)->Stats().chunks, 0U);
    EXPECT_THAT(FilesOf(dir_.path()), IsEmpty());
  }

  testing::TempDir dir_;
  std::vector<std::vector<float>> vectors_;
};

TEST_F(VectorFiles, ComeBackAsTheyWereWritten) {
  const auto index = *VectorIndex::Open(dir_.path(), SmallOptions());
  EXPECT_THAT(index->discarded(), IsEmpty());
  EXPECT_EQ(index->cursor(), kCursor);
  EXPECT_EQ(index->Stats().chunks, vectors_.size());
  EXPECT_LT(index->Stats().tail, Segment::kStepRows);
  for (std::size_t i = 0; i < vectors_.size(); i += 100) {
    EXPECT_EQ(index->Search(vectors_[i], 1, Everything, SIZE_MAX)->front().chunk, i);
  }
  EXPECT_EQ(FilesOf(dir_.path()).size(), 3U);
}

TEST_F(VectorFiles, AreReadableByTheirOwnerOnly) {
  for (const auto& file : FilesOf(dir_.path())) {
    EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  }
}

TEST_F(VectorFiles, AreRefusedByNameWhenABitFlips) {
  const testing::TempDir kept;
  fs::copy(dir_.path(), kept.path(), kReplacing);
  std::mt19937_64 random(2);
  ASSERT_EQ(FilesOf(kept.path()).size(), 3U);
  for (const auto& file : FilesOf(kept.path())) {
    const std::string bytes = ReadFile(file);
    for (int round = 0; round < 12; ++round) {
      fs::copy(kept.path(), dir_.path(), kReplacing);
      std::string flipped = bytes;
      const std::size_t at = round == 0 ? 0 : random() % bytes.size();
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << (random() % 8)));
      WriteFile(dir_ / file.filename().string(), flipped);
      ExpectRefused(file.filename().string(), "SHA-256");
    }
  }
}

TEST_F(VectorFiles, AreRefusedByNameWhenCutOrGone) {
  const testing::TempDir kept;
  fs::copy(dir_.path(), kept.path(), kReplacing);
  ASSERT_EQ(FilesOf(kept.path()).size(), 3U);
  for (const auto& file : FilesOf(kept.path())) {
    const std::string name = file.filename().string();
    const std::string bytes = ReadFile(file);
    for (const std::size_t size : {std::size_t{0}, std::size_t{31}, std::size_t{32},
                                   std::size_t{100}, bytes.size() / 2, bytes.size() - 1}) {
      fs::copy(kept.path(), dir_.path(), kReplacing);
      WriteFile(dir_ / name, bytes.substr(0, size));
      ExpectRefused(name, size < 32 ? "too short" : "SHA-256");
    }
    fs::copy(kept.path(), dir_.path(), kReplacing);
    fs::remove(dir_ / name);
    ExpectRefused(name, "cannot be opened");
  }
}

TEST_F(VectorFiles, OfAnotherModelDimensionOrSegmentSizeAreRefused) {
  const testing::TempDir kept;
  fs::copy(dir_.path(), kept.path(), kReplacing);
  const auto refused = [&](const char* why, auto change) {
    fs::copy(kept.path(), dir_.path(), kReplacing);
    VectorIndexOptions options = SmallOptions();
    change(options);
    ExpectRefused("manifest", why, options);
  };
  refused("another model", [](VectorIndexOptions& o) { o.model_hash[5] = 1; });
  refused("dimensions", [](VectorIndexOptions& o) { o.dimensions = 17; });
  refused("segment size", [](VectorIndexOptions& o) { o.segment_chunks = 1'024; });
}

TEST_F(VectorFiles, OfAnotherGenerationAreRefusedThoughWhole) {
  const auto segment = FilesOf(dir_.path()).front();
  const std::string old_bytes = ReadFile(segment);
  {
    const auto index = *VectorIndex::Open(dir_.path(), SmallOptions());
    ASSERT_THAT(index->Remove(3), IsOk());
    ASSERT_THAT(index->Checkpoint(kCursor + 1), IsOk());
  }
  const auto newer = FilesOf(dir_.path()).front();
  ASSERT_NE(newer, segment);
  WriteFile(newer, old_bytes);
  ExpectRefused(newer.filename().string(), "not the file that the manifest names");
}

TEST_F(VectorFiles, OfAnInterruptedCheckpointAreRemovedAndForeignOnesLeftAlone) {
  WriteFile(dir_ / "0000000000000000-00000000000000ff.segment", "half a file");
  WriteFile(dir_ / "manifest.new", "half a manifest");
  WriteFile(dir_ / "notes.txt", "mine");
  const auto index = *VectorIndex::Open(dir_.path(), SmallOptions());
  EXPECT_THAT(index->discarded(), IsEmpty());
  EXPECT_EQ(index->cursor(), kCursor);
  EXPECT_EQ(FilesOf(dir_.path()).size(), 4U);
  EXPECT_EQ(ReadFile(dir_ / "notes.txt"), "mine");
}

TEST_F(VectorFiles, OfSegmentsThatDidNotChangeAreNotWrittenAgain) {
  const auto before = FilesOf(dir_.path());
  const auto index = *VectorIndex::Open(dir_.path(), SmallOptions());
  ASSERT_THAT(index->Add(2'500, vectors_[9]), IsOk());
  ASSERT_THAT(index->Checkpoint(kCursor + 1), IsOk());
  const auto after = FilesOf(dir_.path());
  ASSERT_EQ(before.size(), after.size());
  EXPECT_EQ(before[0], after[0]);
  EXPECT_NE(before[1], after[1]);
}

TEST_F(VectorFiles, StayAsTheyAreWhenACheckpointFails) {
  auto index = *VectorIndex::Open(dir_.path(), SmallOptions());
  ASSERT_THAT(index->Remove(3), IsOk());
  const fs::path blocker = fs::path(dir_ / "manifest.new");
  fs::create_directory(blocker);
  EXPECT_FALSE(index->Checkpoint(kCursor + 1).has_value());
  EXPECT_EQ(index->cursor(), kCursor);
  fs::remove(blocker);
  {
    const auto reopened = *VectorIndex::Open(dir_.path(), SmallOptions());
    EXPECT_EQ(reopened->cursor(), kCursor);
    EXPECT_EQ(reopened->Stats().removed, 0U);
  }
  EXPECT_THAT(index->Checkpoint(kCursor + 1), IsOk());
  index = *VectorIndex::Open(dir_.path(), SmallOptions());
  EXPECT_EQ(index->cursor(), kCursor + 1);
  EXPECT_EQ(index->Stats().removed, 1U);
}

TEST(VectorFilesGrowth, StaysWithinAConstantOfWhatLives) {
  const testing::TempDir dir;
  VectorIndexOptions options = SmallOptions();
  options.segment_chunks = 8'192;
  auto index = *VectorIndex::Open(dir.path(), options);
  const auto vectors = TopicVectors(2'000, kDimensions, 3);
  constexpr std::uint64_t kLive = 500;
  constexpr std::uint64_t kWrites = 30'500;
  for (std::uint64_t i = 0; i < kWrites; ++i) {
    ASSERT_THAT(index->Add(i, vectors[(i * 7) % vectors.size()]), IsOk());
    if (i >= kLive) {
      ASSERT_THAT(index->Remove(i - kLive), IsOk());
    }
    if (i % 3'000 != 2'999) continue;
    ASSERT_THAT(index->Advance(300), IsOk());
    ASSERT_THAT(index->Checkpoint(i), IsOk());
    index = *VectorIndex::Open(dir.path(), options);
    ASSERT_THAT(index->discarded(), IsEmpty());
    const VectorIndexStats stats = index->Stats();
    EXPECT_EQ(stats.chunks, kLive);
    EXPECT_LE(stats.rows, 2 * kLive + 2);
    constexpr std::uint64_t kBytesAVector = kDimensions * sizeof(float) + 130;
    EXPECT_LE(BytesOf(dir.path()), 2 * kLive * kBytesAVector + 4'096);
    EXPECT_LE(FilesOf(dir.path()).size(), 3U);
  }
}

}  // namespace
}  // namespace perdure
