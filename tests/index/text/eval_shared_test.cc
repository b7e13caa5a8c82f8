// Reads ../shared/eval beside the repository, and skips where that is absent.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "index/text/text_index.h"
#include "support/temp_dir.h"

namespace perdure {
namespace {

const std::filesystem::path kEvalFolder =
    std::filesystem::path(PERDURE_SOURCE_DIR) / "../shared/eval/open";

std::vector<nlohmann::json> ReadLines(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

// The share of queries whose first hit is relevant, by scope.
std::map<std::string, double> FirstHitShares(const std::string& set) {
  const auto corpus = ReadLines(kEvalFolder / set / "corpus.jsonl");
  const auto root =
      std::filesystem::temp_directory_path() / ("perdure_eval_" + set + std::to_string(::getpid()));
  std::map<std::string, std::unique_ptr<TextIndex>> indexes;
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    const std::string scope = corpus[i].at("scope");
    auto& index = indexes[scope];
    if (index == nullptr) index = TextIndex::Open(root / scope).value();
    const std::string title = corpus[i].value("title", "");
    const std::string text = corpus[i].at("text");
    const TextDocument document{i, TermsOfDocument({title, "", {}, text})};
    EXPECT_TRUE(index->Add({&document, 1}).has_value());
  }
  std::map<std::string, std::pair<int, int>> found;
  for (const auto& query : ReadLines(kEvalFolder / set / "queries.jsonl")) {
    const std::string scope = query.at("scope");
    const auto terms = TermsOfQuery(query.at("text").get<std::string>());
    const auto hits =
        indexes.at(scope)->Search(terms, 1, false, [](std::uint64_t) { return true; });
    const auto& relevant = query.at("relevant");
    ++found[scope].second;
    if (hits->empty()) continue;
    const auto& id = corpus[hits->front().chunk].at("id");
    found[scope].first += std::ranges::find(relevant, id) != relevant.end() ? 1 : 0;
  }
  std::map<std::string, double> shares;
  for (const auto& [scope, counts] : found) {
    shares[scope] = static_cast<double>(counts.first) / counts.second;
    std::printf("%s %s: R@1 %.4f\n", set.c_str(), scope.c_str(), shares[scope]);
  }
  return shares;
}

TEST(TextEval, QuestionsFindTheirParagraphInEveryLanguage_shared) {
  if (!std::filesystem::exists(kEvalFolder / "xquad/corpus.jsonl")) {
    GTEST_SKIP() << "no ../shared/eval/open/xquad here";
  }
  const auto share = FirstHitShares("xquad");
  EXPECT_GE(share.at("en"), .94);
  EXPECT_GE(share.at("zh"), .92);
  EXPECT_GE(share.at("th"), .9);
  EXPECT_GE(share.at("ru"), .89);
  EXPECT_GE(share.at("ar"), .85);
  EXPECT_GE(share.at("de"), .88);
  EXPECT_GE(share.at("es"), .91);
}

}  // namespace
}  // namespace perdure
