#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "index/vector/vector_index.h"
#include "index/vector/vectors.h"
#include "support/status_matchers.h"
#include "support/temp_dir.h"

// hnswlib locks a node and the entry point in both orders, which is safe as one thread inserts. To
// the thread sanitizer that is a deadlock to come, without a frame to suppress it by.
extern "C" const char* __tsan_default_options();  // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __tsan_default_options() { return "detect_deadlocks=0"; }  // NOLINT

namespace perdure {
namespace {

using testing::IsOk;
using testing::TopicVectors;

constexpr std::size_t kDimensions = 32;
constexpr std::uint64_t kChunks = 4'000;

// One writes, one grows the graphs, two search: what was added before a search began is found, and
// what was removed or erased is not.
TEST(VectorIndexThreads, SearchWhatIsWrittenWhileGraphsGrow) {
  const testing::TempDir dir;
  VectorIndexOptions options;
  options.dimensions = kDimensions;
  options.exact_max = 0;
  options.segment_chunks = 1'500;
  const auto index = *VectorIndex::Open(dir.path(), options);
  const auto vectors = TopicVectors(kChunks, kDimensions, 1);
  std::atomic<std::uint64_t> added = 0;
  std::atomic<bool> done = false;

  const auto gone = [](std::uint64_t chunk) { return chunk % 50 == 13 || chunk % 50 == 14; };
  std::jthread writer([&] {
    for (std::uint64_t i = 0; i < kChunks; ++i) {
      EXPECT_THAT(index->Add(i, vectors[i]), IsOk());
      added = i + 1;
      if (i % 50 == 13) {
        EXPECT_THAT(index->Remove(i), IsOk());
      }
      if (i % 50 == 14) {
        EXPECT_THAT(index->Erase({&i, 1}), IsOk());
      }
      if (i % 1'000 == 999) {
        EXPECT_THAT(index->Checkpoint(i), IsOk());
      }
    }
    done = true;
  });
  std::jthread grower([&] {
    while (!done) {
      EXPECT_THAT(index->Advance(64), IsOk());
    }
  });
  std::vector<std::jthread> searchers;
  for (std::uint64_t seed : {1U, 2U}) {
    searchers.emplace_back([&, seed] {
      std::mt19937_64 random(seed);
      while (!done) {
        const std::uint64_t known = added;
        if (known < 2) continue;
        const std::uint64_t chunk = random() % (known - 1);
        const auto only = [&](std::uint64_t c) { return c == chunk; };
        const auto hits = index->Search(vectors[chunk], 1, only, random() % 2 == 0 ? 1 : SIZE_MAX);
        ASSERT_THAT(hits, IsOk());
        if (gone(chunk)) {
          EXPECT_TRUE(hits->empty()) << chunk;
        } else {
          ASSERT_EQ(hits->size(), 1U) << chunk;
        }
      }
    });
  }
  writer.join();
  grower.join();
  searchers.clear();
  ASSERT_THAT(index->Advance(SIZE_MAX), IsOk());
  EXPECT_EQ(index->Stats().chunks, kChunks - kChunks / 50 * 2);
}

}  // namespace
}  // namespace perdure
