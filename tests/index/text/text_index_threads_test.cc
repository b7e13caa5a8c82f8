// Readers beside a writer and a flusher.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "index/text/text_index.h"
#include "support/status_matchers.h"
#include "support/temp_dir.h"

namespace perdure {
namespace {

using testing::IsOk;
using testing::TempDir;

constexpr std::uint64_t kVersions = 1500;

bool Everything(std::uint64_t) { return true; }

// Chunk n is version n of one memory: "memory version<n>". At every moment one version is current
// or, between Add and Retire, two are.
TEST(TextIndexThreads, SearchesBesideWritesFlushesAndCompactionsNeverFailOrLoseAChunk) {
  TempDir directory;
  const auto index = TextIndex::Open(directory.path()).value();
  std::atomic<std::uint64_t> findable = 0;  // Add of this version has returned
  std::atomic<bool> done = false;
  std::atomic<std::uint64_t> searches = 0;

  const auto add = [&](std::uint64_t chunk) {
    const auto text = "memory version" + std::to_string(chunk);
    const TextDocument document{chunk, TermsOfDocument({"", "", {}, text})};
    return index->Add({&document, 1});
  };
  ASSERT_THAT(add(0), IsOk());

  std::jthread writer([&] {
    for (std::uint64_t chunk = 1; chunk < kVersions; ++chunk) {
      const std::uint64_t old = chunk - 1;
      ASSERT_THAT(add(chunk), IsOk());
      findable = chunk;
      ASSERT_THAT(index->Retire({&old, 1}), IsOk());
      if (chunk % 7 == 0) {
        const std::uint64_t erased = chunk - 5;
        ASSERT_THAT(index->Remove({&erased, 1}), IsOk());
      }
      static_cast<void>(index->Seal(chunk));
    }
    // A fast writer must not be through before the first search has begun.
    while (searches <= 10 && !HasFailure()) std::this_thread::yield();
    done = true;
  });
  std::jthread flusher([&] {
    for (int round = 0; !done; ++round) {
      ASSERT_THAT(index->Flush(), IsOk());
      if (round % 20 == 19) {
        ASSERT_THAT(index->Compact(), IsOk());
      }
    }
  });

  const auto read = [&] {
    while (!done) {
      const std::uint64_t before = findable;
      const auto current = index->Search(TermsOfQuery("memory"), 10, false, Everything);
      ASSERT_THAT(current, IsOk());
      ASSERT_GE(current->size(), 1U);
      ASSERT_LE(current->size(), 2U);
      ASSERT_GE(current->back().chunk, before);
      const auto exact = index->Search(TermsOfQuery("version" + std::to_string(before)), 10, true,
                                       [&](std::uint64_t chunk) { return chunk == before; });
      ASSERT_THAT(exact, IsOk());
      // Version `before` may have been erased by now, but only five versions later.
      if (findable < before + 5) {
        ASSERT_EQ(exact->size(), 1U) << before;
      }
      ++searches;
    }
  };
  {
    std::jthread first(read);
    std::jthread second(read);
  }
  writer.join();
  flusher.join();
  EXPECT_GT(searches, 10U);
  ASSERT_THAT(index->Commit(kVersions), IsOk());
  EXPECT_EQ(index->Stats().current, 1U);
}

// Blocks of a revision are reused after two more commits: a reader in the middle must begin again.
// One that reads its lists step by step, beside flushes that overwrite them.
TEST(TextIndexThreads, ASearchThatOutlivesTwoFlushesStillAnswersRightly) {
  TempDir directory;
  const auto index = TextIndex::Open(directory.path(), {.list_max = 0}).value();
  std::uint64_t cursor = 0;
  // Every document anew, with more words each time, so that every block is written again.
  const auto write = [&] {
    std::vector<TextDocument> documents;
    for (std::uint64_t chunk = 0; chunk < 20'000; ++chunk) {
      std::string text = "word" + std::to_string(chunk % 100);
      for (std::uint64_t i = 0; i <= cursor; ++i) text += " common";
      documents.push_back({chunk, TermsOfDocument({"", "", {}, text})});
    }
    EXPECT_THAT(index->Add(documents), IsOk());
    EXPECT_THAT(index->Commit(++cursor), IsOk());
  };
  write();
  const auto query = TermsOfQuery("common word7");

  std::size_t calls = 0;
  const auto disturb = [&](std::uint64_t) {
    if (++calls == 1) {
      for (int round = 0; round < 3; ++round) write();
    }
    return true;
  };
  const auto hits = index->Search(query, 300, false, disturb);
  ASSERT_THAT(hits, IsOk());
  const std::size_t calls_of_one_search = calls;
  calls = 1;
  EXPECT_EQ(*hits, index->Search(query, 300, false, disturb).value());
  EXPECT_EQ(hits->size(), 300U);
  EXPECT_GE(calls_of_one_search, calls) << "the search did not begin again";
}

}  // namespace
}  // namespace perdure
