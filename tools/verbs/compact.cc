#include <fmt/format.h>

#include "tools/arguments.h"
#include "tools/progress.h"
#include "tools/session.h"
#include "tools/table.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

void PrintCompacted(const Json& answer) {
  PrintWould(answer);
  Print(fmt::format("horizon {}; {} versions were superseded before it\n",
                    TextAt(answer, "horizon"), TextAt(answer, "versions_superseded")));
  for (const Json& lost : answer["lost"]) Print("  lost  " + lost.get<std::string>() + "\n");
  for (const Json& kept : answer["kept"]) Print("  kept  " + kept.get<std::string>() + "\n");
  if (answer.contains("bytes_after")) {
    Print(fmt::format("{} bytes before, {} after\n", TextAt(answer, "bytes_before"),
                      TextAt(answer, "bytes_after")));
  }
}

}  // namespace

void AddCompact(CLI::App& app, Program& program) {
  CLI::App& verb = AddVerb(app, program, "compact",
                           "Trim the history of records before a time; look first with --dry-run");
  const Arguments arguments = NewArguments();
  TextOption(verb, arguments, "--before", "before", "A time, a seq of the log or a snapshot's name")
      ->required();
  FlagOption(verb, arguments, "--payloads", "payloads",
             "Drop the texts of versions superseded before then, too");
  WriteOptionsFor(verb, arguments);
  OnRun(verb, program, [&program, arguments]() -> Result<int> {
    ASSIGN_OR_RETURN(const auto session, Session::Open(program, "compact"));
    Json answer;
    {
      const Stopwatch stopwatch("compact");
      ASSIGN_OR_RETURN(answer, session->Call("compact", *arguments));
    }
    program.json ? PrintJson(answer) : PrintCompacted(answer);
    return kExitOk;
  });
}

}  // namespace perdure
