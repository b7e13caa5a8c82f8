// Whole runs over the sets of this folder, with the stand-in for a model.
#include "tools/eval/abstention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/status_matchers.h"
#include "support/temp_dir.h"

namespace perdure::eval {
namespace {

using ::perdure::testing::IsOk;
using ::perdure::testing::TempDir;
using ::testing::HasSubstr;

std::vector<QuestionSet> BothSets() {
  std::vector<QuestionSet> sets;
  for (const std::string name : {"household", "talks"}) {
    auto set = LoadSet({name, PERDURE_SOURCE_DIR "/tests/eval/sets/" + name});
    EXPECT_THAT(set, IsOk());
    sets.push_back(*set);
  }
  return sets;
}

TEST(EvalAbstentionTest, PutsQuestionsToTheRightMemoriesAndToWrongOnes) {
  const TempDir directory;
  const RunOptions options = {.directory = directory.path(), .model_dir = directory / "no-model"};
  const auto report = RunAbstention(BothSets(), options);
  ASSERT_THAT(report, IsOk());
  const auto& household = (*report)["sets"]["household"];
  EXPECT_EQ(household["unanswerable"], 2);
  EXPECT_EQ(household["foreign"], 16);  // of the talks
  EXPECT_EQ((*report)["sets"]["talks"]["neighbour"], 16);
  EXPECT_GT((*report)["all"]["at_floor"]["foreign"], .5);
  double kept = 1;
  double refused = 0;
  for (const auto& point : (*report)["all"]["curve"]) {
    EXPECT_LE(point["kept"], kept);
    EXPECT_GE(point["foreign"], refused);
    kept = point["kept"];
    refused = point["foreign"];
  }
  EXPECT_GE(kept, .8);
}

TEST(EvalAbstentionTest, WritesTheCurveIntoAPage) {
  const TempDir directory;
  const std::string page = directory / "page.md";
  std::ofstream(page) << "<!-- perdure eval abstention: begin -->\n"
                         "<!-- perdure eval abstention: end -->\n";
  const nlohmann::json point = {{"relevance", .5}, {"kept", .95}, {"foreign", .81}};
  const nlohmann::json figures = {{"curve", {point}}, {"at_floor", point}};
  ASSERT_THAT(WriteAbstention(page, {{"all", figures}, {"sets", {{"talks", figures}}}}), IsOk());
  std::ostringstream text;
  text << std::ifstream(page).rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("| all | 0.500 | 0.950 | 0.810 |  |  |\n"));
  EXPECT_THAT(text.str(), HasSubstr("| talks, by default | 0.500 | 0.950 | 0.810 |  |  |\n"));
}

}  // namespace
}  // namespace perdure::eval
