#include <fmt/format.h>

#include <algorithm>

#include "tools/eval/governance.h"
#include "tools/eval/page.h"
#include "tools/program.h"
#include "tools/table.h"

namespace perdure::eval {
namespace {

using Json = nlohmann::json;

Json Figures(const Kept& kept) {
  return {{"rows", kept.rows}, {"returned", kept.returned}, {"control", kept.control}};
}

// Calls `visit` with set, reason and figures of each row; a set's sum has no reason.
template <typename Visit>
void ForEachLine(const Json& report, Visit&& visit) {
  for (const auto& [name, set] : report["sets"].items()) {
    visit(name, std::string("all"), set);
    for (const auto& [reason, figures] : set["by"].items()) visit(name, reason, figures);
  }
}

std::string MarkdownOf(const Json& report) {
  std::string text =
      "| set | may not be returned because | rows | returned | by the control |\n"
      "|---|---|---|---|---|\n";
  ForEachLine(report, [&](const std::string& name, const std::string& why, const Json& figures) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", name, why, figures["rows"].get<int>(),
                        figures["returned"].get<int>(), figures["control"].get<int>());
  });
  for (const auto& [name, set] : report["sets"].items()) {
    text += fmt::format(
        "\n{}: {} questions; of what may be returned and is relevant, {:.3f} is "
        "among the first 10.\n",
        name, set["questions"].get<int>(), set["R@10"].get<double>());
  }
  return text;
}

}  // namespace

Json GovernanceReport(const std::vector<GovernanceRun>& runs) {
  Json report = {{"sets", Json::object()}};
  for (const GovernanceRun& run : runs) {
    Kept all;
    Json set = {{"questions", run.questions},
                {"R@10", run.found},
                {"by", Json::object()},
                {"leaks", run.leaks}};
    for (const auto& [reason, kept] : run.kept) {
      set["by"][reason] = Figures(kept);
      all.rows += kept.rows;
      all.returned += kept.returned;
      all.control += kept.control;
    }
    set.update(Figures(all));
    report["sets"][run.name] = std::move(set);
  }
  report["passes"] = std::ranges::all_of(runs, Passes);
  return report;
}

void PrintGovernance(const Json& report) {
  Table table({"set", "because", "rows", "returned", "by the control"});
  ForEachLine(report, [&](const std::string& name, const std::string& why, const Json& figures) {
    table.Add({name, why, TextAt(figures, "rows"), TextAt(figures, "returned"),
               TextAt(figures, "control")});
  });
  table.Print();
  for (const auto& [name, set] : report["sets"].items()) {
    for (const Json& leak : set["leaks"]) {
      Print(fmt::format("{}: returned against the rules: {}\n", name, leak.get<std::string>()));
    }
  }
}

Status WriteGovernance(const std::string& page, const Json& report) {
  return WriteBetweenMarks(page, "governance", MarkdownOf(report));
}

}  // namespace perdure::eval
