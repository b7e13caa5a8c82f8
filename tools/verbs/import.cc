#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "engine/transfer/adopt.h"
#include "tools/arguments.h"
#include "tools/data_dir.h"
#include "tools/directory_lock.h"
#include "tools/progress.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

constexpr std::chrono::seconds kPatience{15};

struct ImportOptions {
  std::string file;
  std::string key_file;
  bool adopt = false;
  bool dry_run = false;
};

Result<ExportReport> Read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Fail(Code::kNotFound, fmt::format("{} cannot be read.", path), "file");
  return ReadExport(in);
}

// Every seal must be by a key that the importer knew beforehand.
Status CheckKeys(const ExportReport& file, const std::string& key_file) {
  if (key_file.empty()) return {};
  ASSIGN_OR_RETURN(const std::string text, ReadText(key_file));
  std::istringstream lines(text);
  std::vector<std::string> keys;
  for (std::string line; std::getline(lines, line);) keys.push_back(line);
  for (const Seal& seal : file.seals) {
    if (std::ranges::find(keys, seal.verifier_key) != keys.end()) continue;
    return Fail(Code::kForbidden,
                fmt::format("The seal over {} entries is by the key {}, which {} does not list.",
                            seal.head.size, seal.verifier_key, key_file),
                "key");
  }
  return {};
}

Result<AdoptReport> Adopt(const Program& program, const ImportOptions& options,
                          const ExportReport& file) {
  ASSIGN_OR_RETURN(const std::string data_dir, DataDirOf(program));
  if (!HasStore(data_dir)) {
    return Fail(Code::kNotFound,
                fmt::format("There is no store in {}. `perdure init --data {}` makes one.",
                            data_dir, data_dir));
  }
  ASSIGN_OR_RETURN(const auto attempt, DirectoryLock::Acquire(data_dir, "import", kPatience));
  if (!attempt.lock) {
    return Fail(Code::kUnavailable,
                fmt::format("{} has {} open. Stop it first: a log is adopted while nobody else "
                            "writes.",
                            attempt.holder.Name(), data_dir));
  }
  SystemClock clock;
  SystemRandom random;
  ProgressBar bar("import", file.entries);
  return AdoptExport(data_dir, options.file, clock, random, [&bar](Seq done) { bar.Update(done); });
}

Result<int> Import(const Program& program, const ImportOptions& options) {
  AdoptReport report;
  ASSIGN_OR_RETURN(report.file, Read(options.file));
  RETURN_IF_ERROR(CheckKeys(report.file, options.key_file));
  if (!options.dry_run) {
    ASSIGN_OR_RETURN(report, Adopt(program, options, report.file));
  }
  const ExportReport& file = report.file;
  if (program.json) {
    nlohmann::json answer = {{"space", file.name},
                             {"entries", file.entries},
                             {"payloads", file.payloads},
                             {"payloads_gone", file.payloads_gone},
                             {"root", HexEncode(AsBytes(file.root))},
                             {"verifier_key", file.seals.back().verifier_key},
                             {"written", report.written}};
    if (options.dry_run) answer["dry_run"] = true;
    PrintJson(answer);
    return kExitOk;
  }
  Print(fmt::format("{}: {} entries, {} payloads ({} erased) verify\n  root {}\n  sealed by {}{}\n",
                    file.name, file.entries, file.payloads, file.payloads_gone,
                    HexEncode(AsBytes(file.root)), file.seals.back().verifier_key,
                    options.key_file.empty() ? " (not compared: no --key)" : ""));
  Print(options.dry_run ? "nothing was written\n"
                        : fmt::format("{} entries written\n", report.written));
  return kExitOk;
}

}  // namespace

void AddImport(CLI::App& app, Program& program) {
  CLI::App& verb = AddVerb(app, program, "import",
                           "Take the log of an export into a space without entries, verbatim; the "
                           "whole file is checked first");
  const auto options = std::make_shared<ImportOptions>();
  verb.add_option("file", options->file, "An export")->required();
  verb.add_flag("--adopt", options->adopt, "Keep seqs, times and actors of the entries")
      ->required();
  verb.add_option("--key", options->key_file,
                  "A file of verifier keys, one a line: the file must be sealed by these");
  verb.add_flag("--dry-run", options->dry_run, "Only check the file");
  OnRun(verb, program, [&program, options] { return Import(program, *options); });
}

}  // namespace perdure
