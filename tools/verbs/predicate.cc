#include <fmt/format.h>

#include "tools/arguments.h"
#include "tools/table.h"
#include "tools/verbs/verbs.h"

namespace perdure {

void AddPredicate(CLI::App& app, Program& program) {
  CLI::App& verb = AddVerb(app, program, "predicate",
                           "Declare how the values of a predicate relate from now on");
  const Arguments arguments = NewArguments();
  TextOption(verb, arguments, "name", "name", "E.g. speaks")->required();
  FlagOption(verb, arguments, "--multi-valued", "multi_valued", "Many values stand side by side");
  FlagOption(verb, arguments, "--symmetric", "symmetric", "Subject and object may be swapped");
  TextOption(verb, arguments, "--shape", "shape",
             "Of its objects: any (default), number, date, boolean or identifier");
  WriteOptionsFor(verb, arguments);
  OnCall(verb, program, "predicate_declare", arguments, [](const nlohmann::json& answer) {
    if (PrintWould(answer)) return;
    Print(fmt::format("declared {} (seq {})\n", TextAt(answer, "name"), TextAt(answer, "seq")));
  });
}

}  // namespace perdure
