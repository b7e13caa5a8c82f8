#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "index/embed/open_embedder.h"
#include "tools/data_dir.h"
#include "tools/eval/abstention.h"
#include "tools/eval/derived_sets.h"
#include "tools/eval/report.h"
#include "tools/eval/runner.h"
#include "tools/verbs/eval_time.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

struct EvalArguments {
  std::string sets;   // --data
  std::string set;    // the one to run
  std::string keep;   // the directory of stores that stay
  std::string write;  // a page
  std::string rankings;
  std::vector<std::string> beside;
  std::size_t limit = 0;
};

// A directory for stores that go away.
class Scratch {
 public:
  Scratch()
      : path_(std::filesystem::temp_directory_path() / fmt::format("perdure-eval-{}", getpid())) {}
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// All of them, or the one that is named: a set, or NAME/SCOPE.
Result<std::vector<eval::QuestionSet>> LoadSets(const EvalArguments& arguments) {
  ASSIGN_OR_RETURN(const auto places, eval::FindSets(arguments.sets));
  std::vector<eval::QuestionSet> sets;
  std::string names;
  for (const eval::SetPlace& place : places) {
    names += (names.empty() ? "" : ", ") + place.name;
    const bool is_named = arguments.set == place.name;
    const bool has_part = arguments.set.starts_with(place.name + "/");
    if (!arguments.set.empty() && !is_named && !has_part) continue;
    ASSIGN_OR_RETURN(eval::QuestionSet set, eval::LoadSet(place));
    auto sessions = eval::SessionsOf(set);
    const bool wants_sessions = sessions && arguments.set == sessions->name;
    if (has_part && !is_named && !wants_sessions) {
      ASSIGN_OR_RETURN(set, eval::OfScope(set, arguments.set.substr(place.name.size() + 1)));
    }
    if (!wants_sessions) sets.push_back(std::move(set));
    if (sessions && (arguments.set.empty() || wants_sessions)) sets.push_back(std::move(*sessions));
  }
  if (!sets.empty()) return sets;
  return Fail(Code::kNotFound, fmt::format("There is no set {} below {}; there are {}.",
                                           arguments.set, arguments.sets, names));
}

void WarnOfArms(const std::vector<eval::SetRun>& runs, const std::string& stand_in_reason) {
  const auto say = [](const std::string& text) { std::fputs(text.c_str(), stderr); };
  if (!stand_in_reason.empty()) {
    say(fmt::format("note: the semantic arm is a stand-in, its figures say little: {}\n",
                    stand_in_reason));
  }
  for (const eval::SetRun& run : runs) {
    if (run.degraded == 0) continue;
    say(fmt::format("note: {}: {} of {} questions were answered without an arm: {}\n", run.name,
                    run.degraded, run.asked.size(), run.semantic_note));
  }
}

eval::RunOptions OptionsFor(const Program& program, const EvalArguments& arguments,
                            const Scratch& scratch) {
  const bool keep = !arguments.keep.empty();
  eval::RunOptions options{.directory = keep ? arguments.keep : scratch.path(),
                           .model_dir = ModelDirOf(program),
                           .keep = keep,
                           .limit = arguments.limit};
  std::error_code error;
  std::filesystem::create_directories(options.directory, error);
  return options;
}

Result<int> RunRetrieval(const Program& program, const EvalArguments& arguments) {
  std::vector<eval::Beside> beside;
  for (const std::string& argument : arguments.beside) {
    ASSIGN_OR_RETURN(beside.emplace_back(), eval::ReadBeside(argument));
  }
  ASSIGN_OR_RETURN(const auto sets, LoadSets(arguments));
  const Scratch scratch;
  const eval::RunOptions options = OptionsFor(program, arguments, scratch);
  std::vector<eval::SetRun> runs;
  for (const eval::QuestionSet& set : sets) {
    ASSIGN_OR_RETURN(runs.emplace_back(), eval::RunSet(set, options));
  }
  const BuiltInEmbedder model = OpenBuiltInEmbedder(options.model_dir);
  nlohmann::json report = eval::ReportOf(runs);
  report["model"] = model.embedder->info().name;
  if (!model.stand_in_reason.empty()) report["stand_in_reason"] = model.stand_in_reason;
  WarnOfArms(runs, model.stand_in_reason);
  if (!arguments.rankings.empty()) {
    RETURN_IF_ERROR(eval::WriteRankings(arguments.rankings, runs));
  }
  if (!arguments.write.empty()) {
    RETURN_IF_ERROR(eval::WriteRetrieval(arguments.write, report, beside));
  }
  program.json ? PrintJson(report) : eval::PrintReport(report, beside);
  return kExitOk;
}

Result<int> RunAbstention(const Program& program, const EvalArguments& arguments) {
  ASSIGN_OR_RETURN(const auto sets, LoadSets(arguments));
  const Scratch scratch;
  const eval::RunOptions options = OptionsFor(program, arguments, scratch);
  ASSIGN_OR_RETURN(nlohmann::json report, eval::RunAbstention(sets, options));
  const BuiltInEmbedder model = OpenBuiltInEmbedder(options.model_dir);
  report["model"] = model.embedder->info().name;
  if (!model.stand_in_reason.empty()) report["stand_in_reason"] = model.stand_in_reason;
  WarnOfArms({}, model.stand_in_reason);
  if (!arguments.write.empty()) {
    RETURN_IF_ERROR(eval::WriteAbstention(arguments.write, report));
  }
  program.json ? PrintJson(report) : eval::PrintAbstention(report);
  return kExitOk;
}

// What both evaluations of searches take.
void AddSetOptions(CLI::App& verb, Program& program,
                   const std::shared_ptr<EvalArguments>& arguments) {
  verb.add_option("--data", arguments->sets,
                  "Folder of sets: folders with corpus.jsonl and queries.jsonl, at any depth")
      ->required();
  verb.add_option("--model", program.model,
                  "Directory of the embedding model (default: PERDURE_MODEL_DIR)");
  verb.add_flag("--json", program.json, "Print JSON");
  verb.add_option("--keep", arguments->keep,
                  "Keep the filled stores in this directory, and use those that are there");
  verb.add_option("--write", arguments->write, "Write the table into this page, between its marks");
}

void AddAbstention(CLI::App& group, Program& program) {
  CLI::App& verb = *group.add_subcommand(
      "abstention",
      "Whether searches say that nothing is relevant: the questions of each set below a folder, "
      "put "
      "to the memories that answer them and to those of other sets and scopes");
  const auto arguments = std::make_shared<EvalArguments>();
  AddSetOptions(verb, program, arguments);
  verb.add_option("--limit", arguments->limit,
                  "At most so many questions a set, evenly spaced (default: 200)");
  OnRun(verb, program, [&program, arguments] { return RunAbstention(program, *arguments); });
}

void AddRetrieval(CLI::App& group, Program& program) {
  CLI::App& verb = *group.add_subcommand(
      "retrieval",
      "How well searches find what answers a question: every set below a folder, stored in a "
      "scratch store and asked through the same search that users have");
  const auto arguments = std::make_shared<EvalArguments>();
  AddSetOptions(verb, program, arguments);
  verb.add_option("--set", arguments->set, "Only this set, or NAME/SCOPE: one scope of it alone");
  verb.add_option("--limit", arguments->limit,
                  "At most so many questions a set, evenly spaced (default: all)");
  verb.add_option("--beside", arguments->beside,
                  "LABEL=FILE: show another report's figures (--json) beside these; repeats");
  verb.add_option("--rankings", arguments->rankings,
                  "Write what each question found, as lines of JSON");
  OnRun(verb, program, [&program, arguments] { return RunRetrieval(program, *arguments); });
}

}  // namespace

void AddEval(CLI::App& app, Program& program) {
  CLI::App& group = AddGroup(app, "eval", "Measure the quality of answers");
  AddRetrieval(group, program);
  AddAbstention(group, program);
  AddEvalGovernance(group, program);
  AddEvalTime(group, program);
}

}  // namespace perdure
