// perdure: the program. One verb a file under tools/verbs/.
#include <CLI/CLI.hpp>
#include <exception>

#include "tools/verbs/context.h"
#include "tools/verbs/verbs.h"

namespace {

using perdure::Program;

void AddVerbs(CLI::App& app, Program& program) {
  perdure::AddServe(app, program);
  perdure::AddMcp(app, program);
  perdure::AddInit(app, program);
  perdure::AddToken(app, program);
  perdure::AddMemory(app, program);
  perdure::AddFact(app, program);
  perdure::AddSearch(app, program);
  perdure::AddSourceVerbs(app, program);
  perdure::AddContext(app, program);
  perdure::AddReview(app, program);
  perdure::AddPredicate(app, program);
  perdure::AddPolicy(app, program);
  perdure::AddWorkspace(app, program);
  perdure::AddRollback(app, program);
  perdure::AddSnapshot(app, program);
  perdure::AddLog(app, program);
  perdure::AddExport(app, program);
  perdure::AddImport(app, program);
  perdure::AddBackup(app, program);
  perdure::AddRestore(app, program);
  perdure::AddReplay(app, program);
  perdure::AddCompact(app, program);
  perdure::AddIndex(app, program);
  perdure::AddConfig(app, program);
  perdure::AddDoctor(app, program);
  perdure::AddEval(app, program);
  perdure::AddBench(app, program);
  perdure::AddVersion(app, program);
}

int Run(int count, char** arguments) {
  Program program;
  CLI::App app("Perdure: a memory engine for AI agents. `perdure VERB --help` tells more.",
               "perdure");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("perdure ") + perdure::kProgramVersion);
  AddVerbs(app, program);
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? perdure::kExitOk : perdure::kExitUsage;
  }
  const perdure::Result<int> code = program.run();
  if (code) return *code;
  perdure::PrintError(program, code.error());
  return perdure::kExitFailed;
}

}  // namespace

int main(int count, char** arguments) try {
  return Run(count, arguments);
} catch (const std::exception& error) {
  const perdure::Error bug{perdure::Code::kInternal,
                           std::string("A bug: ") + error.what() + ". Please report it.",
                           {},
                           {}};
  perdure::PrintError({}, bug);
  return perdure::kExitFailed;
}
