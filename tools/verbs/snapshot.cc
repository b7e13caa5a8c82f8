#include <fmt/format.h>

#include "tools/arguments.h"
#include "tools/session.h"
#include "tools/table.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

void PrintSnapshots(const Json& answer) {
  Table table({"name", "at", "named", "seq"});
  for (const Json& snapshot : answer["snapshots"]) {
    table.Add({TextAt(snapshot, "name"), TextAt(snapshot, "at"),
               ShortTime(TextAt(snapshot, "record_time")), TextAt(snapshot, "seq")});
  }
  table.Print();
}

void PrintNamed(const Json& answer) {
  if (PrintWould(answer)) return;
  Print(fmt::format("named {} (seq {}); --as-of {} reads it\n", TextAt(answer, "name"),
                    TextAt(answer, "seq"), TextAt(answer, "name")));
}

}  // namespace

void AddSnapshot(CLI::App& app, Program& program) {
  CLI::App& verb =
      AddVerb(app, program, "snapshot", "Give a moment a name, or list the named ones");
  const Arguments arguments = NewArguments();
  const auto list = std::make_shared<bool>(false);
  auto* flag = verb.add_flag("--list", *list, "List the snapshots");
  TextOption(verb, arguments, "name", "name", "Name")->excludes(flag);
  TextOption(verb, arguments, "--at", "at", "A time or a seq of the log (default: now)");
  WriteOptionsFor(verb, arguments);
  OnRun(verb, program, [&program, arguments, list]() -> Result<int> {
    if (!*list && !arguments->contains("name")) {
      PrintError(
          program,
          Error{
              Code::kInvalidArgument, "Give the snapshot a name, or ask for --list.", "name", {}});
      return kExitUsage;
    }
    ASSIGN_OR_RETURN(const auto session, Session::Open(program, "snapshot"));
    ASSIGN_OR_RETURN(const Json answer, *list ? session->Call("snapshot_list", Json::object())
                                              : session->Call("snapshot_create", *arguments));
    if (program.json) {
      PrintJson(answer);
    } else {
      *list ? PrintSnapshots(answer) : PrintNamed(answer);
    }
    return kExitOk;
  });
}

}  // namespace perdure
