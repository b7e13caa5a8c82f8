#include "index/vector/vector_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "index/vector/naive_index.h"
#include "index/vector/vectors.h"
#include "support/status_matchers.h"
#include "support/temp_dir.h"

namespace perdure {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::NaiveIndex;
using testing::Recall;
using testing::TopicVectors;

constexpr std::size_t kDimensions = 48;

constexpr auto Everything = [](std::uint64_t) { return true; };

std::unique_ptr<VectorIndex> OpenIndex(const testing::TempDir& dir, std::size_t exact_max,
                                       std::uint32_t segment_chunks) {
  VectorIndexOptions options;
  options.dimensions = kDimensions;
  options.exact_max = exact_max;
  options.segment_chunks = segment_chunks;
  auto index = VectorIndex::Open(dir.path(), options);
  EXPECT_THAT(index, IsOk());
  return std::move(*index);
}

TEST(VectorSearch, AnswersExactlyLikeANaiveSearchWhileSmall) {
  const testing::TempDir dir;
  const auto index = OpenIndex(dir, 5'000, 256);  // several segments
  NaiveIndex oracle(kDimensions);
  std::mt19937_64 random(1);
  const auto pool = TopicVectors(900, kDimensions, 1);
  for (int step = 0; step < 1'500; ++step) {
    const std::uint64_t chunk = random() % 1'000;
    if (random() % 4 == 0) {
      ASSERT_THAT(index->Remove(chunk), IsOk());
      oracle.Remove(chunk);
    } else {
      const auto& vector = pool[random() % pool.size()];  // some chunks get equal vectors
      ASSERT_THAT(index->Add(chunk, vector), IsOk());
      oracle.Add(chunk, vector);
    }
    if (step % 10 != 0) continue;
    const auto query = TopicVectors(1, kDimensions, random())[0];
    const std::uint64_t one_in = 1 + random() % 4;
    const auto allowed = [&](std::uint64_t c) { return c % one_in == 0; };
    const std::size_t limit = random() % 30;
    const auto hits = index->Search(query, limit, allowed, 1'000);
    ASSERT_THAT(hits, IsOk());
    ASSERT_EQ(*hits, oracle.Search(query, limit, allowed)) << "step " << step;
  }
}

TEST(VectorCompare, GivesTheCosinesOfTheChunksThatAreThereInTheOrderAsked) {
  const testing::TempDir dir;
  const auto index = OpenIndex(dir, 100, 256);
  NaiveIndex oracle(kDimensions);
  std::mt19937_64 random(2);
  const auto pool = TopicVectors(900, kDimensions, 1);
  std::size_t compared = 0;
  for (int step = 0; step < 1'500; ++step) {
    const std::uint64_t chunk = random() % 1'000;
    const auto& vector = pool[random() % pool.size()];
    const auto choice = random() % 8;
    if (choice == 0) {
      ASSERT_THAT(index->Remove(chunk), IsOk());
      oracle.Remove(chunk);
    } else if (choice == 1) {
      ASSERT_THAT(index->Erase({&chunk, 1}), IsOk());
      oracle.Remove(chunk);
    } else {
      ASSERT_THAT(index->Add(chunk, vector), IsOk());
      oracle.Add(chunk, vector);
    }
    if (step == 1'000) {
      ASSERT_THAT(index->Advance(SIZE_MAX), IsOk());
    }
    if (step % 10 != 0) continue;
    const auto query = TopicVectors(1, kDimensions, random())[0];
    std::vector<std::uint64_t> chunks(random() % 40);
    for (auto& asked : chunks) asked = random() % 1'200;  // some are nowhere, some come twice
    const auto hits = index->Compare(query, chunks);
    ASSERT_THAT(hits, IsOk());
    ASSERT_EQ(*hits, oracle.Compare(query, chunks)) << "step " << step;
    const auto with = index->CompareWith(chunk, chunks);
    ASSERT_THAT(with, IsOk());
    const bool is_there = choice > 1;
    ASSERT_EQ(*with, is_there ? oracle.Compare(vector, chunks) : std::vector<VectorHit>());
    compared += hits->size();
  }
  EXPECT_GT(compared, 500U);
  EXPECT_THAT(index->Compare(std::vector<float>(3), {}),
              FailsWith(Code::kInvalidArgument, HasSubstr("3 dimensions")));
}

TEST(VectorSearch, FindsAWriteAtOnceThoughItsGraphLagsBehind) {
  const testing::TempDir dir;
  const auto index = OpenIndex(dir, 0, 4'096);
  const auto vectors = TopicVectors(3'000, kDimensions, 2);
  for (std::size_t i = 0; i < 2'500; ++i) {
    ASSERT_THAT(index->Add(i, vectors[i]), IsOk());
  }
  ASSERT_THAT(index->Advance(SIZE_MAX), IsOk());
  ASSERT_GT(index->Stats().rows - index->Stats().tail, 2'000U);  // there is a graph
  for (std::size_t i = 2'500; i < 3'000; ++i) {
    ASSERT_THAT(index->Add(i, vectors[i]), IsOk());
    const auto hits = index->Search(vectors[i], 1, Everything, SIZE_MAX);
    ASSERT_THAT(hits, IsOk());
    ASSERT_EQ(hits->size(), 1U);
    EXPECT_EQ(hits->front().chunk, i);
  }
}

class FilteredRecall : public ::testing::Test {
 protected:
  static constexpr std::size_t kCount = 8'000;
  static void SetUpTestSuite() {
    dir_ = std::make_unique<testing::TempDir>();
    index_ = OpenIndex(*dir_, 0, 4'096);
    const auto vectors = TopicVectors(kCount, kDimensions, 3);
    for (std::size_t i = 0; i < kCount; ++i) {
      ASSERT_THAT(index_->Add(i, vectors[i]), IsOk());
    }
    ASSERT_THAT(index_->Advance(SIZE_MAX), IsOk());
    ASSERT_LT(index_->Stats().tail, Segment::kStepRows);
  }
  static void TearDownTestSuite() {
    index_.reset();
    dir_.reset();
  }

  // Of the graph against a scan, over 100 queries.
  static double MeanRecall(ChunkPredicate allowed) {
    double sum = 0;
    for (const auto& query : TopicVectors(100, kDimensions, 4)) {
      const auto graph = index_->Search(query, 10, allowed, SIZE_MAX);
      const auto scan = *VectorSearchByScan(query, allowed);
      sum += Recall(*graph, scan);
      for (const VectorHit& hit : *graph) EXPECT_TRUE(allowed(hit.chunk));
    }
    return sum / 100;
  }

 private:
  static Result<std::vector<VectorHit>> VectorSearchByScan(const std::vector<float>& query,
                                                           ChunkPredicate allowed) {
    return index_->Search(query, 10, allowed, 0);
  }

  static inline std::unique_ptr<testing::TempDir> dir_;
  static inline std::unique_ptr<VectorIndex> index_;
};

TEST_F(FilteredRecall, IsHighWithoutAFilter) { EXPECT_GE(MeanRecall(Everything), 0.97); }

TEST_F(FilteredRecall, IsHighWhenHalfIsAllowed) {
  EXPECT_GE(MeanRecall([](std::uint64_t c) { return c % 2 == 0; }), 0.97);
}

TEST_F(FilteredRecall, IsHighWhenATwentiethIsAllowed) {
  EXPECT_GE(MeanRecall([](std::uint64_t c) { return c % 20 == 7; }), 0.97);
}

TEST_F(FilteredRecall, IsHighWhenOneSegmentIsNotAllowedAtAll) {
  EXPECT_GE(MeanRecall([](std::uint64_t c) { return c < 4'096; }), 0.97);
}

TEST(VectorSearch, ReachesWhatLiesBehindAThousandEqualVectors) {
  const testing::TempDir dir;
  const auto index = OpenIndex(dir, 0, 8'192);
  const auto vectors = TopicVectors(2'000, kDimensions, 5);
  for (std::size_t i = 0; i < 2'000; ++i) {
    ASSERT_THAT(index->Add(2 * i, vectors[i]), IsOk());
    ASSERT_THAT(index->Add(2 * i + 1, vectors[7]), IsOk());  // successive versions of one text
  }
  ASSERT_THAT(index->Advance(SIZE_MAX), IsOk());
  EXPECT_EQ(index->Stats().rows, 2'000U);
  EXPECT_EQ(index->Stats().chunks, 4'000U);
  const auto newest_only = [](std::uint64_t c) { return c % 2 == 0 || c == 3'999; };
  const auto hits = index->Search(vectors[7], 12, newest_only, SIZE_MAX);
  const auto scan = index->Search(vectors[7], 12, newest_only, 0);
  ASSERT_THAT(hits, IsOk());
  EXPECT_EQ((*hits)[0].chunk, 14U);
  EXPECT_EQ((*hits)[1].chunk, 3'999U);
  EXPECT_GE(Recall(*hits, *scan), 0.9);
}

TEST(VectorSearch, GivesWhatThereIsWhenMoreIsAskedFor) {
  const testing::TempDir dir;
  const auto index = OpenIndex(dir, 0, 2'048);
  const auto vectors = TopicVectors(1'500, kDimensions, 6);
  EXPECT_TRUE(index->Search(vectors[0], SIZE_MAX, Everything, SIZE_MAX)->empty());
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    ASSERT_THAT(index->Add(i, vectors[i]), IsOk());
  }
  ASSERT_THAT(index->Advance(SIZE_MAX), IsOk());
  EXPECT_EQ(index->Search(vectors[0], SIZE_MAX, Everything, 0)->size(), vectors.size());
  EXPECT_GE(index->Search(vectors[0], SIZE_MAX, Everything, SIZE_MAX)->size(), 1'480U);
  EXPECT_TRUE(index->Search(vectors[0], 0, Everything, SIZE_MAX)->empty());
}

TEST(VectorSearch, OrdersEqualCosinesByChunk) {
  const testing::TempDir dir;
  const auto index = OpenIndex(dir, 5'000, 16);
  const auto vector = TopicVectors(1, kDimensions, 6)[0];
  for (const std::uint64_t chunk : {40U, 3U, 17U, 90U, 4U}) {
    ASSERT_THAT(index->Add(chunk, vector), IsOk());
  }
  const auto hits = index->Search(vector, 3, Everything, 5);
  ASSERT_THAT(hits, IsOk());
  std::vector<std::uint64_t> chunks;
  for (const VectorHit& hit : *hits) chunks.push_back(hit.chunk);
  EXPECT_THAT(chunks, ::testing::ElementsAre(3, 4, 17));
}

TEST(VectorSearch, NeverShowsWhatWasRemovedAndShowsItAgainWhenAdded) {
  const testing::TempDir dir;
  const auto index = OpenIndex(dir, 0, 4'096);
  const auto vectors = TopicVectors(1'500, kDimensions, 7);
  for (std::size_t i = 0; i < 1'500; ++i) {
    ASSERT_THAT(index->Add(i, vectors[i]), IsOk());
  }
  ASSERT_THAT(index->Advance(SIZE_MAX), IsOk());
  const auto first = [&] { return index->Search(vectors[5], 1, Everything, SIZE_MAX)->front(); };
  EXPECT_EQ(first().chunk, 5U);
  ASSERT_THAT(index->Remove(5), IsOk());
  EXPECT_NE(first().chunk, 5U);
  ASSERT_THAT(index->Add(5, vectors[5]), IsOk());
  EXPECT_EQ(first().chunk, 5U);
}

TEST(VectorSearch, ForgetsTheVectorThatAnotherReplaced) {
  const testing::TempDir dir;
  const auto index = OpenIndex(dir, 0, 4'096);
  const auto vectors = TopicVectors(1'501, kDimensions, 8);
  for (std::size_t i = 0; i < 1'500; ++i) {
    ASSERT_THAT(index->Add(i, vectors[i]), IsOk());
  }
  ASSERT_THAT(index->Advance(SIZE_MAX), IsOk());
  ASSERT_THAT(index->Add(5, vectors[1'500]), IsOk());
  ASSERT_THAT(index->Advance(SIZE_MAX), IsOk());
  EXPECT_EQ(index->Search(vectors[1'500], 1, Everything, SIZE_MAX)->front().chunk, 5U);
  EXPECT_LT(index->Search(vectors[5], 1, Everything, SIZE_MAX)->front().cosine, 0.999F);
  EXPECT_EQ(index->Stats().chunks, 1'500U);
}

TEST(VectorIndexInput, IsRefusedByFieldWhenItIsNoUnitVectorOfTheRightLength) {
  const testing::TempDir dir;
  const auto index = OpenIndex(dir, 10, 16);
  auto vector = TopicVectors(1, kDimensions, 9)[0];
  EXPECT_THAT(index->Add(1, vector), IsOk());
  EXPECT_THAT(index->Search(vector, 1, Everything, 1), IsOk());

  const std::vector<float> shorter(vector.begin(), vector.end() - 1);
  EXPECT_THAT(index->Add(2, shorter), FailsWith(Code::kInvalidArgument, HasSubstr("47")));
  EXPECT_THAT(index->Search(shorter, 1, Everything, 1),
              FailsWith(Code::kInvalidArgument, HasSubstr("47")));
  for (const float bad :
       {2.0F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    vector[3] = bad;
    EXPECT_THAT(index->Add(2, vector), FailsWith(Code::kInvalidArgument, HasSubstr("norm")));
    EXPECT_THAT(index->Search(vector, 1, Everything, 1),
                FailsWith(Code::kInvalidArgument, HasSubstr("norm")));
  }
  EXPECT_EQ(index->Stats().chunks, 1U);
}

TEST(VectorIndexInput, MayBeAllZerosAndIsThenSimilarToNothing) {
  const testing::TempDir dir;
  const auto index = OpenIndex(dir, 10, 16);
  const std::vector<float> zeros(kDimensions);
  const auto vector = TopicVectors(1, kDimensions, 9)[0];
  ASSERT_THAT(index->Add(1, zeros), IsOk());
  ASSERT_THAT(index->Add(2, vector), IsOk());
  EXPECT_EQ(index->Search(vector, 2, Everything, 2)->back(), (VectorHit{1, 0}));
  EXPECT_EQ(index->Search(zeros, 2, Everything, 2)->front(), (VectorHit{1, 0}));
}

}  // namespace
}  // namespace perdure
