// Several memories that become one, and are parted again.
#include <fmt/format.h>

#include "engine/base/check.h"
#include "engine/base/limits.h"
#include "server/api/answers.h"
#include "server/api/drafts.h"
#include "server/api/operations.h"
#include "server/api/requests.h"
#include "server/api/schemas.h"
#include "server/api/serve.h"

namespace perdure::operations {
namespace {

using Json = nlohmann::json;
namespace s = schemas;

Result<Json> Merge(Engine& engine, const Principal& principal, const Json& arguments) {
  MergeMemories command;
  ASSIGN_OR_RETURN(command.parts, IdsOf(engine, principal, arguments, "parts"));
  ASSIGN_OR_RETURN(command.merged, DraftOf(engine, principal, arguments));
  const std::size_t parts = command.parts.size();
  ASSIGN_OR_RETURN(
      const WriteOutcome outcome,
      engine.Write(principal, std::move(command), WriteOptionsOf("memory_merge", arguments)));
  PERDURE_CHECK(!outcome.memories.empty());
  Json answer = StoredAnswer(outcome.memories.front(), outcome.dry_run);
  PutOutcome(answer, outcome, fmt::format("make one memory of {}", parts));
  return answer;
}

Result<Json> Unmerge(Engine& engine, const Principal& principal, const Json& arguments) {
  UnmergeMemory command;
  ASSIGN_OR_RETURN(command.id, IdOf(engine, principal, TextOf(arguments, "id"), "id"));
  ASSIGN_OR_RETURN(const WriteOutcome outcome,
                   engine.Write(principal, command, WriteOptionsOf("memory_unmerge", arguments)));
  Json answer = ChangeAnswer(outcome, "part");
  answer["parts"] = Json::array();
  for (const MemoryOutcome& memory : outcome.memories) {
    if (memory.id != command.id) answer["parts"].push_back(ToString(memory.id));
  }
  return answer;
}

}  // namespace

Operation MemoryMerge(Engine& engine) {
  Operation operation;
  operation.name = "memory_merge";
  operation.title = "Merge memories";
  operation.description =
      "Makes one memory of several, which leave default reads and are named as its parts. The text "
      "is yours to write. memory_unmerge takes it back. Facts are not merged.";
  Json parts = s::Texts("Ids of 2 or more memories");
  parts["minItems"] = 2;
  parts["maxItems"] = limits::kSourcesMax;
  Json schema = DraftSchema();
  schema["properties"].erase("derived_from");  // the parts
  schema["required"].push_back("parts");
  operation.input_schema = s::Write(s::With(std::move(schema), {{"parts", std::move(parts)}}));
  operation.output_schema = StoredSchema({"version", "created"});
  operation.hints = kAdds;
  operation.mcp_tool = false;
  Serve(operation, kWriters, {"POST", "/api/v1/memories:merge"}, engine, Merge);
  return operation;
}

Operation MemoryUnmerge(Engine& engine) {
  Operation operation;
  operation.name = "memory_unmerge";
  operation.title = "Undo a merge";
  operation.description =
      "Puts the parts of a merged memory back to what they were and archives the merged one. "
      "Refused once a part has changed since, or was rejected.";
  operation.input_schema = s::Change(s::Object({{"id", s::Id()}}, {"id"}));
  operation.output_schema = s::WithQuiet(s::Changed(), {{"parts", s::Texts()}});
  operation.hints = kAdds;
  operation.mcp_tool = false;
  Serve(operation, kWriters, {"POST", "/api/v1/memories/{id}/unmerge"}, engine, Unmerge);
  return operation;
}

}  // namespace perdure::operations
