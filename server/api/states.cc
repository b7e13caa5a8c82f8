// Archive, restore, forget, pin, unpin: what becomes of a memory without a new version.
#include <fmt/format.h>

#include "server/api/answers.h"
#include "server/api/operations.h"
#include "server/api/requests.h"
#include "server/api/schemas.h"
#include "server/api/serve.h"
#include "server/api/verdicts.h"

namespace perdure::operations {
namespace {

using Json = nlohmann::json;
namespace s = schemas;

struct Move {
  Transition transition;
  const char* verb;  // ends the name of the tool and the path
  const char* title;
  const char* description;
  OperationHints hints = kSettles;
  Caller::RoleMask roles = kWriters;
};

// Of a forgetting: whether its value may come back, and from how far.
Result<std::optional<Refusing>> RefusingOfForget(const Json& arguments) {
  if (arguments.value("refuse", false)) {
    ASSIGN_OR_RETURN(Refusing refusing, RefusingOf(arguments));
    return refusing;
  }
  for (const char* name : {"wide", "until"}) {
    if (!arguments.contains(name)) continue;
    return Fail(Code::kInvalidArgument,
                fmt::format("\"{}\" says how far a rejection reaches: set \"refuse\", too.", name),
                name);
  }
  return std::nullopt;
}

Result<Json> Run(Engine& engine, const Move& move, const Principal& principal,
                 const Json& arguments) {
  MoveState command{{}, move.transition, {}};
  ASSIGN_OR_RETURN(command.refusing, RefusingOfForget(arguments));
  ASSIGN_OR_RETURN(command.id, IdOf(engine, principal, TextOf(arguments, "id"), "id"));
  ASSIGN_OR_RETURN(const WriteOutcome outcome,
                   engine.Write(principal, command,
                                WriteOptionsOf(fmt::format("memory_{}", move.verb), arguments)));
  Json answer = ChangeAnswer(outcome, move.verb);
  if (command.refusing) RETURN_IF_ERROR(PutSuppression(answer, engine, principal, outcome));
  for (std::size_t i = 1; i < outcome.memories.size(); ++i) {
    answer["forgotten"].push_back(ToString(outcome.memories[i].id));
  }
  return answer;
}

Operation Make(Engine& engine, const Move& move) {
  Operation operation;
  operation.name = fmt::format("memory_{}", move.verb);
  operation.title = move.title;
  operation.description = move.description;
  operation.input_schema = s::Change(s::Object({{"id", s::Id()}}, {"id"}));
  operation.output_schema = s::Changed();
  operation.hints = move.hints;
  const std::string path = fmt::format("/api/v1/memories/{{id}}/{}", move.verb);
  Serve(operation, move.roles, {"POST", path}, engine,
        [move](Engine& house, const Principal& principal, const Json& arguments) {
          return Run(house, move, principal, arguments);
        });
  return operation;
}

}  // namespace

Operation MemoryArchive(Engine& engine) {
  return Make(engine,
              {Transition::kArchive, "archive", "Archive a memory",
               "Puts a memory away: out of search and lists, still read by id or with filter "
               "{\"state\":\"archived\"}. For what is done but may matter later. Returns the "
               "version; memory_restore brings it back."});
}

Operation MemoryRestore(Engine& engine) {
  return Make(engine, {Transition::kRestore, "restore", "Restore a memory",
                       "Brings an archived memory back to search and lists; for a reviewer a "
                       "forgotten one too. Returns the version."});
}

Operation MemoryForget(Engine& engine) {
  Operation operation = Make(
      engine, {Transition::kForget, "forget", "Forget a memory",
               "Hides a memory from every read. For what is wrong or unwanted; for what is only "
               "done, memory_archive. Returns the version; only a reviewer can see or restore it "
               "then, and may refuse its value from now on.",
               kDestroys});
  Json& arguments = operation.input_schema;
  arguments = s::With(std::move(arguments),
                      {{"refuse", s::Brief(s::Flag("Reviewers: its value may not come back"),
                                           "Reviewers; with wide, until")}});
  const Json reach = s::Refusing()["properties"];
  for (const auto& [name, property] : reach.items()) {
    arguments["properties"][name] = s::Brief(property);
  }
  operation.output_schema =
      s::WithQuiet(std::move(operation.output_schema),
                   {{"suppression", s::Integer("What keeps the value out")},
                    {"forgotten", s::Texts("Others that had the refused value")}});
  return operation;
}

Operation MemoryPin(Engine& engine) {
  return Make(engine, {Transition::kPin, "pin", "Pin a memory",
                       "Guarantees that a memory stays and ranks above its rivals. memory_unpin "
                       "takes it back.",
                       kSettles, kReviewers});
}

Operation MemoryUnpin(Engine& engine) {
  return Make(engine,
              {Transition::kUnpin, "unpin", "Unpin a memory",
               "Takes a memory's pin away, so that it ranks as others do. Nothing else changes.",
               kSettles, kReviewers});
}

}  // namespace perdure::operations
