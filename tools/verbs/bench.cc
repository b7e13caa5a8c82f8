#include "tools/bench/bench.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

struct BenchArguments {
  std::string name;
  bench::Options options;
};

Result<int> RunBench(const BenchArguments& arguments) {
  for (const bench::Named& named : bench::All()) {
    if (named.name != arguments.name) continue;
    bench::Options options = arguments.options;
    if (options.directory.empty()) {
      options.directory = (std::filesystem::temp_directory_path() / "perdure-bench").string();
    }
    std::filesystem::create_directories(options.directory);
    ASSIGN_OR_RETURN(const nlohmann::json figures, named.run(options));
    PrintJson(figures);
    return kExitOk;
  }
  return Fail(Code::kInvalidArgument, fmt::format("There is no measurement '{}'.", arguments.name));
}

}  // namespace

void AddBench(CLI::App& app, Program& program) {
  std::string about = "Measure this machine and this program, beside a peer in the same run:";
  std::vector<std::string> names;
  for (const bench::Named& named : bench::All()) {
    names.emplace_back(named.name);
    about += fmt::format("\n  {}: {}", named.name, named.about);
  }
  CLI::App& verb = AddVerb(app, program, "bench", about);
  const auto arguments = std::make_shared<BenchArguments>();
  verb.add_option("name", arguments->name, "What to measure")
      ->required()
      ->check(CLI::IsMember(names));
  verb.add_option("--size", arguments->options.size, "Entries or memories; 0: the usual");
  verb.add_option("--runs", arguments->options.runs, "Repetitions that medians are taken of")
      ->capture_default_str()
      ->check(CLI::Range(1, 100));
  verb.add_option("--dir", arguments->options.directory,
                  "Scratch directory, on the disk to measure");
  verb.add_flag("--all-notes", arguments->options.all_notes,
                "open: every entry stores a memory, not one in ten");
  verb.add_flag("--keep", arguments->options.keep,
                "Keep what was filled there, and measure what an earlier run kept (open, search)");
  OnRun(verb, program, [arguments] { return RunBench(*arguments); });
}

}  // namespace perdure
