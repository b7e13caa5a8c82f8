#include "engine/replay/replay.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "tools/progress.h"
#include "tools/read_only.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

Result<int> RunReplay(const Program& program) {
  ASSIGN_OR_RETURN(const auto opened, ReadOnlyStore::Open(program, true));
  const Engine& engine = opened->engine();
  Seq total = 0;
  for (const SpaceInfo& space : engine.Spaces()) total += engine.Visible(space.id).seq;
  const auto start = std::chrono::steady_clock::now();
  ReplayReport report;
  {
    ProgressBar bar("replay", total);
    ASSIGN_OR_RETURN(report,
                     Replay(engine, fmt::format("{}/replay.{}", opened->data_dir(), getpid()),
                            [&bar](Seq done) { bar.Update(done); }));
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const bool is_equal = report.difference.empty();
  if (program.json) {
    nlohmann::json answer = {{"ok", is_equal},
                             {"entries", report.entries},
                             {"records", report.records},
                             {"rows", report.rows},
                             {"live", HexEncode(AsBytes(report.live))},
                             {"replayed", HexEncode(AsBytes(report.replayed))},
                             {"seconds", seconds.count()}};
    if (!is_equal) answer["difference"] = report.difference;
    PrintJson(answer);
  } else {
    Print(fmt::format("{} entries replayed in {:.2f} s, {} records and {} rows compared\n",
                      report.entries, seconds.count(), report.records, report.rows));
    Print(is_equal ? fmt::format("byte-identical: {}\n", HexEncode(AsBytes(report.live)))
                   : fmt::format("DIFFERENT: {}\n", report.difference));
  }
  return is_equal ? kExitOk : kExitFailed;
}

}  // namespace

void AddReplay(CLI::App& app, Program& program) {
  CLI::App& verb = AddVerb(app, program, "replay",
                           "Rebuild every projection from the log beside the live ones, and "
                           "compare; beside a running server too");
  OnRun(verb, program, [&program] { return RunReplay(program); });
}

}  // namespace perdure
