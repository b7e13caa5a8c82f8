// The graph is a function of the calls, not of when Advance, Checkpoint and Open came between them.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "index/vector/vector_index.h"
#include "index/vector/vectors.h"
#include "support/status_matchers.h"
#include "support/temp_dir.h"

namespace perdure {
namespace {

using testing::IsOk;
using testing::TopicVectors;

constexpr std::size_t kDimensions = 32;
constexpr std::uint64_t kChunks = 5'000;

constexpr auto Everything = [](std::uint64_t) { return true; };

class SameGraph : public ::testing::Test {
 protected:
  SameGraph() : vectors_(TopicVectors(kChunks, kDimensions, 1)) {
    for (std::size_t i = 0; i < kChunks; i += 9) vectors_[i] = vectors_[i / 2];
  }

  static std::unique_ptr<VectorIndex> Open(const testing::TempDir& dir) {
    VectorIndexOptions options;
    options.dimensions = kDimensions;
    options.exact_max = 0;
    options.segment_chunks = 2'048;
    auto index = VectorIndex::Open(dir.path(), options);
    EXPECT_THAT(index, IsOk());
    EXPECT_TRUE((*index)->discarded().empty());
    return std::move(*index);
  }

  void Add(VectorIndex& index, std::uint64_t from, std::uint64_t to) const {
    for (std::uint64_t i = from; i < to; ++i) {
      ASSERT_THAT(index.Add(i, vectors_[i]), IsOk());
    }
  }

  static std::vector<std::vector<VectorHit>> Answers(const VectorIndex& index) {
    std::vector<std::vector<VectorHit>> answers;
    for (const auto& query : TopicVectors(40, kDimensions, 2)) {
      answers.push_back(*index.Search(query, 20, Everything, SIZE_MAX));
    }
    return answers;
  }

  // An index that saw every chunk in order, then `after`, and caught up at the end.
  std::unique_ptr<VectorIndex> Straight(const testing::TempDir& dir,
                                        const std::function<void(VectorIndex&)>& after = {}) const {
    auto index = Open(dir);
    Add(*index, 0, kChunks);
    if (after) after(*index);
    EXPECT_THAT(index->Advance(SIZE_MAX), IsOk());
    EXPECT_LT(index->Stats().tail, Segment::kStepRows);
    return index;
  }

  std::vector<std::vector<float>> vectors_;
};

TEST_F(SameGraph, ComesOutOfCheckpointsAndReloadsAtAnyPoint) {
  const testing::TempDir dir;
  const auto expected = Straight(dir);
  std::mt19937_64 random(3);
  for (int round = 0; round < 3; ++round) {
    const testing::TempDir other;
    auto index = Open(other);
    std::uint64_t added = 0;
    while (added < kChunks) {
      const std::uint64_t to = std::min(kChunks, added + 1 + random() % 1'500);
      Add(*index, added, to);
      added = to;
      ASSERT_THAT(index->Advance(random() % 2'000), IsOk());
      ASSERT_THAT(index->Checkpoint(added), IsOk());
      Add(*index, added, std::min(kChunks, added + random() % 100));  // lost by the reload
      index.reset();
      index = Open(other);
      ASSERT_EQ(index->cursor(), added);
    }
    ASSERT_THAT(index->Advance(SIZE_MAX), IsOk());
    EXPECT_EQ(index->GraphDigest(), expected->GraphDigest());
    EXPECT_EQ(Answers(*index), Answers(*expected));
    ASSERT_THAT(index->Checkpoint(added), IsOk());
    index.reset();
    index = Open(other);
    EXPECT_EQ(index->GraphDigest(), expected->GraphDigest());
    EXPECT_EQ(Answers(*index), Answers(*expected));
  }
}

TEST_F(SameGraph, ComesOutOfVectorsThatArriveLate) {
  const testing::TempDir dir;
  const auto expected = Straight(dir);
  for (const bool gap_is_told : {true, false}) {
    const testing::TempDir other;
    const auto index = Open(other);
    const std::uint64_t gap = 1'500;
    Add(*index, 0, gap);
    Add(*index, gap + 10, kChunks);
    ASSERT_THAT(index->Advance(SIZE_MAX, gap_is_told ? gap : UINT64_MAX), IsOk());
    EXPECT_NE(index->GraphDigest(), expected->GraphDigest());
    if (gap_is_told) {
      EXPECT_GE(index->Stats().tail, (kChunks - gap) / 2);
    }
    Add(*index, gap, gap + 10);
    ASSERT_THAT(index->Advance(SIZE_MAX), IsOk());
    EXPECT_EQ(index->GraphDigest(), expected->GraphDigest()) << gap_is_told;
    EXPECT_EQ(Answers(*index), Answers(*expected));
  }
}

TEST_F(SameGraph, ComesOutOfRepeatedCalls) {
  const testing::TempDir dir;
  const auto expected = Straight(dir);
  Add(*expected, 1'000, kChunks);  // as a replay from an older cursor does
  const auto before = expected->GraphDigest();
  EXPECT_EQ(*expected->Advance(SIZE_MAX), 0U);
  EXPECT_EQ(expected->GraphDigest(), before);
}

TEST_F(SameGraph, ComesOutOfAnErasureAsIfTheErasedHadNeverBeen) {
  std::vector<std::uint64_t> erased;
  for (std::uint64_t chunk = 3; chunk < kChunks; chunk += 97) erased.push_back(chunk);
  const testing::TempDir dir;
  const auto live = Straight(dir);
  ASSERT_THAT(live->Erase(erased), IsOk());
  ASSERT_THAT(live->Advance(SIZE_MAX), IsOk());

  const testing::TempDir other;
  const auto rebuilt = Open(other);
  for (std::uint64_t i = 0; i < kChunks; ++i) {
    if (i % 97 != 3) {
      ASSERT_THAT(rebuilt->Add(i, vectors_[i]), IsOk());
    }
  }
  ASSERT_THAT(rebuilt->Advance(SIZE_MAX), IsOk());
  EXPECT_EQ(live->GraphDigest(), rebuilt->GraphDigest());
  EXPECT_EQ(Answers(*live), Answers(*rebuilt));
}

TEST_F(SameGraph, ComesOutOfRemovalsBeforeAndAfterTheGraphIsBuilt) {
  const auto remove_some = [](VectorIndex& index) {
    for (std::uint64_t i = 0; i < kChunks; ++i) {
      const bool most = i < 2'048 && i % 10 != 0;  // crowds the first segment
      if (most || i % 3 == 0) {
        ASSERT_THAT(index.Remove(i), IsOk());
      }
    }
  };
  const testing::TempDir dir;
  const auto before = Straight(dir, remove_some);
  const testing::TempDir other;
  const auto after = Straight(other);
  remove_some(*after);
  ASSERT_THAT(after->Advance(SIZE_MAX), IsOk());
  EXPECT_EQ(before->GraphDigest(), after->GraphDigest());
  EXPECT_EQ(Answers(*before), Answers(*after));
  EXPECT_LT(after->Stats().rows, kChunks - 900);  // the crowded segment was compacted
}

TEST_F(SameGraph, DiffersWhenAVectorDiffers) {
  const testing::TempDir dir;
  const testing::TempDir other;
  const auto digest = Straight(dir)->GraphDigest();
  vectors_[100] = TopicVectors(1, kDimensions, 9)[0];
  EXPECT_NE(Straight(other)->GraphDigest(), digest);
}

}  // namespace
}  // namespace perdure
