#include "tools/verbs/carried.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>

#include "tools/program.h"

namespace perdure {

Result<Tombstones> ReadBundle(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Fail(Code::kNotFound, fmt::format("{} cannot be read.", path), "file");
  return ReadTombstones(in);
}

nlohmann::json JsonOf(const CarryReport& report) {
  return {{"erased", report.erased},       {"suppressed", report.suppressed},
          {"forgotten", report.forgotten}, {"lifted", report.lifted},
          {"known", report.known},         {"not_carried", report.not_carried}};
}

std::string TextOf(const CarryReport& report) {
  std::string text = fmt::format(
      "tombstones: {} erased, {} suppressed, {} forgotten, {} lifted, {} known before\n",
      report.erased, report.suppressed, report.forgotten, report.lifted, report.known);
  if (!report.not_carried.empty()) {
    text +=
        fmt::format("  NOT kept out, for the space has another secret: what entries {} rejected\n",
                    fmt::join(report.not_carried, ", "));
  }
  return text;
}

int ExitCodeOf(const std::vector<CarryReport>& reports) {
  const bool is_whole = std::ranges::all_of(
      reports, [](const CarryReport& report) { return report.not_carried.empty(); });
  return is_whole ? kExitOk : kExitFailed;
}

}  // namespace perdure
