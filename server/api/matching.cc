// Forgetting, or erasing, all memories that match.
#include <fmt/format.h>

#include "server/api/answers.h"
#include "server/api/operations.h"
#include "server/api/requests.h"
#include "server/api/schemas.h"
#include "server/api/serve.h"

namespace perdure::operations {
namespace {

using Json = nlohmann::json;
namespace s = schemas;

Result<ForgetMatching> MatchingOf(const Principal& principal, const Json& arguments) {
  ForgetMatching command;
  ASSIGN_OR_RETURN(const auto scope, ScopeOf(arguments));
  command.scope = scope.value_or(principal.scope);
  command.scope_exact = arguments.value("scope_exact", false);
  if (arguments.contains("store")) command.store = TextOf(arguments, "store");
  ASSIGN_OR_RETURN(command.created_before, TimeOf(arguments, "created_before"));
  command.expired = arguments.value("expired", false);
  command.tags = arguments.value("tags", std::vector<std::string>());
  command.type = TextOf(arguments, "type");
  return command;
}

Json Matching() {
  return s::Write(s::Object({{"scope", s::Scope()},
                             {"scope_exact", s::ScopeExact()},
                             {"store", s::Text()},
                             {"created_before", s::Time("Older ones alone")},
                             {"expired", s::Flag("Only those whose time has run out")},
                             {"tags", s::Texts("All of them")},
                             {"type", s::Text()}}));
}

Result<Json> Forget(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(ForgetMatching command, MatchingOf(principal, arguments));
  ASSIGN_OR_RETURN(const WriteOutcome outcome,
                   engine.Write(principal, std::move(command),
                                WriteOptionsOf("memory_forget_matching", arguments)));
  Json answer = {{"forgotten", outcome.memories.size()}};
  PutOutcome(answer, outcome, fmt::format("forget {} memories", outcome.memories.size()));
  return answer;
}

Result<Json> Erase(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(ForgetMatching command, MatchingOf(principal, arguments));
  command.erase = true;
  ASSIGN_OR_RETURN(const Engine::Erasure erasure,
                   engine.EraseMatching(principal, std::move(command),
                                        WriteOptionsOf("memory_erase_matching", arguments)));
  Json answer = {{"erased", erasure.outcome.memories.size()}, {"payloads", erasure.payloads}};
  PutOutcome(answer, erasure.outcome,
             fmt::format("erase {} memories for good", erasure.outcome.memories.size()));
  return answer;
}

}  // namespace

Operation MemoryForgetMatching(Engine& engine) {
  Operation operation;
  operation.name = "memory_forget_matching";
  operation.title = "Forget all that matches";
  operation.description =
      "Hides every memory that matches all that is given: of a scope (also a user, agent or run), "
      "a store, older than a time, expired, with tags, of a type. Look first with dry_run, which "
      "says how many.";
  operation.input_schema = Matching();
  operation.output_schema = s::Written({{"forgotten", s::Integer()}}, {"forgotten"});
  operation.hints = kDestroys;
  operation.mcp_tool = false;
  Serve(operation, kReviewers, {"POST", "/api/v1/memories/forget_matching"}, engine, Forget);
  return operation;
}

Operation MemoryEraseMatching(Engine& engine) {
  Operation operation;
  operation.name = "memory_erase_matching";
  operation.title = "Erase all that matches for good";
  operation.description =
      "Destroys the texts of every memory that matches all that is given, in whatever state. "
      "Nobody can bring them back. Look first with dry_run, which says how many.";
  operation.input_schema = Matching();
  operation.output_schema = s::Written(
      {{"erased", s::Integer()}, {"payloads", s::Integer("Texts and descriptions gone")}},
      {"erased", "payloads"});
  operation.hints = kDestroys;
  operation.erases = true;
  operation.mcp_tool = false;
  Serve(operation, Caller::kOperator, {"POST", "/api/v1/memories/erase_matching"}, engine, Erase);
  return operation;
}

}  // namespace perdure::operations
