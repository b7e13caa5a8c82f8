#include "tools/verbs/eval_time.h"

#include <memory>

#include "tools/eval/pages.h"
#include "tools/eval/time_cases.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

struct TimeArguments {
  std::string cases;  // --data
  std::string write;  // a page
};

Result<int> RunTime(const Program& program, const TimeArguments& arguments) {
  ASSIGN_OR_RETURN(const auto cases, eval::LoadTimeCases(arguments.cases));
  const nlohmann::json report = eval::TimeReport(cases);
  if (!arguments.write.empty()) {
    RETURN_IF_ERROR(eval::WriteIntoPage(arguments.write, "time", eval::TimeTable(report)));
  }
  program.json ? PrintJson(report) : eval::PrintTimeReport(report);
  return kExitOk;
}

}  // namespace

void AddEvalTime(CLI::App& group, Program& program) {
  CLI::App& verb = *group.add_subcommand(
      "time", "How well times in queries are read: \"last week\", \"since March\", \"3 mai 2024\"");
  const auto arguments = std::make_shared<TimeArguments>();
  verb.add_option("--data", arguments->cases, "Folder with cases.jsonl, at any depth")->required();
  verb.add_flag("--json", program.json, "Print JSON");
  verb.add_option("--write", arguments->write, "Write the table into this page, between its marks");
  OnRun(verb, program, [&program, arguments] { return RunTime(program, *arguments); });
}

}  // namespace perdure
