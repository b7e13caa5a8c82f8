// The verbs of the program, one file each.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/program.h"

namespace perdure {

void AddSourceVerbs(CLI::App& app, Program& program);
void AddServe(CLI::App& app, Program& program);
void AddMcp(CLI::App& app, Program& program);
void AddInit(CLI::App& app, Program& program);
void AddToken(CLI::App& app, Program& program);
void AddMemory(CLI::App& app, Program& program);
void AddMemoryChanges(CLI::App& memory, Program& program);  // edit, revert, archive, ...
void AddMemoryGovern(CLI::App& memory, Program& program);   // verify, score, genre, merge, ...
void AddMemoryLinks(CLI::App& memory, Program& program);    // link, links, forget-matching, ...
void AddFact(CLI::App& app, Program& program);
void AddReview(CLI::App& app, Program& program);
void AddSuppressions(CLI::App& review, Program& program);  // rejected, reject, lift
void AddPredicate(CLI::App& app, Program& program);
void AddPolicy(CLI::App& app, Program& program);
void AddSearch(CLI::App& app, Program& program);
void AddWorkspace(CLI::App& app, Program& program);
void AddRollback(CLI::App& app, Program& program);
void AddSnapshot(CLI::App& app, Program& program);
void AddLog(CLI::App& app, Program& program);
void AddLogVerify(CLI::App& log, Program& program);
void AddBackup(CLI::App& app, Program& program);
void AddRestore(CLI::App& app, Program& program);
void AddExport(CLI::App& app, Program& program);
void AddImport(CLI::App& app, Program& program);
void AddLogTruncate(CLI::App& log, Program& program);
void AddReplay(CLI::App& app, Program& program);
void AddCompact(CLI::App& app, Program& program);
void AddIndex(CLI::App& app, Program& program);
void AddConfig(CLI::App& app, Program& program);
void AddDoctor(CLI::App& app, Program& program);
void AddEval(CLI::App& app, Program& program);
void AddEvalGovernance(CLI::App& eval, Program& program);
void AddBench(CLI::App& app, Program& program);
void AddVersion(CLI::App& app, Program& program);

}  // namespace perdure
