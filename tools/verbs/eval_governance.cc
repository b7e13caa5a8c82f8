#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <system_error>

#include "tools/data_dir.h"
#include "tools/eval/governance.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

struct GovernanceArguments {
  std::string sets;   // --data
  std::string set;    // the one to run
  std::string write;  // a page
};

Result<int> RunGovernance(const Program& program, const GovernanceArguments& arguments) {
  ASSIGN_OR_RETURN(const auto places, eval::FindSets(arguments.sets));
  const std::filesystem::path scratch =
      std::filesystem::temp_directory_path() / fmt::format("perdure-governance-{}", getpid());
  std::vector<eval::GovernanceRun> runs;
  for (const eval::SetPlace& place : places) {
    if (!arguments.set.empty() && arguments.set != place.name) continue;
    ASSIGN_OR_RETURN(const eval::GovernedSet set, eval::LoadGovernedSet(place));
    if (arguments.set.empty() && !eval::HasRules(set)) continue;
    ASSIGN_OR_RETURN(runs.emplace_back(),
                     eval::RunGovernance(set, scratch.string(), ModelDirOf(program)));
  }
  if (runs.empty()) {
    return Fail(Code::kNotFound,
                fmt::format("There is no set {} below {} with rules of what may be returned.",
                            arguments.set, arguments.sets),
                "set");
  }
  const nlohmann::json report = eval::GovernanceReport(runs);
  if (!arguments.write.empty()) RETURN_IF_ERROR(eval::WriteGovernance(arguments.write, report));
  program.json ? PrintJson(report) : eval::PrintGovernance(report);
  return report["passes"] == true ? kExitOk : kExitFailed;
}

}  // namespace

void AddEvalGovernance(CLI::App& group, Program& program) {
  CLI::App& verb = *group.add_subcommand(
      "governance",
      "Whether what may not be returned never is: superseded, rejected, resolved, another user's. "
      "Exit code 1 when anything is, or when the control sees nothing");
  const auto arguments = std::make_shared<GovernanceArguments>();
  verb.add_option("--data", arguments->sets,
                  "Folder of sets: folders with corpus.jsonl and queries.jsonl, at any depth")
      ->required();
  verb.add_option("--model", program.model,
                  "Directory of the embedding model (default: PERDURE_MODEL_DIR)");
  verb.add_flag("--json", program.json, "Print JSON");
  verb.add_option("--set", arguments->set,
                  "Only this set (default: all with anything superseded, resolved or of a status)");
  verb.add_option("--write", arguments->write, "Write the table into this page, between its marks");
  OnRun(verb, program, [&program, arguments] { return RunGovernance(program, *arguments); });
}

}  // namespace perdure
