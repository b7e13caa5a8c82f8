// What a reviewer is to let in.
#include <fmt/format.h>

#include "engine/base/check.h"
#include "server/api/answers.h"
#include "server/api/drafts.h"
#include "server/api/fact_drafts.h"
#include "server/api/mirrors.h"
#include "server/api/operations.h"
#include "server/api/requests.h"
#include "server/api/schemas.h"
#include "server/api/serve.h"
#include "server/api/verdicts.h"

namespace perdure::operations {
namespace {

using Json = nlohmann::json;
namespace s = schemas;

constexpr const char* kFact = "fact";

// Facts and notes take different arguments, and one is not silently left out of the other.
Status CheckArguments(const Json& arguments, const Json& own, const char* rest) {
  for (const auto& [name, value] : arguments.items()) {
    if (name == "kind" || own["properties"].contains(name)) continue;
    return Fail(Code::kInvalidArgument, fmt::format("\"{}\" is for {}.", name, rest), name);
  }
  return {};
}

Status CheckRequired(const Json& arguments, const Json& own) {
  for (const Json& name : own["required"]) {
    const auto& text = name.get_ref<const std::string&>();
    if (arguments.contains(text)) continue;
    return Fail(
        Code::kInvalidArgument,
        fmt::format("\"{}\" is required. Example: {}", text,
                    TextOf(arguments, "kind") == kFact
                        ? R"({"kind":"fact","subject":"Alice","predicate":"drinks","object":"tea"})"
                        : R"({"text":"We deploy on Fridays."})"),
        text);
  }
  return {};
}

Result<ProposeCandidate> ProposalOf(const Engine& engine, const Principal& principal,
                                    const Json& arguments) {
  const bool is_fact = TextOf(arguments, "kind") == kFact;
  const Json own = s::Write(is_fact ? FactDraftSchema() : DraftSchema());
  RETURN_IF_ERROR(CheckArguments(
      arguments, own, is_fact ? "notes: leave it out of a fact" : "facts: say \"kind\":\"fact\""));
  RETURN_IF_ERROR(CheckRequired(arguments, own));
  ProposeCandidate command;
  if (is_fact) {
    ASSIGN_OR_RETURN(command.draft, FactDraftOf(engine, principal, arguments));
  } else {
    ASSIGN_OR_RETURN(command.draft, DraftOf(engine, principal, arguments));
  }
  return command;
}

Result<Json> Propose(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(ProposeCandidate command, ProposalOf(engine, principal, arguments));
  auto outcome =
      engine.Write(principal, std::move(command), WriteOptionsOf("candidate_propose", arguments));
  if (!outcome) {
    return RefusalAnswer(engine, principal, std::move(outcome).error(), arguments);
  }
  PERDURE_CHECK(outcome->memories.size() == 1);
  const MemoryOutcome& claim = outcome->memories.front();
  ASSIGN_OR_RETURN(Json answer, AnswerOfClaim(engine, principal, claim, outcome->dry_run));
  if (const Json left = NotAppliedOf(arguments); !left.empty()) answer["not_applied"] = left;
  PutOutcome(answer, *outcome, WouldClaim(claim));
  return answer;
}

// Both drafts in one flat schema, of which models are told apart only what notes add.
Json InputSchema() {
  Json schema = DraftSchema();
  Json facts = FactDraftSchema()["properties"];
  for (auto& [name, property] : facts.items()) {
    if (!schema["properties"].contains(name)) schema["properties"][name] = property;
  }
  schema = s::Write(std::move(schema));
  for (auto& [name, property] : schema["properties"].items()) property = s::Brief(property);
  schema.erase("required");
  return s::With(std::move(schema),
                 {{"kind", s::OneOf({"note", "fact", "episode", "procedure", "observation"},
                                    "fact: the arguments of fact_assert; else of memory_store")},
                  {"evidence", s::Brief(EvidenceSchema(), "quote, source, reference_time")}});
}

}  // namespace

Operation CandidatePropose(Engine& engine) {
  Operation operation;
  operation.name = "candidate_propose";
  operation.title = "Propose a memory";
  operation.description =
      "Offers a note or a fact to a reviewer instead of storing it, where it is uncertain or "
      "sensitive. No read shows it until it is approved. Returns outcome candidate, or refused "
      "with the reason.";
  operation.input_schema = InputSchema();
  operation.output_schema =
      s::WithQuiet(VerdictSchema(), {{"not_applied", s::Texts("Arguments that were left alone")}});
  operation.hints = kAdds;
  operation.mirror = MirrorOfVerdict;
  Serve(operation, kWriters, {"POST", "/api/v1/candidates"}, engine, Propose);
  return operation;
}

}  // namespace perdure::operations
