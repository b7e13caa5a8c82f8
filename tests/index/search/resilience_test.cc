#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "index/search/searchable_engine.h"

namespace perdure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::Note;
using testing::SearchableEngine;
using testing::With;

constexpr const char* kQueries[] = {"alpha", "beta gamma", "delta number 7", "the of", "zeta"};

void Populate(SearchableEngine& engine, int count) {
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    const Uuid id = engine->Store(Note("alpha beta number " + number, "Title " + number));
    if (i % 3 == 0) engine->Store(Note("gamma delta number " + number));
    if (i % 5 == 0) {
      ASSERT_THAT(engine->Do(EditMemory{id, WholeText{"zeta " + number}}), IsOk());
    }
    if (i % 7 == 0) {
      ASSERT_THAT(engine->Do(MoveState{id, Transition::kArchive}), IsOk());
    }
  }
}

// Every answer that must not depend on the state of the files, as text.
std::string Answers(SearchableEngine& engine) {
  EXPECT_TRUE(engine.Settle());
  std::string all;
  for (const char* query : kQueries) {
    for (const ReadAt& at : {ReadAt{}, ReadAt{.seq = 20}, ReadAt{.seq = 60}}) {
      const auto answer = engine.Search({.query = query, .limit = 20, .at = at, .explain = true});
      EXPECT_THAT(answer, IsOk());
      if (!answer) continue;
      for (const SearchHit& hit : answer->hits) {
        all += ToString(hit.id) + " " + std::to_string(hit.memory.record.version) + " " +
               std::to_string(hit.score) + " " + std::to_string(hit.explanation->lexical_rank) +
               " " + std::to_string(hit.explanation->semantic_rank) + " " + hit.preview + "\n";
      }
      all += "--\n";
    }
  }
  return all;
}

void Damage(const std::string& path) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  ASSERT_TRUE(file) << path;
  file.seekg(0, std::ios::end);
  const auto middle = static_cast<std::streamoff>(file.tellg()) / 2;
  file.seekg(middle);
  const int byte = file.get();
  file.seekp(middle);
  file.put(static_cast<char>(byte ^ 0x40));
}

std::vector<std::string> FilesUnder(const std::string& directory) {
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::recursive_directory_iterator(directory)) {
    if (file.is_regular_file() && file.file_size() > 0) files.push_back(file.path());
  }
  std::ranges::sort(files);
  return files;
}

TEST(Resilience, AnswersAreTheSameAfterAStartAndAfterEveryIndexFileIsDeleted) {
  SearchableEngine engine;
  Populate(engine, 60);
  const std::string before = Answers(engine);
  EXPECT_THAT(before, HasSubstr("zeta"));
  engine.ReopenSearch();
  EXPECT_THAT(engine.SpaceStatus().repairs, IsEmpty());
  EXPECT_EQ(Answers(engine), before);
  engine.CloseSearch();
  std::filesystem::remove_all(engine.index_dir());
  engine.OpenSearch();
  EXPECT_EQ(Answers(engine), before);
}

TEST(Resilience, AStartFollowsWhatWasWrittenMeanwhile) {
  SearchableEngine engine;
  Populate(engine, 20);
  ASSERT_TRUE(engine.Settle());
  engine.CloseSearch();
  Populate(engine, 30);
  const Uuid late = engine->Store(Note("epsilon"));
  engine.OpenSearch();
  EXPECT_THAT(engine.FindBy({.query = "epsilon", .limit = 1}), ElementsAre(late));
  const std::string kept = Answers(engine);
  engine.CloseSearch();
  std::filesystem::remove_all(engine.index_dir());
  engine.OpenSearch();
  EXPECT_EQ(Answers(engine), kept);
}

TEST(Resilience, ADamagedFileIsNoticedReportedAndBuiltAnew) {
  SearchableEngine engine;
  Populate(engine, 40);
  const std::string before = Answers(engine);
  engine.CloseSearch();
  int noticed = 0;
  for (const std::string& path : FilesUnder(engine.index_dir())) {
    Damage(path);
    engine.OpenSearch();
    EXPECT_EQ(Answers(engine), before) << path;
    // Cached vectors and Xapian's spare bytes may be lost without a word; nothing else.
    if (!engine.SpaceStatus().repairs.empty()) ++noticed;
    if (path.find("/columns/") != std::string::npos ||
        path.find("/vectors/") != std::string::npos) {
      EXPECT_FALSE(engine.SpaceStatus().repairs.empty()) << path;
    }
    engine.CloseSearch();
    std::filesystem::remove_all(engine.index_dir());
    engine.OpenSearch();
    ASSERT_TRUE(engine.Settle());
    engine.CloseSearch();
  }
  EXPECT_GT(noticed, 5);
}

// Any file of any part of the index, gone or cut short.
TEST(Resilience, AFileThatIsGoneOrCutShortIsBuiltAnew) {
  SearchableEngine engine;
  Populate(engine, 40);
  const std::string before = Answers(engine);
  engine.CloseSearch();
  const std::string kept = engine.index_dir() + ".kept";
  std::filesystem::rename(engine.index_dir(), kept);
  int noticed = 0;
  for (const std::string& path : FilesUnder(kept)) {
    for (const double left : {-1., 0., .5}) {
      std::filesystem::remove_all(engine.index_dir());
      std::filesystem::copy(kept, engine.index_dir(), std::filesystem::copy_options::recursive);
      const std::string lost = engine.index_dir() + path.substr(kept.size());
      if (left < 0) {
        std::filesystem::remove(lost);
      } else {
        std::filesystem::resize_file(
            lost, static_cast<std::uintmax_t>(
                      left * static_cast<double>(std::filesystem::file_size(path))));
      }
      engine.OpenSearch();
      EXPECT_EQ(Answers(engine), before) << path << " " << left;
      EXPECT_EQ(engine.SpaceStatus().failure, "") << path << " " << left;
      if (!engine.SpaceStatus().repairs.empty()) ++noticed;
      engine.ReopenSearch();
      EXPECT_THAT(engine.SpaceStatus().repairs, IsEmpty()) << path << " " << left;
      EXPECT_EQ(Answers(engine), before) << path << " " << left;
      engine.CloseSearch();
    }
  }
  EXPECT_GT(noticed, 15);
}

// The follower then needs terms that are on disk: it stands, says what to do, and that helps.
TEST(Resilience, AFileOfWordsThatGoesWhileItIsOpenIsNamedAndARebuildBringsItBack) {
  for (const char* name : {"iamglass", "postlist.glass", "termlist.glass"}) {
    SearchableEngine engine;
    const Uuid id = engine->Store(Note("alpha beta gamma"));
    ASSERT_TRUE(engine.Settle());
    engine.ReopenSearch();
    for (const std::string& path : FilesUnder(engine.index_dir())) {
      if (path.ends_with(name)) std::filesystem::remove(path);
    }
    ASSERT_THAT(engine->Do(EditMemory{id, WholeText{"delta"}}), IsOk());
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (engine.SpaceStatus().failure.empty() && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_THAT(engine.SpaceStatus().failure, HasSubstr(name));
    EXPECT_THAT(engine.SpaceStatus().failure, HasSubstr("`perdure index rebuild`"));
    ASSERT_THAT(engine.search().Rebuild(kMainSpace), IsOk());
    EXPECT_TRUE(engine.Settle());
    EXPECT_EQ(engine.SpaceStatus().failure, "");
    EXPECT_THAT(engine.Find("delta"), ElementsAre(id));
    engine.ReopenSearch();
    EXPECT_THAT(engine.Find("delta"), ElementsAre(id));
    EXPECT_THAT(engine.SpaceStatus().repairs, IsEmpty());
  }
}

TEST(Resilience, ASearchThatARebuildOvertakesIsAnswered) {
  SearchableEngine engine;
  engine.options().embed_wait = std::chrono::milliseconds(500);
  engine.ReopenSearch();
  const Uuid id = engine->Store(Note("alpha beta gamma"));
  ASSERT_TRUE(engine.Settle());
  engine.ReopenSearch();
  ASSERT_TRUE(engine.Settle());
  engine.model().Hold();
  std::thread search([&] {
    const auto answer = engine.Search({.query = "alpha"});
    ASSERT_THAT(answer, IsOk());
    EXPECT_EQ(answer->arms[0].status, ArmStatus::kOk) << answer->arms[0].note;
    ASSERT_EQ(answer->hits.size(), 1u);
    EXPECT_EQ(answer->hits[0].id, id);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_THAT(engine.search().Rebuild(kMainSpace), IsOk());
  search.join();
}

TEST(Resilience, ARebuildEmbedsNothingAgain) {
  SearchableEngine engine;
  Populate(engine, 40);
  const std::string before = Answers(engine);
  const std::uint64_t generation = engine.SpaceStatus().generation;
  const int embedded = engine.model().embedded;
  EXPECT_GT(embedded, 40);
  ASSERT_THAT(engine.search().Rebuild(kMainSpace), IsOk());
  ASSERT_TRUE(engine.Settle());
  EXPECT_EQ(engine.model().embedded, embedded);
  EXPECT_GT(engine.SpaceStatus().generation, generation);
  EXPECT_EQ(Answers(engine), before);
  engine.ReopenSearch();
  EXPECT_EQ(Answers(engine), before);
}

TEST(Resilience, ASilentModelHoldsUpNeitherWritesNorWords) {
  SearchableEngine engine;
  engine.options().embed_wait = std::chrono::milliseconds(20);
  engine.ReopenSearch();
  const Uuid known = engine->Store(Note("known before"));
  ASSERT_TRUE(engine.Settle());
  engine.model().Hold();
  std::vector<Uuid> ids;
  for (int i = 0; i < 50; ++i) ids.push_back(engine->Store(Note("gnu " + std::to_string(i))));
  const auto answer = engine.Search({.query = "gnu 7", .limit = 1});
  ASSERT_THAT(answer, IsOk());
  ASSERT_EQ(answer->hits.size(), 1u);
  EXPECT_EQ(answer->hits[0].id, ids[7]);
  EXPECT_EQ(answer->arms[0].status, ArmStatus::kOk);
  EXPECT_EQ(answer->arms[1].status, ArmStatus::kFailed);
  EXPECT_THAT(answer->arms[1].note, HasSubstr("model"));
  EXPECT_LT(answer->arms[1].indexed_seq, answer->arms[0].indexed_seq);
  EXPECT_EQ(engine.SpaceStatus().pending_embeddings, 50u);
  EXPECT_EQ(engine.SpaceStatus().vectors, 1u);

  engine.model().Release();
  ASSERT_TRUE(engine.Settle());
  EXPECT_EQ(engine.SpaceStatus().pending_embeddings, 0u);
  EXPECT_EQ(engine.SpaceStatus().vectors, 51u);
  // The query that was given up above is answered first.
  auto healed = engine.Search({.query = "known before"});
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (healed->arms[1].status != ArmStatus::kOk && std::chrono::steady_clock::now() < until) {
    healed = engine.Search({.query = "known before"});
  }
  EXPECT_EQ(healed->arms[1].status, ArmStatus::kOk) << healed->arms[1].note;
  EXPECT_EQ(healed->hits[0].id, known);
}

TEST(Resilience, AFailingModelIsReportedAndTriedAgain) {
  SearchableEngine engine;
  engine.model().fails = true;
  const Uuid id = engine->Store(Note("yak"));
  // The very first search, whether or not the vectors are loaded and the worker has tried.
  for (int start = 0; start < 5; ++start) {
    engine.ReopenSearch();
    const auto answer = engine.Search({.query = "yak"});
    ASSERT_THAT(answer, IsOk());
    ASSERT_EQ(answer->hits.size(), 1u);
    EXPECT_EQ(answer->arms[1].status, ArmStatus::kFailed);
    EXPECT_EQ(answer->arms[1].note, "the model is away");
  }
  EXPECT_EQ(engine.SpaceStatus().pending_embeddings, 1u);
  engine.model().fails = false;
  ASSERT_TRUE(engine.Settle());
  EXPECT_EQ(engine.SpaceStatus().pending_embeddings, 0u);
  EXPECT_EQ(engine.SpaceStatus().failure, "");
  EXPECT_THAT(engine.Find("yak"), ElementsAre(id));
}

TEST(Resilience, WhatWaitsForAModelWaitsAcrossAStart) {
  SearchableEngine engine;
  engine.model().fails = true;
  for (int i = 0; i < 20; ++i) engine->Store(Note("ibex " + std::to_string(i)));
  engine.ReopenSearch();
  EXPECT_EQ(engine.Find("ibex").size(), 10u);
  EXPECT_EQ(engine.SpaceStatus().pending_embeddings, 20u);
  engine.model().fails = false;
  ASSERT_TRUE(engine.Settle());
  EXPECT_EQ(engine.SpaceStatus().vectors, 20u);
}

TEST(Resilience, AnotherModelBuildsItsOwnVectorsAndTheFirstFindsItsCacheAgain) {
  SearchableEngine engine;
  Populate(engine, 20);
  const std::string before = Answers(engine);
  const int embedded = engine.model().embedded;
  engine.CloseSearch();
  engine.UseModel("other");
  engine.OpenSearch();
  EXPECT_EQ(Answers(engine), before);
  EXPECT_FALSE(engine.SpaceStatus().repairs.empty());
  EXPECT_GT(engine.model().embedded, embedded);
  engine.CloseSearch();
  engine.UseModel("fake");
  engine.OpenSearch();
  const int both = engine.model().embedded;
  ASSERT_TRUE(engine.Settle());
  EXPECT_EQ(engine.model().embedded, both);
  EXPECT_EQ(Answers(engine), before);
}

TEST(Resilience, AnIndexOfAnotherLogIsNotBelieved) {
  SearchableEngine one(1);
  SearchableEngine two(2);
  Populate(one, 20);
  Populate(two, 30);
  ASSERT_TRUE(one.Settle());
  ASSERT_TRUE(two.Settle());
  const std::string expected = Answers(two);
  one.CloseSearch();
  two.CloseSearch();
  std::filesystem::remove_all(two.index_dir());
  std::filesystem::copy(one.index_dir(), two.index_dir(), std::filesystem::copy_options::recursive);
  two.OpenSearch();
  EXPECT_THAT(two.SpaceStatus().repairs, ElementsAre(HasSubstr("another log")));
  EXPECT_EQ(Answers(two), expected);
}

}  // namespace
}  // namespace perdure
