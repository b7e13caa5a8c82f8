#include "engine/transfer/export.h"

#include <fmt/format.h>

#include "engine/transfer/tombstones.h"
#include "tools/import/state_file.h"
#include "tools/new_file.h"
#include "tools/progress.h"
#include "tools/read_only.h"
#include "tools/verbs/passphrase.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

struct ExportChoice {
  std::string file;
  std::string space = "main";
  std::optional<Seq> tombstones;  // only these, since this entry
  bool state = false;             // as it is now, instead of the log
  std::string scope;              // of the state
  std::string passphrase_file;    // of the log: under which the space's secret goes along
};

Result<int> ExportTombstones(const Program& program, const Engine& engine, SpaceId space,
                             const ExportChoice& choice) {
  NewFile file(choice.file);
  RETURN_IF_ERROR(file.Open());
  ASSIGN_OR_RETURN(const Tombstones found,
                   WriteTombstones(engine, space, *choice.tombstones, file.out()));
  RETURN_IF_ERROR(file.Place());
  if (program.json) {
    PrintJson({{"file", choice.file},
               {"space", found.space},
               {"since", found.since},
               {"size", found.head.size},
               {"entries", found.entries.size()},
               {"verifier_key", found.verifier_key}});
  } else {
    Print(fmt::format("{}: {} entries of {} to {} in {}\n  verifier key {}\n", found.space,
                      found.entries.size(), found.since + 1, found.head.size, choice.file,
                      found.verifier_key));
  }
  return kExitOk;
}

Result<int> ExportState(const Program& program, const Engine& engine, SpaceId space,
                        const ExportChoice& choice) {
  ASSIGN_OR_RETURN(const ScopePath scope, ParseScope(choice.scope, "scope"));
  NewFile file(choice.file);
  RETURN_IF_ERROR(file.Open());
  ASSIGN_OR_RETURN(const StateReport report, WriteState(engine, space, scope, file.out()));
  RETURN_IF_ERROR(file.Place());
  if (program.json) {
    PrintJson({{"file", choice.file},
               {"space", report.space},
               {"scope", report.scope},
               {"seq", report.seq},
               {"rows", report.rows},
               {"counts", report.counts}});
  } else {
    Print(fmt::format("{}: {} memories as of entry {} in {}\n", report.space, report.rows,
                      report.seq, choice.file));
  }
  return kExitOk;
}

Result<int> Export(const Program& program, const ExportChoice& choice) {
  ASSIGN_OR_RETURN(const auto opened, ReadOnlyStore::Open(program, true));
  const Engine& engine = opened->engine();
  const std::string& name = choice.space;
  const std::string& path = choice.file;
  ASSIGN_OR_RETURN(const SpaceId space, engine.SpaceByName(name));
  if (space == kSystemSpace) {
    return Fail(Code::kForbidden,
                "The space 'system' (tokens, spaces, settings) is never exported.", "space");
  }
  if (choice.state) return ExportState(program, engine, space, choice);
  if (choice.tombstones) return ExportTombstones(program, engine, space, choice);
  ASSIGN_OR_RETURN(const std::string passphrase, PassphraseIn(choice.passphrase_file));
  NewFile file(path);
  RETURN_IF_ERROR(file.Open());
  ExportReport report;
  {
    ProgressBar bar(fmt::format("export {}", name), engine.Visible(space).seq);
    ASSIGN_OR_RETURN(
        report,
        WriteExport(engine, space, file.out(), [&bar](Seq done) { bar.Update(done); }, passphrase));
  }
  RETURN_IF_ERROR(file.Place());
  if (program.json) {
    PrintJson({{"file", path},
               {"space", report.name},
               {"entries", report.entries},
               {"payloads", report.payloads},
               {"payloads_gone", report.payloads_gone},
               {"root", HexEncode(AsBytes(report.root))},
               {"secret", !report.secret.empty()},
               {"suppressions", report.suppressions},
               {"tree_head", report.seals.back().note},
               {"verifier_key", report.seals.back().verifier_key}});
    return kExitOk;
  }
  Print(fmt::format("{}: {} entries, {} payloads ({} erased) in {}\n  root {}\n  verifier key {}\n",
                    report.name, report.entries, report.payloads, report.payloads_gone, path,
                    HexEncode(AsBytes(report.root)), report.seals.back().verifier_key));
  Print(report.secret.empty() ? StayingBehind(report.suppressions)
                              : "  the space's secret is in it, under the passphrase\n");
  return kExitOk;
}

}  // namespace

void AddExport(CLI::App& app, Program& program) {
  CLI::App& verb =
      AddVerb(app, program, "export",
              "Write a whole space, its log, to a file that tools/audit/verify.py checks; "
              "beside a running server too");
  const auto choice = std::make_shared<ExportChoice>();
  verb.add_option("file", choice->file, "Where to; must not be there yet")->required();
  verb.add_option("--space", choice->space, "Which space (default: main)");
  CLI::Option* state = verb.add_flag("--state", choice->state,
                                     "The memories as they are now, a JSON object a line, instead "
                                     "of the log");
  verb.add_option("--scope", choice->scope, "Only those of this scope")->needs(state);
  verb.add_option("--passphrase-file", choice->passphrase_file,
                  "Let the space's secret go along, under the first line of this file: without it "
                  "nothing that was rejected stays out where the export is adopted")
      ->excludes(state);
  verb.add_option("--tombstones", choice->tombstones,
                  "Only what was rejected, lifted and erased after this entry, with proofs: for a "
                  "copy of the log that has entries up to there")
      ->excludes(state);
  OnRun(verb, program, [&program, choice] { return Export(program, *choice); });
}

}  // namespace perdure
