#include "tools/verbs/context.h"

#include <fmt/format.h>

#include "tools/arguments.h"
#include "tools/table.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

void PrintContext(const Json& answer) {
  Print(answer["context"].get_ref<const std::string&>() + "\n");
  if (!answer.contains("considered")) return;
  for (const Json& considered : answer["considered"]) {
    Print(fmt::format("{}  {}  {}\n", TextAt(considered, "id"), TextAt(considered, "score"),
                      TextAt(considered, "reason")));
  }
}

}  // namespace

void AddContext(CLI::App& app, Program& program) {
  CLI::App& verb = AddVerb(app, program, "context",
                           "What to know for a task, or on entering a scope, as one block");
  const Arguments arguments = NewArguments();
  TextOption(verb, arguments, "query", "query", "What the work is about (default: the scope)");
  TextOption(verb, arguments, "--scope", "scope", "Container or ;user=NAME");
  IntegerOption(verb, arguments, "--tokens", "tokens",
                "About as many tokens at most (default: 2000)");
  ReadOptionsFor(verb, arguments);
  FlagOption(verb, arguments, "--explain", "explain",
             "Show what was considered, and why it is in or not");
  OnCall(verb, program, "memory_context", arguments, PrintContext);
}

}  // namespace perdure
