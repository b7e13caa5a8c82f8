#include "tools/eval/question_set.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/status_matchers.h"
#include "support/temp_dir.h"

namespace perdure::eval {
namespace {

using ::perdure::testing::IsOk;
using ::perdure::testing::TempDir;

constexpr const char* kItem = R"({"id":"a","scope":"s","text":"one"})";
constexpr const char* kQuestion = R"({"id":"q","scope":"s","text":"?","relevant":["a"]})";

SetPlace Write(const TempDir& directory, const std::string& folder, const std::string& corpus,
               const std::string& queries) {
  const std::string path = directory / folder;
  std::filesystem::create_directories(path);
  std::ofstream(path + "/corpus.jsonl") << corpus;
  std::ofstream(path + "/queries.jsonl") << queries;
  return {folder, path};
}

std::string ErrorOf(const std::string& corpus, const std::string& queries) {
  const TempDir directory;
  const auto set = LoadSet(Write(directory, "set", corpus, queries));
  if (set) return "none";
  EXPECT_EQ(set.error().code, Code::kInvalidArgument);
  return set.error().message.substr(directory.path().size() + 5);
}

TEST(QuestionSetTest, SetsAreFoundAtAnyDepthAndNamedByAsMuchAsTellsThemApart) {
  const TempDir directory;
  for (const char* folder : {"open/one", "open/deep/two", "other/two", "other/deeper/two"}) {
    Write(directory, folder, kItem, kQuestion);
  }
  Write(directory, "open/no_queries", kItem, "");
  std::filesystem::remove(directory / "open/no_queries/queries.jsonl");
  const auto found = FindSets(directory.path());
  ASSERT_THAT(found, IsOk());
  std::vector<std::string> names;
  for (const SetPlace& place : *found) names.push_back(place.name);
  EXPECT_EQ(names, (std::vector<std::string>{"deep/two", "deeper/two", "one", "other/two"}));
}

TEST(QuestionSetTest, AFolderThatIsASetItselfIsNamedAfterItself) {
  const TempDir directory;
  Write(directory, "alone", kItem, kQuestion);
  const auto found = FindSets(directory / "alone");
  ASSERT_THAT(found, IsOk());
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->front().name, "alone");
}

TEST(QuestionSetTest, AFolderThatIsMissingOrHoldsNoSetIsNotFound) {
  const TempDir directory;
  for (const std::string& path : {directory / "nowhere", directory.path()}) {
    const auto found = FindSets(path);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, Code::kNotFound);
    EXPECT_NE(found.error().message.find(path), std::string::npos);
  }
}

TEST(QuestionSetTest, ReadsWhatALineSays) {
  const TempDir directory;
  const auto set = LoadSet(Write(
      directory, "set",
      R"({"id":"a","scope":"s","text":"one","title":"T","tags":["x"],"aliases":["y"],"session":7,)"
      R"("speaker":"Jo","time":"2023-01-20T16:04:00","importance":0.9,"pinned":true,)"
      R"("status":"superseded","why":{"not":"read"}})"
      "\n\n"
      R"({"id":"b","scope":"s","text":"two","time":"2023-01-20"})"
      "\n",
      R"({"id":"q","scope":"s","text":"?","category":"c","relevant":["b","a","b"]})"
      "\r\n"
      R"({"id":"r","scope":"s","text":"","relevant":[]})"));
  ASSERT_THAT(set, IsOk());
  const Item& item = set->items.at(0);
  EXPECT_EQ(item.tags, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(item.session, "7");
  EXPECT_EQ(item.time, ParseTime("2023-01-20T16:04:00Z", "").value());
  EXPECT_EQ(item.importance, .9);
  EXPECT_TRUE(item.is_pinned && item.is_superseded && item.IsTurn());
  EXPECT_EQ(set->items.at(1).time, ParseTime("2023-01-20T00:00:00Z", "").value());
  EXPECT_FALSE(set->items.at(1).IsTurn());
  EXPECT_EQ(set->questions.at(0).relevant, (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(set->questions.at(1).relevant.empty());
}

TEST(QuestionSetTest, WhatIsMalformedIsNamedByFileAndLine) {
  const std::string item = std::string(kItem) + "\n";
  EXPECT_EQ(ErrorOf(kItem, kQuestion), "none");
  EXPECT_EQ(ErrorOf(item + "{\"id\":", kQuestion),
            "corpus.jsonl:2: the line is not a JSON object.");
  EXPECT_EQ(ErrorOf("[1]", kQuestion), "corpus.jsonl:1: the line is not a JSON object.");
  EXPECT_EQ(ErrorOf(item + "\n" + item, kQuestion), "corpus.jsonl:3: the line repeats the id a.");
  EXPECT_EQ(ErrorOf(R"({"id":"a","scope":"s"})", kQuestion),
            "corpus.jsonl:1: the line has no \"text\".");
  EXPECT_EQ(ErrorOf(R"({"id":"a","scope":"s","text":["x"]})", kQuestion),
            "corpus.jsonl:1: the line \"text\" is not a string.");
  EXPECT_EQ(ErrorOf(R"({"id":"a","scope":"s","text":"x","tags":"t"})", kQuestion),
            "corpus.jsonl:1: the line \"tags\" is not a list of strings.");
  EXPECT_EQ(ErrorOf(R"({"id":"a","scope":"s","text":"x","time":"soon"})", kQuestion),
            "corpus.jsonl:1: the line \"time\" is no time: soon.");
  EXPECT_EQ(ErrorOf(R"({"id":"a","scope":"s","text":"x","importance":"1"})", kQuestion),
            "corpus.jsonl:1: the line \"importance\" is not a number.");
  EXPECT_EQ(ErrorOf(R"({"id":"a","scope":"s","text":"x","pinned":1})", kQuestion),
            "corpus.jsonl:1: the line \"pinned\" is not true or false.");
  EXPECT_EQ(ErrorOf(kItem, R"({"id":"q","scope":"s","text":"?"})"),
            "queries.jsonl:1: the line has no \"relevant\".");
  EXPECT_EQ(ErrorOf(kItem, R"({"id":"q","scope":"s","text":"?","relevant":["z"]})"),
            "queries.jsonl:1: the line \"relevant\" names z, which the corpus has not.");
  EXPECT_EQ(ErrorOf(kItem, R"({"id":"q","scope":"s","text":"?","category":"all","relevant":[]})"),
            "queries.jsonl:1: the line \"category\" is \"all\", which stands for every category.");
}

QuestionSet TwoLanguages() {
  QuestionSet set;
  set.name = "languages";
  set.items = {{.id = "e", .scope = "en", .text = "one"}, {.id = "f", .scope = "fr", .text = "un"}};
  set.questions = {{.id = "q0", .scope = "en", .text = "?", .category = "en", .relevant = {0}},
                   {.id = "q1", .scope = "fr", .text = "?", .category = "fr", .relevant = {1}}};
  return set;
}

TEST(QuestionSetTest, OneScopeAloneIsASetWithItsOwnItems) {
  const auto french = OfScope(TwoLanguages(), "fr");
  ASSERT_THAT(french, IsOk());
  EXPECT_EQ(french->name, "languages/fr");
  ASSERT_EQ(french->items.size(), 1u);
  EXPECT_EQ(french->items[0].id, "f");
  EXPECT_EQ(french->questions.at(0).relevant, std::vector<std::size_t>{0});
  EXPECT_FALSE(OfScope(TwoLanguages(), "de"));
}

TEST(QuestionSetTest, OnlySeveralScopesThatAreCategoriesMakeLanguages) {
  QuestionSet set = TwoLanguages();
  EXPECT_TRUE(HasScopesAsCategories(set));
  set.questions[1].category = "hard";
  EXPECT_FALSE(HasScopesAsCategories(set));
  EXPECT_FALSE(HasScopesAsCategories(*OfScope(TwoLanguages(), "fr")));
  EXPECT_FALSE(HasScopesAsCategories({}));
}

}  // namespace
}  // namespace perdure::eval
