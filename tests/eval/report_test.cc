#include "tools/eval/report.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/status_matchers.h"
#include "support/temp_dir.h"

namespace perdure::eval {
namespace {

using ::perdure::testing::FailsWith;
using ::perdure::testing::IsOk;
using ::perdure::testing::TempDir;
using ::testing::HasSubstr;
using Json = nlohmann::json;

// Two questions of two categories: one found first, one second; and one without labels.
SetRun RunOf(std::string name) {
  SetRun run;
  run.name = std::move(name);
  run.items = 9;
  run.asked = {{"q0", "en", "en", ScoreRanks(std::vector<std::size_t>{1}, 1), {"a"}},
               {"q1", "fr", "fr", ScoreRanks(std::vector<std::size_t>{2}, 1), {"a", "b"}}};
  run.unlabelled = {"fr"};
  run.times = {{4, 1}, {6, 2}, {8, 3}};
  return run;
}

std::string ReadAll(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(EvalReportTest, HasTheFiguresOfASetAndOfEachCategory) {
  const Json sets = ReportOf({RunOf("set")})["sets"];
  ASSERT_EQ(sets.size(), 1u);
  const Json& all = sets["set"]["all"];
  EXPECT_EQ(all["n"], 2);
  EXPECT_EQ(all["unlabelled"], 1);
  EXPECT_EQ(all["R@1"], .5);
  EXPECT_EQ(all["MRR"], .75);
  EXPECT_EQ(all["ci95"]["MRR"], Json({.5, 1.0}));
  EXPECT_EQ(all["p50_ms"], 6);
  EXPECT_EQ(all["p50_search_ms"], 2);
  EXPECT_EQ(sets["set"]["en"]["MRR"], 1);
  EXPECT_EQ(sets["set"]["fr"]["MRR"], .5);
  EXPECT_EQ(sets["set"]["fr"]["unlabelled"], 1);
}

TEST(EvalReportTest, LanguagesAreSetsOfTheirOwnToo) {
  SetRun run = RunOf("set");
  run.has_scopes_as_categories = true;
  const Json sets = ReportOf({run})["sets"];
  EXPECT_EQ(sets["set/fr"]["all"], sets["set"]["fr"]);
  EXPECT_EQ(sets.size(), 3u);
}

TEST(EvalReportTest, QuestionsWithoutLabelsAreCountedAndNotScored) {
  SetRun run;
  run.name = "probes";
  run.unlabelled = {"probe", "probe"};
  const Json sets = ReportOf({run})["sets"];
  EXPECT_EQ(sets["probes"]["all"], Json({{"n", 0}, {"unlabelled", 2}, {"items", 0}}));
  EXPECT_EQ(sets["probes"]["probe"], Json({{"n", 0}, {"unlabelled", 2}}));
}

TEST(EvalReportTest, ATableStandsBetweenTheMarksOfAPage) {
  const TempDir directory;
  const std::string page = directory / "page.md";
  std::ofstream(page) << "# Title\n<!-- perdure eval retrieval: begin -->\nold\n"
                         "<!-- perdure eval retrieval: end -->\nrest\n";
  const Beside other{"BM25", {{"sets", {{"set", {{"all", {{"R@1", .25}}}}}}}}};
  ASSERT_THAT(WriteRetrieval(page, ReportOf({RunOf("set")}), {other}), IsOk());
  const std::string text = ReadAll(page);
  EXPECT_THAT(text, HasSubstr("# Title\n<!-- perdure eval retrieval: begin -->\n| set |"));
  EXPECT_THAT(text, HasSubstr("| set | 2 | perdure | 0.500 (0.000..1.000) |"));
  EXPECT_THAT(text, HasSubstr("| BM25 | 0.250 |"));
  EXPECT_THAT(text, HasSubstr("| set: fr | 1 | perdure | 0.000 (0.000..0.000) |"));
  EXPECT_THAT(text, HasSubstr("\n<!-- perdure eval retrieval: end -->\nrest\n"));
  EXPECT_EQ(text.find("old"), std::string::npos);
  ASSERT_THAT(WriteRetrieval(page, ReportOf({RunOf("set")}), {other}), IsOk());
  EXPECT_EQ(ReadAll(page), text);
}

TEST(EvalReportTest, APageWithoutMarksIsLeftAlone) {
  const TempDir directory;
  const std::string page = directory / "page.md";
  std::ofstream(page) << "# Title\n";
  EXPECT_THAT(WriteRetrieval(page, ReportOf({RunOf("set")}), {}),
              FailsWith(Code::kInvalidArgument, HasSubstr("has no lines")));
  EXPECT_EQ(ReadAll(page), "# Title\n");
  EXPECT_THAT(WriteRetrieval(directory / "none.md", ReportOf({}), {}),
              FailsWith(Code::kNotFound, HasSubstr("none.md")));
}

TEST(EvalReportTest, OnlyReportsAreShownBeside) {
  const TempDir directory;
  const std::string good = directory / "good.json";
  const std::string bad = directory / "bad.json";
  std::ofstream(good) << R"({"sets": {}})";
  std::ofstream(bad) << R"({"sets": 3})";
  const auto beside = ReadBeside("before=" + good);
  ASSERT_THAT(beside, IsOk());
  EXPECT_EQ(beside->label, "before");
  EXPECT_THAT(ReadBeside(good), FailsWith(Code::kInvalidArgument, HasSubstr("LABEL=FILE")));
  EXPECT_THAT(ReadBeside("x=" + bad), FailsWith(Code::kInvalidArgument, HasSubstr("no report")));
  EXPECT_THAT(ReadBeside("x=" + good + "2"), FailsWith(Code::kNotFound, HasSubstr("good.json2")));
}

TEST(EvalReportTest, RankingsAreOneLineAQuestion) {
  const TempDir directory;
  ASSERT_THAT(WriteRankings(directory / "ranks.jsonl", {RunOf("set")}), IsOk());
  EXPECT_EQ(ReadAll(directory / "ranks.jsonl"),
            R"({"category":"en","hits":["a"],"id":"q0","relevance":0.0,"set":"set","why":[]})"
            "\n"
            R"({"category":"fr","hits":["a","b"],"id":"q1","relevance":0.0,"set":"set","why":[]})"
            "\n");
}

}  // namespace
}  // namespace perdure::eval
