#include <fmt/format.h>

#include "tools/arguments.h"
#include "tools/progress.h"
#include "tools/session.h"
#include "tools/table.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

void PrintStatus(const Json& answer) {
  Print(fmt::format("model  {} ({} dimensions)\n", TextAt(answer, "model"),
                    TextAt(answer, "dimensions")));
  if (answer["stand_in"].get<bool>()) {
    Print(fmt::format("note   semantic search is a stand-in: {}\n",
                      TextAt(answer, "stand_in_reason")));
  }
  Table table({"space", "log", "lexical", "semantic", "memories", "chunks", "vectors", "pending",
               "generation", "bytes"});
  for (const Json& space : answer["spaces"]) {
    table.Add({TextAt(space, "space"), TextAt(space, "log_seq"), TextAt(space, "lexical_seq"),
               TextAt(space, "semantic_seq"), TextAt(space, "memories"), TextAt(space, "chunks"),
               TextAt(space, "vectors"), TextAt(space, "pending_embeddings"),
               TextAt(space, "generation"), TextAt(space, "bytes_on_disk")});
  }
  table.Print();
  for (const Json& space : answer["spaces"]) {
    for (const Json& repair : space.value("repairs", Json::array())) {
      Print(fmt::format("repaired in {}: {}\n", TextAt(space, "space"), repair.get<std::string>()));
    }
    if (space.contains("failure")) {
      Print(fmt::format("FAILED in {}: {}\n", TextAt(space, "space"), TextAt(space, "failure")));
    }
  }
}

}  // namespace

void AddIndex(CLI::App& app, Program& program) {
  CLI::App& group = AddGroup(app, "index", "State of the search indexes, and building them anew");
  CLI::App& status = AddVerb(group, program, "status", "How far the indexes have followed the log");
  OnCall(status, program, "index_status", NewArguments(), PrintStatus);
  CLI::App& rebuild = AddVerb(group, program, "rebuild", "Build the indexes anew from the log");
  OnRun(rebuild, program, [&program]() -> Result<int> {
    ASSIGN_OR_RETURN(const auto session, Session::Open(program, "index rebuild"));
    Json answer;
    {
      const Stopwatch stopwatch("index rebuild");
      ASSIGN_OR_RETURN(answer, session->Call("index_rebuild", Json::object()));
    }
    program.json ? PrintJson(answer) : PrintStatus(answer);
    return kExitOk;
  });
}

}  // namespace perdure
