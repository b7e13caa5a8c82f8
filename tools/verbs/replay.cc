#include "engine/replay/replay.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "engine/replay/repair.h"
#include "tools/data_dir.h"
#include "tools/directory_lock.h"
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

Result<int> RunInPlace(const Program& program) {
  ASSIGN_OR_RETURN(const std::string data_dir, DataDirOf(program));
  ASSIGN_OR_RETURN(const DirectoryLock lock, LockAlone(data_dir, "replay"));
  RepairReport report;
  {
    const Stopwatch stopwatch("replay in place");
    ASSIGN_OR_RETURN(report, RebuildStore(data_dir, {}));
  }
  if (program.json) {
    PrintJson({{"ok", true}, {"entries", report.entries}, {"old_store", report.old_store}});
  } else {
    Print(
        fmt::format("{} entries replayed into a new store, now in place\n"
                    "the old one stands in {}; delete it when all is well\n",
                    report.entries, report.old_store));
  }
  return kExitOk;
}

}  // namespace

void AddReplay(CLI::App& app, Program& program) {
  CLI::App& verb = AddVerb(app, program, "replay",
                           "Rebuild every projection from the log beside the live ones, and "
                           "compare; beside a running server too");
  const auto in_place = std::make_shared<bool>(false);
  const auto sure = std::make_shared<bool>(false);
  CLI::Option* const yes =
      verb.add_flag("--yes", *sure, "For --in-place: another store takes the place of this one");
  verb.add_flag("--in-place", *in_place,
                "Instead of comparing: rebuild the store from its log, with no server running")
      ->needs(yes);
  OnRun(verb, program, [&program, in_place, sure] {
    return *in_place ? RunInPlace(program) : RunReplay(program);
  });
}

}  // namespace perdure
