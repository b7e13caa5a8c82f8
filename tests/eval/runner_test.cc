// Whole runs over the sets of this folder, with the stand-in for a model.
#include "tools/eval/runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/status_matchers.h"
#include "support/temp_dir.h"

namespace perdure::eval {
namespace {

using ::perdure::testing::IsOk;
using ::perdure::testing::TempDir;

QuestionSet Load(const std::string& name) {
  auto set = LoadSet({name, PERDURE_SOURCE_DIR "/tests/eval/sets/" + name});
  EXPECT_THAT(set, IsOk());
  return *set;
}

RunOptions OptionsIn(const TempDir& directory) {
  return {.directory = directory.path(), .model_dir = directory / "no-model"};
}

const Asked& Find(const SetRun& run, const std::string& id) {
  return *std::ranges::find(run.asked, id, &Asked::id);
}

bool Holds(const Asked& asked, const std::string& item) {
  return std::ranges::find(asked.hits, item) != asked.hits.end();
}

TEST(EvalRunnerTest, AsksWhatUsersAsk) {
  const TempDir directory;
  const auto run = RunSet(Load("household"), OptionsIn(directory));
  ASSERT_THAT(run, IsOk());
  EXPECT_EQ(run->unlabelled, (std::vector<std::string>{"unanswerable", "unanswerable"}));
  EXPECT_EQ(Find(*run, "h0").hits.front(), "boiler");
  // Nothing of another scope, nor what is superseded.
  EXPECT_FALSE(Holds(Find(*run, "h0"), "other-boiler"));
  EXPECT_EQ(Find(*run, "c0").hits, std::vector<std::string>{"other-boiler"});
  EXPECT_TRUE(Holds(Find(*run, "h18"), "insurance"));
  EXPECT_FALSE(Holds(Find(*run, "h18"), "insurance-old"));
  // Equal notes are one memory, whose first item stands for it, and count once.
  const Asked& bins = Find(*run, "h8");
  EXPECT_TRUE(Holds(bins, "bins"));
  EXPECT_FALSE(Holds(bins, "bins-again"));
  EXPECT_TRUE(bins.scores[0] == 0 || bins.scores[0] == 1) << bins.scores[0];
  // A blank question finds nothing.
  EXPECT_TRUE(Find(*run, "empty").hits.empty());
  EXPECT_EQ(Find(*run, "empty").scores, Scores{});
  EXPECT_EQ(run->degraded, 0u);
  EXPECT_FALSE(run->semantic_note.empty());  // says that it is a stand-in
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(EvalRunnerTest, ConversationsAreStoredAsEpisodes) {
  const TempDir directory;
  const QuestionSet set = Load("talks");
  const auto store = FilledStore::Make(
      set, {.directory = directory / "store", .model_dir = directory / "no-model"});
  ASSERT_THAT(store, IsOk());
  const auto view = (*store)->house().engine().Read((*store)->principal());
  ASSERT_THAT(view, IsOk());
  const auto page = view->List({}, 100, "");
  ASSERT_THAT(page, IsOk());
  ASSERT_EQ(page->memories.size(), set.items.size());
  for (const Memory& memory : page->memories) {
    const Item& item = set.items[*(*store)->Find(memory.id)];
    EXPECT_EQ(memory.record.kind, fb::MemoryKind::episode);
    EXPECT_EQ(memory.conversation, item.scope);
    EXPECT_EQ(memory.session, item.session);
    EXPECT_EQ(memory.speaker, item.speaker);
    EXPECT_EQ(memory.record.reference_time, item.time);
    EXPECT_TRUE(memory.record.position.has_value());
  }
}

TEST(EvalRunnerTest, TwoRunsGiveTheSameRankings) {
  const TempDir directory;
  RunOptions options = OptionsIn(directory);
  options.keep = true;
  const QuestionSet set = Load("talks");
  const auto first = RunSet(set, options);
  const auto kept = RunSet(set, options);  // from the store that the first one filled
  options.directory = directory / "elsewhere";
  options.keep = false;
  const auto anew = RunSet(set, options);
  ASSERT_THAT(first, IsOk());
  ASSERT_THAT(kept, IsOk());
  ASSERT_THAT(anew, IsOk());
  ASSERT_EQ(first->asked.size(), set.questions.size());
  for (std::size_t i = 0; i < first->asked.size(); ++i) {
    EXPECT_EQ(first->asked[i].hits, kept->asked[i].hits);
    EXPECT_EQ(first->asked[i].hits, anew->asked[i].hits);
  }
}

TEST(EvalRunnerTest, AsksSoManyQuestionsEvenlySpaced) {
  const TempDir directory;
  RunOptions options = OptionsIn(directory);
  options.limit = 4;
  const auto run = RunSet(Load("talks"), options);
  ASSERT_THAT(run, IsOk());
  std::vector<std::string> ids;
  for (const Asked& asked : run->asked) ids.push_back(asked.id);
  EXPECT_EQ(ids,
            (std::vector<std::string>{"mara-jo/q0", "mara-jo/q4", "mara-jo/q8", "theo-ann/q12"}));
}

TEST(EvalRunnerTest, ASetWithoutLabelsIsNotStored) {
  const TempDir directory;
  QuestionSet set = Load("talks");
  for (Question& question : set.questions) question.relevant.clear();
  RunOptions options = OptionsIn(directory);
  options.keep = true;
  const auto run = RunSet(set, options);
  ASSERT_THAT(run, IsOk());
  EXPECT_TRUE(run->asked.empty());
  EXPECT_EQ(run->unlabelled.size(), set.questions.size());
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

}  // namespace
}  // namespace perdure::eval
