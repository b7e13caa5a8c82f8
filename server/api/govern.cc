// What is made of a memory's trust, scores and genre.
#include <fmt/format.h>

#include "server/api/answers.h"
#include "server/api/fact_drafts.h"
#include "server/api/operations.h"
#include "server/api/requests.h"
#include "server/api/schemas.h"
#include "server/api/serve.h"

namespace perdure::operations {
namespace {

using Json = nlohmann::json;
namespace s = schemas;

Result<Json> Verify(Engine& engine, const Principal& principal, const Json& arguments) {
  VerifyMemory command;
  ASSIGN_OR_RETURN(const auto evidence, EvidenceOf(arguments));
  command.evidence = evidence.value_or(Evidence{});
  ASSIGN_OR_RETURN(command.id, IdOf(engine, principal, TextOf(arguments, "id"), "id"));
  ASSIGN_OR_RETURN(
      const WriteOutcome outcome,
      engine.Write(principal, std::move(command), WriteOptionsOf("memory_verify", arguments)));
  return ChangeAnswer(outcome, "verify");
}

Result<Json> Score(Engine& engine, const Principal& principal, const Json& arguments) {
  ScoreMemory command;
  if (arguments.contains("importance")) command.importance = arguments["importance"].get<float>();
  if (arguments.contains("confidence")) command.confidence = arguments["confidence"].get<float>();
  command.pass = TextOf(arguments, "pass");
  ASSIGN_OR_RETURN(command.id, IdOf(engine, principal, TextOf(arguments, "id"), "id"));
  ASSIGN_OR_RETURN(
      const WriteOutcome outcome,
      engine.Write(principal, std::move(command), WriteOptionsOf("memory_score", arguments)));
  return ChangeAnswer(outcome, "score");
}

Result<Json> Change(Engine& engine, const Principal& principal, const Json& arguments) {
  ChangeGenre command{{}, *GenreOf(arguments)};
  ASSIGN_OR_RETURN(command.id, IdOf(engine, principal, TextOf(arguments, "id"), "id"));
  ASSIGN_OR_RETURN(const WriteOutcome outcome,
                   engine.Write(principal, command, WriteOptionsOf("genre_change", arguments)));
  return ChangeAnswer(outcome, "move to another genre");
}

}  // namespace

Operation MemoryVerify(Engine& engine) {
  Operation operation;
  operation.name = "memory_verify";
  operation.title = "Verify a memory";
  operation.description =
      "Vouches for a memory, naming the evidence that was looked at: a quote, a source, or both. "
      "A verified fact yields only to a reviewer. Needs a live memory that stands.";
  operation.input_schema =
      s::Change(s::Object({{"id", s::Id()}, {"evidence", EvidenceSchema()}}, {"id", "evidence"}));
  operation.output_schema = s::Changed();
  operation.hints = kSettles;
  Serve(operation, Caller::kReviewer, {"POST", "/api/v1/memories/{id}/verify"}, engine, Verify);
  return operation;
}

Operation MemoryScore(Engine& engine) {
  Operation operation;
  operation.name = "memory_score";
  operation.title = "Score a memory";
  operation.description =
      "Sets importance or confidence, within bounds: at most 0.2 a call and 0.4 a pass, from 0.05 "
      "to 0.95. For runs that look at many memories. Pinned and verified memories are not scored. "
      "Needs a reason.";
  operation.input_schema =
      s::Change(s::Object({{"id", s::Id()},
                           {"importance", s::Share("")},
                           {"confidence", s::Share("")},
                           {"pass", s::WithExample(s::Text("Name of the run"), "nightly 12")}},
                          {"id", "pass", "reason"}));
  operation.output_schema = s::Changed();
  operation.hints = kAdds;
  operation.mcp_tool = false;
  Serve(operation, kWriters, {"POST", "/api/v1/memories/{id}/score"}, engine, Score);
  return operation;
}

Operation GenreChange(Engine& engine) {
  Operation operation;
  operation.name = "genre_change";
  operation.title = "Change a memory's genre";
  operation.description =
      "Says what a memory is for. Default reads show factual ones; the others are found with a "
      "filter on genre.";
  operation.input_schema = s::Change(
      s::Object({{"id", s::Id()}, {"genre", s::OneOf(s::GenreNames())}}, {"id", "genre"}));
  operation.output_schema = s::Changed();
  operation.hints = kSettles;
  Serve(operation, kReviewers, {"POST", "/api/v1/memories/{id}/genre"}, engine, Change);
  return operation;
}

}  // namespace perdure::operations
