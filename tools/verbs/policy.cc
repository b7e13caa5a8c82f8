#include <fmt/format.h>

#include "tools/arguments.h"
#include "tools/session.h"
#include "tools/table.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

void PrintPolicy(const Json& answer) {
  for (const auto& [name, value] : answer.items()) {
    if (name.starts_with("as_of")) continue;
    Print(fmt::format("{:18} {}\n", name, TextAt(answer, name.c_str())));
  }
}

void AddGet(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "get", "The settings in force");
  const Arguments arguments = NewArguments();
  TextOption(verb, arguments, "--as-of", "as_of", "As they were then");
  OnCall(verb, program, "policy_get", arguments, PrintPolicy);
}

void AddSet(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "set", "Change settings; only what is given changes");
  const Arguments arguments = NewArguments();
  TextOption(verb, arguments, "--repetition", "repetition",
             "What makes a standing value surer: evidence (default) or any");
  NumberOption(verb, arguments, "--reinforce", "reinforce", "What new evidence adds (0.1)");
  NumberOption(verb, arguments, "--fade", "fade", "What is left of a rival's confidence (0.6)");
  NumberOption(verb, arguments, "--critical", "critical", "Important from here on (0.8)");
  NumberOption(verb, arguments, "--critical-fade", "critical_fade",
               "What is left of an important rival's confidence (0.9)");
  NumberOption(verb, arguments, "--archive-below", "archive_below",
               "Under it a rival is superseded (0.25)");
  TextOption(verb, arguments, "--injection", "injection",
             "Facts that give orders: refuse (default), quarantine or admit");
  TextOption(verb, arguments, "--note-injection", "note_injection",
             "Notes that do: refuse, quarantine or admit (default)");
  TextOption(verb, arguments, "--agents", "agents",
             "Facts of agents: refuse, quarantine or admit (default)");
  IntegerOption(verb, arguments, "--text-bytes-max", "text_bytes_max",
                "Longest text (0: as the engine takes)");
  IntegerOption(verb, arguments, "--writes-per-minute", "writes_per_minute",
                "Of one principal (0: any number)");
  WriteOptionsFor(verb, arguments);
  OnCall(verb, program, "policy_set", arguments, [](const Json& answer) {
    if (PrintWould(answer)) return;
    Print(fmt::format("set (seq {})\n", TextAt(answer, "seq")));
  });
}

}  // namespace

void AddPolicy(CLI::App& app, Program& program) {
  CLI::App& group =
      AddGroup(app, "policy", "How facts gain and lose confidence, and what is let in");
  AddGet(group, program);
  AddSet(group, program);
}

}  // namespace perdure
