#include "tools/eval/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "tools/eval/page.h"
#include "tools/table.h"

namespace perdure::eval {
namespace {

using Json = nlohmann::json;

constexpr std::array kShown = {"R@1", "R@5", "R@10", "R@20", "MRR", "nDCG@10"};
constexpr std::array kCompared = {"R@1", "R@5", "R@10", "MRR", "nDCG@10"};

double Rounded(double value) { return std::round(value * 1e4) / 1e4; }

Json FiguresOf(const std::vector<Scores>& questions, std::size_t unlabelled) {
  Json figures = {{"n", questions.size()}, {"unlabelled", unlabelled}};
  if (questions.empty()) return figures;
  const Estimate estimate = EstimateOf(questions);
  for (std::size_t m = 0; m < kMetrics.size(); ++m) {
    figures[kMetrics[m]] = Rounded(estimate.mean[m]);
    const auto& [low, high] = estimate.interval[m];
    figures["ci95"][kMetrics[m]] = {Rounded(low), Rounded(high)};
  }
  return figures;
}

void AddTimes(const SetRun& run, Json& figures) {
  figures["items"] = run.items;
  if (run.asked.empty()) return;
  std::vector<double> total;
  std::vector<double> search;
  for (const QuestionTime& time : run.times) {
    total.push_back(time.total_ms);
    search.push_back(time.without_embedding_ms);
  }
  figures["p50_ms"] = Rounded(QuantileOf(total, .5));
  figures["p99_ms"] = Rounded(QuantileOf(total, .99));
  figures["p50_search_ms"] = Rounded(QuantileOf(search, .5));
  figures["p99_search_ms"] = Rounded(QuantileOf(search, .99));
  figures["degraded"] = run.degraded;
  figures["refused"] = run.refused;
  figures["wrongly_refused"] = run.wrongly_refused;
  if (!run.semantic_note.empty()) figures["semantic_note"] = run.semantic_note;
}

void AddSet(const SetRun& run, Json& sets) {
  std::map<std::string, std::vector<Scores>> scores;
  std::map<std::string, std::size_t> unlabelled;
  std::vector<Scores> all;
  for (const Asked& asked : run.asked) {
    all.push_back(asked.scores);
    scores[asked.category].push_back(asked.scores);
  }
  for (const std::string& category : run.unlabelled) {
    scores[category];
    ++unlabelled[category];
  }
  Json& set = sets[run.name];
  set["all"] = FiguresOf(all, run.unlabelled.size());
  AddTimes(run, set["all"]);
  for (const auto& [category, questions] : scores) {
    if (category.empty()) continue;
    set[category] = FiguresOf(questions, unlabelled[category]);
    if (run.has_scopes_as_categories) sets[run.name + "/" + category]["all"] = set[category];
  }
}

std::string Figure(const Json& figures, const char* metric) {
  if (!figures.contains(metric)) return "";
  return fmt::format("{:.3f}", figures[metric].get<double>());
}

// The figures of one category elsewhere; null when they are not there.
Json FiguresIn(const Beside& beside, const std::string& set, const std::string& category) {
  const auto found = beside.report["sets"].find(set);
  if (found == beside.report["sets"].end() || !found->contains(category)) return nullptr;
  return (*found)[category];
}

template <typename Use>
void ForEachRow(const Json& report, Use use) {
  for (const auto& [name, set] : report["sets"].items()) {
    use(name, "all", set["all"]);
    if (set.size() == 2) continue;  // one category is all of it
    for (const auto& [category, figures] : set.items()) {
      if (category != "all") use(name, category, figures);
    }
  }
}

std::string MarkdownOf(const Json& report, const std::vector<Beside>& beside) {
  std::string head = "| set | n | whose |";
  std::string rule = "|---|---|---|";
  for (const char* metric : kCompared) {
    head += fmt::format(" {} |", metric);
    rule += "---|";
  }
  std::string text = head + "\n" + rule + "\n";
  const auto add = [&](const std::string& place, const std::string& whose, const Json& figures) {
    text += fmt::format("| {} | {} |", place, whose);
    for (const char* metric : kCompared) {
      text += " " + Figure(figures, metric);
      if (figures.contains("ci95")) {
        const Json& interval = figures["ci95"][metric];
        text +=
            fmt::format(" ({:.3f}..{:.3f})", interval[0].get<double>(), interval[1].get<double>());
      }
      text += " |";
    }
    text += "\n";
  };
  ForEachRow(
      report, [&](const std::string& name, const std::string& category, const Json& figures) {
        if (figures["n"] == 0) return;
        const std::string place = category == "all" ? name : fmt::format("{}: {}", name, category);
        add(fmt::format("{} | {}", place, TextAt(figures, "n")), "perdure", figures);
        for (const Beside& other : beside) {
          const Json theirs = FiguresIn(other, name, category);
          if (!theirs.is_null()) add(" | ", other.label, theirs);
        }
      });
  return text;
}

Result<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) return Fail(Code::kNotFound, fmt::format("Cannot read {}.", path));
  return text;
}

Status WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) return Fail(Code::kUnavailable, fmt::format("Cannot write {}.", path));
  return {};
}

}  // namespace

Json ReportOf(const std::vector<SetRun>& runs) {
  Json report = {{"sets", Json::object()}};
  for (const SetRun& run : runs) AddSet(run, report["sets"]);
  return report;
}

Result<Beside> ReadBeside(const std::string& argument) {
  const std::size_t sign = argument.find('=');
  if (sign == std::string::npos) {
    return Fail(Code::kInvalidArgument, fmt::format("{} is not LABEL=FILE.", argument), "beside");
  }
  Beside beside{argument.substr(0, sign), {}};
  const std::string path = argument.substr(sign + 1);
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  beside.report = Json::parse(text, nullptr, false);
  if (!beside.report.is_object() || !beside.report.contains("sets") ||
      !beside.report["sets"].is_object()) {
    return Fail(Code::kInvalidArgument, fmt::format("{} holds no report of an evaluation.", path),
                "beside");
  }
  return beside;
}

void PrintReport(const Json& report, const std::vector<Beside>& beside) {
  std::vector<std::string> heads = {"set", "category", "whose", "n"};
  heads.insert(heads.end(), kShown.begin(), kShown.end());
  heads.insert(heads.end(), {"p50 ms", "p99 ms", "unlabelled"});
  Table table(heads);
  const auto add = [&](std::vector<std::string> row, const Json& figures) {
    row.push_back(TextAt(figures, "n"));
    for (const char* metric : kShown) row.push_back(Figure(figures, metric));
    for (const char* time : {"p50_ms", "p99_ms"}) {
      row.push_back(figures.contains(time) ? fmt::format("{:.1f}", figures[time].get<double>())
                                           : "");
    }
    row.push_back(figures.value("unlabelled", 0) == 0 ? "" : TextAt(figures, "unlabelled"));
    table.Add(std::move(row));
  };
  ForEachRow(report,
             [&](const std::string& name, const std::string& category, const Json& figures) {
               add({name, category, beside.empty() ? "" : "perdure"}, figures);
               for (const Beside& other : beside) {
                 const Json theirs = FiguresIn(other, name, category);
                 if (!theirs.is_null()) add({"", "", other.label}, theirs);
               }
             });
  table.Print();
}

Status WriteIntoPage(const std::string& page, const Json& report,
                     const std::vector<Beside>& beside) {
  return WriteBetweenMarks(page, "retrieval", MarkdownOf(report, beside));
}

Status WriteRankings(const std::string& path, const std::vector<SetRun>& runs) {
  std::string lines;
  for (const SetRun& run : runs) {
    for (const Asked& asked : run.asked) {
      lines += Json{{"set", run.name},
                    {"id", asked.id},
                    {"category", asked.category},
                    {"hits", asked.hits}}
                   .dump() +
               "\n";
    }
  }
  return WriteFile(path, lines);
}

}  // namespace perdure::eval
