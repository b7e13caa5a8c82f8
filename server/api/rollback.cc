// Rollback and snapshots.
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/limits.h"
#include "engine/read/snapshots.h"
#include "server/api/answers.h"
#include "server/api/mirrors.h"
#include "server/api/operations.h"
#include "server/api/requests.h"
#include "server/api/schemas.h"
#include "server/api/serve.h"

namespace perdure::operations {
namespace {

using Json = nlohmann::json;
namespace s = schemas;

// A whole scope is a lot to roll back by leaving an argument out, so it has a name of its own.
constexpr std::string_view kWholeScope = "/";

Result<Rollback> RollbackOf(const Engine& engine, const Principal& principal,
                            const Json& arguments) {
  if (arguments.contains("scope") == arguments.contains("id")) {
    return Fail(Code::kInvalidArgument,
                "Give either \"scope\" or \"id\". Example: {\"scope\":\"acme/website\",\"to\":"
                "\"2024-05-01T08:30:00Z\"}; \"/\" is all that the token may see.",
                "scope");
  }
  Rollback command;
  command.scope_exact = arguments.value("scope_exact", false);
  ASSIGN_OR_RETURN(const ReadView view, ViewFor(engine, principal, arguments, "to"));
  command.to = view.as_of();
  if (arguments.contains("id")) {
    ASSIGN_OR_RETURN(command.memory, IdOf(engine, principal, TextOf(arguments, "id"), "id"));
    command.scope = principal.scope;
  } else if (TextOf(arguments, "scope") == kWholeScope) {
    command.scope = principal.scope;
  } else {
    ASSIGN_OR_RETURN(command.scope, ParseScope(TextOf(arguments, "scope"), "scope"));
  }
  return command;
}

Result<Json> RunRollback(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(const Rollback command, RollbackOf(engine, principal, arguments));
  ASSIGN_OR_RETURN(const WriteOutcome outcome,
                   engine.Write(principal, command, WriteOptionsOf("scope_rollback", arguments)));
  Json answer = {{"to", FormatTime(command.to)},   {"changed", outcome.memories.size()},
                 {"moved_out", outcome.moved_out}, {"erased", outcome.erased},
                 {"kept_out", outcome.kept_out},   {"memories", Json::array()}};
  const std::size_t shown = std::min(outcome.memories.size(), limits::kListLimitMax);
  for (std::size_t i = 0; i < shown; ++i) {
    const MemoryOutcome& memory = outcome.memories[i];
    answer["memories"].push_back({{"id", ToString(memory.id)}, {"version", memory.version}});
  }
  if (!outcome.dry_run) answer["undo_to"] = outcome.first_seq - 1;
  PutOutcome(
      answer, outcome,
      fmt::format("change {} memories; {} have moved out and stay, {} are erased, {} stay "
                  "out as rejected or replaced since",
                  outcome.memories.size(), outcome.moved_out, outcome.erased, outcome.kept_out));
  return answer;
}

Status CheckSnapshotName(const std::string& name) {
  if (NamesSnapshot(name)) return {};
  return Fail(Code::kInvalidArgument,
              fmt::format("\"name\" reads as a time or a seq, so as_of could not mean it: \"{}\". "
                          "Example: {{\"name\":\"before-import\"}}",
                          CutAtGrapheme(name, 60)),
              "name");
}

Result<Json> RunSnapshot(Engine& engine, const Principal& principal, const Json& arguments) {
  NameSnapshot command{TextOf(arguments, "name"), std::nullopt};
  RETURN_IF_ERROR(CheckSnapshotName(command.name));
  if (arguments.contains("at")) {
    ASSIGN_OR_RETURN(const ReadView view, ViewFor(engine, principal, arguments, "at"));
    command.at = view.as_of();
  }
  ASSIGN_OR_RETURN(const WriteOutcome outcome,
                   engine.Write(principal, command, WriteOptionsOf("snapshot_create", arguments)));
  Json answer = {{"name", command.name}};
  PutOutcome(answer, outcome, fmt::format("name the snapshot {}", command.name));
  return answer;
}

Result<Json> RunSnapshotList(Engine& engine, const Principal& principal, const Json&) {
  ASSIGN_OR_RETURN(const auto snapshots, ReadSnapshots(engine.Latest(), principal));
  Json answer = {{"snapshots", Json::array()}};
  for (const Snapshot& snapshot : snapshots) {
    answer["snapshots"].push_back({{"name", snapshot.name},
                                   {"at", FormatTime(snapshot.at)},
                                   {"seq", snapshot.seq},
                                   {"record_time", FormatTime(snapshot.record_time)}});
  }
  return answer;
}

}  // namespace

Operation ScopeRollback(Engine& engine) {
  Operation operation;
  operation.name = "scope_rollback";
  operation.title = "Roll back a scope or a memory";
  operation.description =
      "Takes all memories of a scope, or one memory, back to what they were at a past time, in one "
      "write: changed ones are reverted, newer ones archived, erased and rejected ones stay out. "
      "Try it with "
      "dry_run first. Returns what changed, and undo_to: a rollback to it is the undo.";
  operation.input_schema = s::Write(s::Object(
      {{"scope", s::WithExample(s::Text("Place or ;user=NAME; \"/\" is all the token may see"),
                                "acme/website")},
       {"scope_exact", s::ScopeExact()},
       {"id", s::Text("One memory instead of a scope")},
       {"to", s::Time("A time, a log seq or a snapshot name")}},
      {"to"}));
  Json memory = s::Object({{"id", s::Text()}, {"version", s::Integer()}}, {"id", "version"});
  operation.output_schema =
      s::Written({{"to", s::Text()},
                  {"changed", s::Integer()},
                  {"moved_out", s::Integer()},
                  {"erased", s::Integer()},
                  {"kept_out", s::Integer("Rejected or replaced since")},
                  {"memories", s::ListOf(std::move(memory), "The first")},
                  {"undo_to", s::Integer()}},
                 {"to", "changed", "moved_out", "erased", "kept_out", "memories"});
  operation.hints = kDestroys;
  Serve(operation, kReviewers, {"POST", "/api/v1/rollback"}, engine, RunRollback);
  return operation;
}

Operation SnapshotCreate(Engine& engine) {
  Operation operation;
  operation.name = "snapshot_create";
  operation.title = "Name a snapshot";
  operation.description =
      "Gives a record time a name, now or a past one, that as_of and rollback understand. Costs "
      "nothing and copies nothing. Use it before an import or a clean-up.";
  operation.input_schema =
      s::Write(s::Object({{"name", s::WithExample(s::Text(), "before-import")},
                          {"at", s::Time("A time or a log seq. Default: now")}},
                         {"name"}));
  operation.output_schema = s::Written({{"name", s::Text()}}, {"name"});
  operation.hints = kAdds;
  Serve(operation, kReviewers, {"POST", "/api/v1/snapshots"}, engine, RunSnapshot);
  return operation;
}

Operation SnapshotList(Engine& engine) {
  Operation operation;
  operation.name = "snapshot_list";
  operation.title = "List snapshots";
  operation.description =
      "Lists the named snapshots of the space, oldest first; to a narrowed token, those that "
      "tokens of its scope have named.";
  Json snapshot = s::Object(
      {{"name", s::Text()}, {"at", s::Text()}, {"seq", s::Integer()}, {"record_time", s::Text()}},
      {"name", "at", "seq", "record_time"});
  operation.output_schema =
      s::Object({{"snapshots", s::ListOf(std::move(snapshot))}}, {"snapshots"});
  operation.hints = kReads;
  operation.mirror = MirrorAsData;
  Serve(operation, kAuditors, {"GET", "/api/v1/snapshots"}, engine, RunSnapshotList);
  return operation;
}

}  // namespace perdure::operations
