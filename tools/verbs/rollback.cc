#include <fmt/format.h>

#include "tools/arguments.h"
#include "tools/table.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

void PrintRolledBack(const Json& answer) {
  if (PrintWould(answer)) return;
  Print(fmt::format(
      "{} memories are as of {} again; {} have moved out and stay, {} are erased, {} stay "
      "out as rejected or replaced since\n",
      TextAt(answer, "changed"), TextAt(answer, "to"), TextAt(answer, "moved_out"),
      TextAt(answer, "erased"), TextAt(answer, "kept_out")));
  for (const Json& memory : answer["memories"]) {
    Print(fmt::format("  {}  version {}\n", TextAt(memory, "id"), TextAt(memory, "version")));
  }
  Print(fmt::format("undo: --to {}\n", TextAt(answer, "undo_to")));
}

}  // namespace

void AddRollback(CLI::App& app, Program& program) {
  CLI::App& verb =
      AddVerb(app, program, "rollback",
              "Take a scope or a memory back to what it was; look first with --dry-run");
  const Arguments arguments = NewArguments();
  auto* scope =
      TextOption(verb, arguments, "--scope", "scope", "Container or ;user=NAME; / is everything");
  TextOption(verb, arguments, "--id", "id", "One memory instead")->excludes(scope);
  TextOption(verb, arguments, "--to", "to", "A time, a seq of the log or a snapshot's name")
      ->required();
  WriteOptionsFor(verb, arguments);
  OnCall(verb, program, "scope_rollback", arguments, PrintRolledBack);
}

}  // namespace perdure
