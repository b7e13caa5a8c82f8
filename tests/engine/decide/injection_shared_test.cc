// False alarms over texts that people wrote for other ends. Reads ../shared/eval beside the
// repository, and skips where that is absent. docs/SECURITY.md gives the figures.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/decide/injection.h"

namespace perdure {
namespace {

const std::filesystem::path kEvalFolder =
    std::filesystem::path(PERDURE_SOURCE_DIR) / "../shared/eval/open";

struct Count {
  int texts = 0;
  int alarms = 0;
  void Add(const std::string& name, const std::string& text) {
    ++texts;
    const auto found = FindInjection(text);
    if (!found) return;
    ++alarms;
    std::printf("  %s: %s\n", name.c_str(), std::string(*found).c_str());
  }
};

Count OfCorpus(const std::string& set) {
  Count count;
  std::ifstream file(kEvalFolder / set / "corpus.jsonl");
  for (std::string line; std::getline(file, line);) {
    const auto item = nlohmann::json::parse(line);
    count.Add(set + " " + item.at("id").get<std::string>(), item.at("text").get<std::string>());
  }
  return count;
}

Count OfFiles(const std::string& set) {
  Count count;
  for (const auto& entry : std::filesystem::directory_iterator(kEvalFolder / set / "files")) {
    std::ifstream file(entry.path(), std::ios::binary);
    count.Add(entry.path().filename(), {std::istreambuf_iterator<char>(file), {}});
  }
  return count;
}

struct Published {
  const char* set;
  int texts;
  int alarms;
};

TEST(InjectionEval, OrdinaryMemoriesRaiseNoMoreAlarmsThanPublished_shared) {
  if (!std::filesystem::exists(kEvalFolder / "memory_files/files")) {
    GTEST_SKIP() << "no ../shared/eval/open here";
  }
  const std::vector<Published> published = {
      {"memory_files", 40, 0},
      {"hermes_agent_session", 474, 0},
      {"memorybank_en", 1132, 0},
      {"longmemeval_evidence", 528, 0},
      {"madial_en", 160, 0},
      {"mem0sharp_eval", 57, 0},
      {"memorizer_searcheval", 45, 0},
      {"memsem_bench", 51, 0},
      {"precisionmembench", 35, 0},
      {"xquad", 1680, 0},
      {"cmrc_zh", 848, 0},
      {"jsquad_ja", 689, 0},
  };
  for (const auto& [set, texts, alarms] : published) {
    const Count count = std::string(set) == "memory_files" ? OfFiles(set) : OfCorpus(set);
    std::printf("%s: %d texts, %d alarms\n", set, count.texts, count.alarms);
    EXPECT_EQ(count.texts, texts) << set;
    EXPECT_EQ(count.alarms, alarms) << set;
  }
}

}  // namespace
}  // namespace perdure
