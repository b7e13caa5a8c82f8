#include "engine/transfer/restore.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>

#include "engine/base/time.h"
#include "tools/data_dir.h"
#include "tools/progress.h"
#include "tools/verbs/carried.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

struct RestoreChoice {
  RestoreOptions options;
  std::uint32_t number = 0;
  std::string as_of;
  std::vector<std::string> bundles;
};

Status SetMoment(const std::string& text, RestoreOptions& options) {
  if (text.empty()) return {};
  Seq seq = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seq);
  if (error == std::errc() && end == text.data() + text.size()) {
    options.as_of_seq = seq;
    return {};
  }
  ASSIGN_OR_RETURN(options.as_of, ParseTime(text, "as-of"));
  return {};
}

Json AnswerOf(const RestoreOptions& options, const RestoreReport& report) {
  Json answer = {{"directory", options.directory}, {"number", report.number}};
  for (const RestoredLog& log : report.logs) {
    answer["logs"].push_back({{"space", log.name},
                              {"backup_seq", log.backup_seq},
                              {"restored_seq", log.restored_seq},
                              {"origin", log.origin}});
  }
  answer["carried"] = Json::array();
  for (const CarryReport& carried : report.carried) answer["carried"].push_back(JsonOf(carried));
  return answer;
}

Result<int> Run(const Program& program, RestoreChoice& choice) {
  RestoreOptions& options = choice.options;
  if (choice.number != 0) options.number = choice.number;
  RETURN_IF_ERROR(SetMoment(choice.as_of, options));
  for (const std::string& path : choice.bundles) {
    ASSIGN_OR_RETURN(options.tombstones.emplace_back(), ReadBundle(path));
  }
  SystemClock clock;
  SystemRandom random;
  RestoreReport report;
  {
    const Stopwatch stopwatch("restore");
    ASSIGN_OR_RETURN(report, RestoreStore(options, clock, random));
    RETURN_IF_ERROR(FillDataDir(options.directory, clock, random));  // the token files
  }
  if (program.json) {
    PrintJson(AnswerOf(options, report));
  } else {
    Print(fmt::format("backup {} restored to {}\n", report.number, options.directory));
    for (const RestoredLog& log : report.logs) {
      Print(fmt::format("  {}: the backup's log up to entry {} of {}; tree heads from now on: {}\n",
                        log.name, log.restored_seq - 1, log.backup_seq, log.origin));
    }
    for (const CarryReport& carried : report.carried) Print("  " + TextOf(carried));
    Print(
        "  indexes are built anew by the first `perdure serve`; tokens of then hold, and "
        "there are new ones for agents and operators\n");
  }
  return ExitCodeOf(report.carried);
}

}  // namespace

void AddRestore(CLI::App& app, Program& program) {
  CLI::App& verb = AddVerb(app, program, "restore",
                           "Make a data directory of a backup; the log says so, and goes on as one "
                           "of its own");
  const auto choice = std::make_shared<RestoreChoice>();
  verb.add_option("directory", choice->options.backups, "Where the backups are kept")->required();
  verb.add_option("--to", choice->options.directory, "The new data directory; not there, or empty")
      ->required();
  verb.add_option("--keys", choice->options.keys, "A directory with the key files")->required();
  verb.add_option("--number", choice->number, "Which backup (default: the last)");
  verb.add_option("--as-of", choice->as_of,
                  "Cut the logs at this time, or that of main after this entry");
  verb.add_option("--tombstones", choice->bundles,
                  "What was rejected, lifted and erased since: files of `perdure export "
                  "--tombstones`");
  OnRun(verb, program, [&program, choice] { return Run(program, *choice); });
}

}  // namespace perdure
