#include <fmt/format.h>

#include "engine/base/check.h"
#include "engine/base/limits.h"
#include "server/api/answers.h"
#include "server/api/drafts.h"
#include "server/api/operations.h"
#include "server/api/requests.h"
#include "server/api/schemas.h"
#include "server/api/serve.h"
#include "server/api/status.h"

namespace perdure::operations {
namespace {

using Json = nlohmann::json;
namespace s = schemas;

Result<Json> Store(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(NoteDraft draft, DraftOf(engine, principal, arguments));
  ASSIGN_OR_RETURN(const WriteOutcome outcome,
                   engine.Write(principal, StoreMemories{{std::move(draft)}},
                                WriteOptionsOf("memory_store", arguments)));
  PERDURE_CHECK(outcome.memories.size() == 1);
  const MemoryOutcome& memory = outcome.memories.front();
  Json answer = StoredAnswer(memory, outcome.dry_run);
  PutOutcome(answer, outcome, WouldStore(memory));
  return answer;
}

// The errors of one memory among many name its place.
Error AtIndex(Error error, std::size_t index) {
  const bool is_of_call = error.field == "idempotency_key" || error.field == "reason";
  if (is_of_call || error.field.starts_with("memories")) return error;
  error.field = fmt::format("memories[{}]{}{}", index, error.field.empty() ? "" : ".", error.field);
  return error;
}

Result<std::vector<NoteDraft>> DraftsOf(const Engine& engine, const Principal& principal,
                                        const Json& memories) {
  std::vector<NoteDraft> drafts;
  for (const Json& memory : memories) {
    auto draft = DraftOf(engine, principal, memory);
    if (!draft) return std::unexpected(AtIndex(std::move(draft).error(), drafts.size()));
    drafts.push_back(std::move(*draft));
  }
  return drafts;
}

Result<Json> StoreAll(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(std::vector<NoteDraft> drafts,
                   DraftsOf(engine, principal, arguments["memories"]));
  auto outcome = engine.Write(principal, StoreMemories{std::move(drafts)},
                              WriteOptionsOf("memory_store_many", arguments));
  if (!outcome) {
    Error error = std::move(outcome).error();
    if (arguments["memories"].size() == 1 && !error.field.empty()) error = AtIndex(error, 0);
    return std::unexpected(std::move(error));
  }
  Json answer = {{"results", Json::array()}};
  std::size_t created = 0;
  for (const MemoryOutcome& memory : outcome->memories) {
    answer["results"].push_back(StoredAnswer(memory, outcome->dry_run));
    if (memory.created) ++created;
  }
  PutOutcome(answer, *outcome,
             fmt::format("store {} new memories; {} are there already", created,
                         outcome->memories.size() - created));
  return answer;
}

// Each memory is a write of its own. Its key is made of the call's, and its request is the whole
// call, so that the call repeated in any other form is refused.
Result<Json> StoreEach(Engine& engine, const Principal& principal, const Json& arguments) {
  const WriteOptions call = WriteOptionsOf("memory_store_many", arguments);
  Json results = Json::array();
  Json answer = Json::object();
  for (const Json& memory : arguments["memories"]) {
    const std::size_t index = results.size();
    WriteOptions options = call;
    if (!call.idempotency_key.empty()) options.idempotency_key += fmt::format("#{}", index);
    auto draft = DraftOf(engine, principal, memory);
    auto outcome = draft ? engine.Write(principal, StoreMemories{{std::move(*draft)}}, options)
                         : Result<WriteOutcome>(std::unexpected(std::move(draft).error()));
    if (!outcome) {
      results.push_back({{"error", ErrorObject(AtIndex(std::move(outcome).error(), index))}});
      continue;
    }
    Json& result = results.emplace_back(StoredAnswer(outcome->memories.front(), outcome->dry_run));
    PutOutcome(result, *outcome, WouldStore(outcome->memories.front()));
    PutOutcome(answer, *outcome, "store the memories whose result holds no error");
  }
  answer["results"] = std::move(results);
  return answer;
}

Result<Json> StoreMany(Engine& engine, const Principal& principal, const Json& arguments) {
  if (arguments.value("partial", false)) return StoreEach(engine, principal, arguments);
  return StoreAll(engine, principal, arguments);
}

}  // namespace

Operation MemoryStore(Engine& engine) {
  Operation operation;
  operation.name = "memory_store";
  operation.title = "Store a memory";
  operation.description =
      "Keeps what later sessions should know: a decision, preference, fact, how-to, turn of a "
      "conversation. Search first, and change what is known already with memory_edit. Returns id "
      "and version; created is false when this very memory was there, and not_applied names the "
      "arguments that were then left alone.";
  operation.input_schema = s::Write(DraftSchema());
  operation.output_schema = StoredSchema({"version", "created", "not_applied"});
  operation.hints = kSettles;
  Serve(operation, kWriters, {"POST", "/api/v1/memories"}, engine, Store);
  return operation;
}

Operation MemoryStoreMany(Engine& engine) {
  Operation operation;
  operation.name = "memory_store_many";
  operation.title = "Store many memories";
  operation.description =
      "Stores up to 1000 memories as one write: all of them, or none when one is refused. With "
      "partial each is a write of its own, and its result says what became of it. Returns results "
      "in the order of memories.";
  Json memories = s::ListOf(DraftSchema(), "Each as in memory_store");
  memories["minItems"] = 1;
  memories["maxItems"] = limits::kStoreManyMax;
  operation.input_schema = s::Write(s::Object(
      {{"memories", std::move(memories)}, {"partial", s::Flag("Store those that can be stored")}},
      {"memories"}));
  // Room for the numbers that tell the memories of a partial call apart.
  operation.input_schema["properties"]["idempotency_key"]["maxLength"] =
      limits::kIdempotencyKeyBytesMax - 8;
  Json result = s::With(StoredSchema({}), {{"error", s::Open()}});
  operation.output_schema = s::Written({{"results", s::ListOf(std::move(result))}}, {"results"});
  operation.hints = kSettles;
  operation.mcp_tool = false;
  Serve(operation, kWriters, {"POST", "/api/v1/memories:batch"}, engine, StoreMany);
  return operation;
}

}  // namespace perdure::operations
