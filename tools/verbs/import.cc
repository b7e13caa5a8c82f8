#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "engine/transfer/adopt.h"
#include "tools/arguments.h"
#include "tools/data_dir.h"
#include "tools/directory_lock.h"
#include "tools/house.h"
#include "tools/import/foreign.h"
#include "tools/progress.h"
#include "tools/settings/effective.h"
#include "tools/verbs/carried.h"
#include "tools/verbs/import_rows.h"
#include "tools/verbs/passphrase.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

constexpr std::chrono::seconds kPatience{15};

struct ImportOptions {
  std::string file;
  std::string key_file;
  std::string passphrase_file;
  bool without_suppressions = false;
  RowsChoice rows;
  bool adopt = false;
  bool tombstones = false;
  bool dry_run = false;
};

Result<ExportReport> Read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Fail(Code::kNotFound, fmt::format("{} cannot be read.", path), "file");
  return ReadExport(in);
}

// Of key files that the importer knew beforehand.
Result<std::vector<std::string>> KeysIn(const std::string& key_file) {
  std::vector<std::string> keys;
  if (key_file.empty()) return keys;
  ASSIGN_OR_RETURN(const std::string text, ReadText(key_file));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) keys.push_back(line);
  return keys;
}

// Every seal must be by a key that the importer knew beforehand.
Status CheckKeys(const ExportReport& file, const std::string& key_file) {
  if (key_file.empty()) return {};
  ASSIGN_OR_RETURN(const auto keys, KeysIn(key_file));
  for (const Seal& seal : file.seals) {
    if (std::ranges::find(keys, seal.verifier_key) != keys.end()) continue;
    return Fail(Code::kForbidden,
                fmt::format("The seal over {} entries is by the key {}, which {} does not list.",
                            seal.head.size, seal.verifier_key, key_file),
                "key");
  }
  return {};
}

// A rejection that would silently cease to hold is no faithful copy.
Status CheckSuppressions(const ExportReport& file, const ImportOptions& options) {
  const bool is_settled =
      file.suppressions.empty() || !options.passphrase_file.empty() || options.without_suppressions;
  if (is_settled) return {};
  auto refused =
      Fail(Code::kForbidden,
           fmt::format("{} rejections of the export hold under its own secret alone: adopt it with "
                       "--passphrase-file{}, or say --without-suppressions and reject anew.",
                       file.suppressions.size(),
                       file.secret.empty() ? " (export it with one first)" : ""),
           "passphrase-file");
  for (const Seq seq : file.suppressions) {
    refused.error().details.emplace_back("suppression", std::to_string(seq));
  }
  return refused;
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
  if (!options.passphrase_file.empty()) {
    ASSIGN_OR_RETURN(const std::string passphrase, PassphraseIn(options.passphrase_file));
    ASSIGN_OR_RETURN(const Secret secret, SecretOf(file, passphrase));
    RETURN_IF_ERROR(PlaceSecret(data_dir, file, secret, clock, random));
  }
  ProgressBar bar("import", file.entries);
  return AdoptExport(data_dir, options.file, clock, random, [&bar](Seq done) { bar.Update(done); });
}

// With the indexes open, so that what is erased leaves them, too.
Result<int> ImportTombstones(const Program& program, const ImportOptions& options) {
  ASSIGN_OR_RETURN(const Tombstones bundle, ReadBundle(options.file));
  ASSIGN_OR_RETURN(const auto keys, KeysIn(options.key_file));
  CarryReport report;
  if (!options.dry_run) {
    ASSIGN_OR_RETURN(const std::string data_dir, DataDirOf(program));
    ASSIGN_OR_RETURN(DirectoryLock lock, LockAlone(data_dir, "import"));
    ASSIGN_OR_RETURN(const Settings settings, SettingsOf(program, data_dir));
    ASSIGN_OR_RETURN(const auto house,
                     House::Open(HouseOptionsOf(settings, data_dir), std::move(lock)));
    const Stopwatch stopwatch("import");
    ASSIGN_OR_RETURN(report, CarryTombstones(house->engine(), bundle, keys));
  }
  program.json ? PrintJson(JsonOf(report)) : Print(TextOf(report));
  return ExitCodeOf({report});
}

Result<int> Import(const Program& program, const ImportOptions& options) {
  if (options.tombstones) return ImportTombstones(program, options);
  if (!options.adopt) {
    RowsChoice choice = options.rows;
    choice.file = options.file;
    choice.dry_run = options.dry_run;
    return ImportRows(program, choice);
  }
  AdoptReport report;
  ASSIGN_OR_RETURN(report.file, Read(options.file));
  RETURN_IF_ERROR(CheckKeys(report.file, options.key_file));
  RETURN_IF_ERROR(CheckSuppressions(report.file, options));
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

void AddRowOptions(CLI::App& verb, RowsChoice& rows) {
  std::string formats;
  for (const ForeignFormat& format : ForeignFormats()) {
    formats += fmt::format("\n  {}: {}", format.name, format.description);
  }
  verb.add_option("--format", rows.format, "Of another program's file:" + formats);
  verb.add_option("--fields", rows.fields,
                  "Of jsonl and csv: which field is which argument, as in text=body,title=name");
  verb.add_option("--scope", rows.scope, "Where rows go that name no scope");
}

}  // namespace

void AddImport(CLI::App& app, Program& program) {
  CLI::App& verb =
      AddVerb(app, program, "import",
              "Store what a file holds, through every gate, each row once however often "
              "it is repeated; with --adopt take the log of an export into a space "
              "without entries, verbatim");
  const auto options = std::make_shared<ImportOptions>();
  verb.add_option("file", options->file, "An export, or a file of another program")->required();
  CLI::Option* adopt =
      verb.add_flag("--adopt", options->adopt, "Keep seqs, times and actors of the entries");
  verb.add_option("--passphrase-file", options->passphrase_file,
                  "With --adopt: the passphrase that the export's secret is under")
      ->needs(adopt);
  verb.add_flag("--without-suppressions", options->without_suppressions,
                "With --adopt: what was rejected there may come back here")
      ->needs(adopt);
  verb.add_flag("--tombstones", options->tombstones,
                "The file is one of `perdure export --tombstones`: keep out here, too, what was "
                "rejected and erased there")
      ->excludes(adopt);
  verb.add_option("--key", options->key_file,
                  "A file of verifier keys, one a line: the file must be sealed by these");
  verb.add_flag("--dry-run", options->dry_run, "Only say what would be done");
  AddRowOptions(verb, options->rows);
  OnRun(verb, program, [&program, options] { return Import(program, *options); });
}

}  // namespace perdure
