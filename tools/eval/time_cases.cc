#include "tools/eval/time_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "index/time/time_reading.h"
#include "tools/program.h"
#include "tools/table.h"

namespace perdure::eval {
namespace {

using Json = nlohmann::json;

constexpr const char* kFile = "cases.jsonl";

// Times without a zone are UTC.
Result<Micros> TimeOf(const Json& value) {
  if (!value.is_string()) return Fail(Code::kInvalidArgument, "a time is not a text");
  std::string text = value;
  if (text.size() > 10 && !text.ends_with('Z') && text.find('+') == std::string::npos) text += 'Z';
  return ParseTime(text, "time");
}

Result<TimeCase> CaseOf(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("now") || !json.contains("text") ||
      !json["text"].is_string()) {
    return Fail(Code::kInvalidArgument, "no object with \"now\" and \"text\"");
  }
  TimeCase read;
  read.text = json["text"];
  ASSIGN_OR_RETURN(read.now, TimeOf(json["now"]));
  const Json range = json.value("range", Json());
  if (range.is_null()) return read;
  if (!range.is_array() || range.size() != 2) {
    return Fail(Code::kInvalidArgument, "\"range\" is no pair of times");
  }
  ASSIGN_OR_RETURN(const Micros first, TimeOf(range[0]));
  ASSIGN_OR_RETURN(const Micros last, TimeOf(range[1]));
  read.range.emplace(first, last + 1);
  return read;
}

Status Load(const std::string& path, std::vector<TimeCase>& cases) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.empty()) continue;
    auto read = CaseOf(line);
    if (!read) {
      return Fail(Code::kInvalidArgument,
                  fmt::format("{}:{}: {}", path, number, read.error().message));
    }
    cases.push_back(*std::move(read));
  }
  return {};
}

bool IsAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

struct Count {
  std::size_t n = 0;
  std::size_t right = 0;

  void Add(bool is_right) {
    ++n;
    if (is_right) ++right;
  }
};

std::string RangeText(const std::optional<std::pair<Micros, Micros>>& range) {
  if (!range) return "none";
  return fmt::format("{} until {}", FormatTime(range->first), FormatTime(range->second));
}

double ShareOf(const Json& count, const char* right) {
  const auto n = count["n"].get<double>();
  return n == 0 ? 0 : count[right].get<double>() / n;
}

}  // namespace

Result<std::vector<TimeCase>> LoadTimeCases(const std::string& directory) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory, error)) {
    if (entry.path().filename() == kFile) paths.push_back(entry.path().string());
  }
  if (error || paths.empty()) {
    return Fail(Code::kNotFound, fmt::format("There is no {} below {}.", kFile, directory), "data");
  }
  std::ranges::sort(paths);
  std::vector<TimeCase> cases;
  for (const std::string& path : paths) RETURN_IF_ERROR(Load(path, cases));
  return cases;
}

Json TimeReport(const std::vector<TimeCase>& cases) {
  Count ascii;
  Count all;
  Count none;
  Json wrong = Json::array();
  std::set<std::string> told;
  for (const TimeCase& asked : cases) {
    const auto readings = ReadTimes(asked.text, asked.now);
    const TimeReading* found = TimeRangeOf(readings);
    std::optional<std::pair<Micros, Micros>> range;
    if (found != nullptr) range.emplace(found->from, found->until);
    const bool is_right = range == asked.range;
    (asked.range ? all : none).Add(is_right);
    if (asked.range && IsAscii(asked.text)) ascii.Add(is_right);
    if (is_right || !told.insert(asked.text).second) continue;
    wrong.push_back({{"text", asked.text},
                     {"now", FormatTime(asked.now)},
                     {"read", RangeText(range)},
                     {"expected", RangeText(asked.range)}});
  }
  return {{"cases", cases.size()},
          {"ascii", {{"n", ascii.n}, {"exact", ascii.right}}},
          {"all", {{"n", all.n}, {"exact", all.right}}},
          {"none", {{"n", none.n}, {"kept", none.right}}},
          {"wrong", std::move(wrong)}};
}

void PrintTimeReport(const Json& report) {
  Table table({"cases", "n", "right", "share"});
  const auto row = [&](const char* name, const char* label, const char* right) {
    table.Add({label, TextAt(report[name], "n"), TextAt(report[name], right),
               fmt::format("{:.3f}", ShareOf(report[name], right))});
  };
  row("ascii", "with a range, in ASCII", "exact");
  row("all", "with a range", "exact");
  row("none", "without one", "kept");
  table.Print();
  for (const Json& wrong : report["wrong"]) {
    Print(fmt::format("{}: read {}, expected {}\n", OneLine(TextAt(wrong, "text"), 60),
                      TextAt(wrong, "read"), TextAt(wrong, "expected")));
  }
}

std::string TimeTable(const Json& report) {
  std::string text = "| cases | n | right | share |\n|---|---|---|---|\n";
  const auto row = [&](const char* name, const char* label, const char* right) {
    text += fmt::format("| {} | {} | {} | {:.3f} |\n", label, report[name]["n"].get<int>(),
                        report[name][right].get<int>(), ShareOf(report[name], right));
  };
  row("ascii", "with a range, in ASCII: read exactly", "exact");
  row("all", "with a range, in any language: read exactly", "exact");
  row("none", "without one: none is read", "kept");
  return text;
}

}  // namespace perdure::eval
