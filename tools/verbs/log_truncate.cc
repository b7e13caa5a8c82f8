#include <fmt/format.h>

#include "engine/replay/repair.h"
#include "tools/data_dir.h"
#include "tools/directory_lock.h"
#include "tools/progress.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

struct Cut {
  std::string space = "main";
  Seq to = 0;
  bool yes = false;  // only that it was said
};

Result<SpaceId> SpaceNamed(const std::string& data_dir, const std::string& space) {
  ASSIGN_OR_RETURN(const auto logs, ExamineLogs(data_dir));
  for (const LogHealth& log : logs) {
    if (log.name == space) return log.space;
  }
  return Fail(Code::kNotFound, fmt::format("There is no space '{}'.", space), "space");
}

Json AnswerOf(const RepairReport& report) {
  Json answer = {{"ok", true},
                 {"entries", report.entries},
                 {"lost_entries", report.lost_entries},
                 {"cut_file", report.cut_file},
                 {"old_store", report.old_store},
                 {"lost_erasures", Json::array()}};
  if (report.lost_from != 0) {
    answer["lost_from"] = FormatTime(report.lost_from);
    answer["lost_until"] = FormatTime(report.lost_until);
  }
  for (const Uuid& id : report.lost_erasures) answer["lost_erasures"].push_back(ToString(id));
  return answer;
}

void PrintReport(const Json& answer) {
  Print(fmt::format("{} acknowledged entries are lost", answer["lost_entries"].get<Seq>()));
  if (answer.contains("lost_from")) {
    Print(fmt::format(", of {} to {}", answer["lost_from"].get<std::string>(),
                      answer["lost_until"].get<std::string>()));
  }
  Print(fmt::format("\n  what of them can be read: {}\n  the store as it was: {}\n",
                    answer["cut_file"].get<std::string>(), answer["old_store"].get<std::string>()));
  for (const Json& id : answer["lost_erasures"]) {
    Print(fmt::format("  erase again: perdure memory erase {} --yes\n", id.get<std::string>()));
  }
}

Result<int> Truncate(const Program& program, const Cut& cut) {
  ASSIGN_OR_RETURN(const std::string data_dir, DataDirOf(program));
  ASSIGN_OR_RETURN(const DirectoryLock lock, LockAlone(data_dir, "log truncate"));
  ASSIGN_OR_RETURN(const SpaceId space, SpaceNamed(data_dir, cut.space));
  RepairReport report;
  {
    const Stopwatch stopwatch("log truncate");
    ASSIGN_OR_RETURN(report, RebuildStore(data_dir, Truncation{space, cut.to}));
  }
  const Json answer = AnswerOf(report);
  program.json ? PrintJson(answer) : PrintReport(answer);
  return kExitOk;
}

}  // namespace

void AddLogTruncate(CLI::App& log, Program& program) {
  CLI::App& verb = AddVerb(log, program, "truncate",
                           "Cut a damaged log after its last good entry, with no server running; "
                           "what is cut is kept in a file");
  const auto cut = std::make_shared<Cut>();
  verb.add_option("--to", cut->to, "The last good entry, as `perdure doctor` names it")->required();
  verb.add_option("--space", cut->space, "Of this space")->capture_default_str();
  verb.add_flag("--yes", cut->yes, "The acknowledged writes behind it are lost")->required();
  OnRun(verb, program, [&program, cut] { return Truncate(program, *cut); });
}

}  // namespace perdure
