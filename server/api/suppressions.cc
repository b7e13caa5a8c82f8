// Rejected values: what may not be remembered, since when, and until whom.
#include <fmt/format.h>

#include "engine/base/limits.h"
#include "engine/read/review.h"
#include "server/api/answers.h"
#include "server/api/json.h"
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

Json SuppressionAnswer(const SuppressionInfo& info, Micros now) {
  const bool is_over = info.expires_at && *info.expires_at <= now;
  Json answer = {{"suppression", info.seq},
                 {"record_time", FormatTime(info.record_time)},
                 {"reviewer", ToString(info.reviewer)},
                 {"text", info.text},
                 {"scope", FormatScope(info.scope)},
                 {"in_force", info.lifted_seq == 0 && !is_over},
                 {"refused", info.refused}};
  PutText(answer, "reason", info.reason);
  if (info.memory) answer["memory"] = ToString(*info.memory);
  PutTime(answer, "until", info.expires_at);
  if (info.lifted_seq != 0) answer["lifted_seq"] = info.lifted_seq;
  return answer;
}

Result<Json> List(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(const ReadView view, ViewFor(engine, principal, arguments));
  ASSIGN_OR_RETURN(const auto listed, ListSuppressions(view));
  Json answer = {{"suppressions", Json::array()}};
  const bool wants_all = arguments.value("all", false);
  std::size_t bytes = 0;
  for (auto info = listed.rbegin(); info != listed.rend(); ++info) {
    Json shown = SuppressionAnswer(*info, view.valid_at());
    if (!wants_all && shown["in_force"] == false) continue;
    bytes += DumpJson(shown).size();
    if (bytes > limits::kAnswerBytesDefault && !answer["suppressions"].empty()) {
      answer["truncated"] = true;
      break;
    }
    answer["suppressions"].push_back(std::move(shown));
  }
  PutView(answer, view, arguments);
  return answer;
}

Result<SuppressValue> ValueOf(const Json& arguments) {
  const bool has_text = arguments.contains("text");
  std::size_t parts = 0;
  for (const char* name : {"subject", "predicate", "object"}) parts += arguments.contains(name);
  if (has_text == (parts > 0) || (parts > 0 && parts < 3)) {
    return Fail(Code::kInvalidArgument,
                "Give either \"text\", or \"subject\", \"predicate\" and \"object\". Example: "
                "{\"subject\":\"Alice\",\"predicate\":\"drinks\",\"object\":\"milk\"}",
                has_text ? "text" : "subject");
  }
  SuppressValue command;
  if (has_text) {
    command.value = TextOf(arguments, "text");
  } else {
    command.value = FactValue{TextOf(arguments, "subject"), TextOf(arguments, "predicate"),
                              TextOf(arguments, "object")};
  }
  ASSIGN_OR_RETURN(command.scope, ScopeOf(arguments));
  ASSIGN_OR_RETURN(command.until, TimeOf(arguments, "until"));
  return command;
}

Result<Json> Create(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(SuppressValue command, ValueOf(arguments));
  ASSIGN_OR_RETURN(
      const WriteOutcome outcome,
      engine.Write(principal, std::move(command), WriteOptionsOf("suppression_create", arguments)));
  Json answer = Json::object();
  RETURN_IF_ERROR(PutSuppression(answer, engine, principal, outcome));
  for (const MemoryOutcome& memory : outcome.memories) {
    answer["forgotten"].push_back(ToString(memory.id));
  }
  PutOutcome(answer, outcome, "keep the value out from now on");
  return answer;
}

Result<Json> Lift(Engine& engine, const Principal& principal, const Json& arguments) {
  const LiftSuppression command{arguments["suppression"].get<Seq>()};
  ASSIGN_OR_RETURN(const WriteOutcome outcome,
                   engine.Write(principal, command, WriteOptionsOf("suppression_lift", arguments)));
  Json answer = {{"suppression", command.suppression}};
  PutOutcome(answer, outcome, "let the value in again when it is next claimed");
  return answer;
}

Result<Json> EraseWords(Engine& engine, const Principal& principal, const Json& arguments) {
  EraseMemories command;
  command.suppressions = {arguments["suppression"].get<Seq>()};
  ASSIGN_OR_RETURN(
      const Engine::Erasure erasure,
      engine.Erase(principal, command, WriteOptionsOf("suppression_erase", arguments)));
  Json answer = {{"suppression", arguments["suppression"]}};
  PutOutcome(answer, erasure.outcome, "erase its words and its reason; it goes on refusing");
  if (!erasure.outcome.dry_run) answer["receipts"] = erasure.receipts;
  return answer;
}

}  // namespace

Operation SuppressionList(Engine& engine) {
  Operation operation;
  operation.name = "suppression_list";
  operation.title = "List rejected values";
  operation.description =
      "Lists the values that may not be remembered, newest first: who rejected them, why, within "
      "which scope, until when, and how many writes each has refused since.";
  operation.input_schema = s::Object(
      {{"all", s::Flag("Those that were lifted or are over, too")}, {"as_of", s::AsOf()}});
  Json suppression = s::WithQuiet(s::Object({{"suppression", s::Integer()},
                                             {"text", s::Text("What was rejected")},
                                             {"reason", s::Text()},
                                             {"scope", s::Text()},
                                             {"in_force", s::Flag()},
                                             {"refused", s::Integer("Writes since")}},
                                            {"suppression", "text", "in_force", "refused"}),
                                  {{"record_time", s::Text()},
                                   {"reviewer", s::Text()},
                                   {"memory", s::Text("That it was made from")},
                                   {"until", s::Text()},
                                   {"lifted_seq", s::Integer()}});
  operation.output_schema =
      s::WithQuiet(s::Read({{"suppressions", s::ListOf(std::move(suppression))}}, {"suppressions"}),
                   {{"truncated", s::Flag()}});
  operation.hints = kReads;
  operation.mirror = MirrorAsData;
  Serve(operation, kAuditors, {"GET", "/api/v1/suppressions"}, engine, List);
  return operation;
}

Operation SuppressionCreate(Engine& engine) {
  Operation operation;
  operation.name = "suppression_create";
  operation.title = "Reject a value";
  operation.description =
      "Keeps a value out on every path, whether or not a memory has it now: a fact's subject, "
      "predicate and object, or the whole text of a note. Spelling, case and look-alike letters "
      "do not matter. Returns the suppression, which suppression_lift takes.";
  operation.input_schema = s::Write(s::Object({{"subject", s::Text()},
                                               {"predicate", s::Text()},
                                               {"object", s::Text()},
                                               {"text", s::Text("Of a note, instead")},
                                               {"scope", s::Scope()},
                                               {"until", s::Time("Default: until it is lifted")}}));
  operation.output_schema = s::WithQuiet(s::Written({{"suppression", s::Integer()}}),
                                         {{"forgotten", s::Texts("Memories that had the value")}});
  operation.hints = kAdds;
  Serve(operation, kReviewers, {"POST", "/api/v1/suppressions"}, engine, Create);
  return operation;
}

Operation SuppressionLift(Engine& engine) {
  Operation operation;
  operation.name = "suppression_lift";
  operation.title = "Lift a rejection";
  operation.description =
      "Lets a rejected value be remembered again. Nothing comes back by itself: it has to be "
      "claimed or restored. Needs a reason.";
  operation.input_schema =
      s::Write(s::Object({{"suppression", s::Integer("Its number: see suppression_list", 1)}},
                         {"suppression", "reason"}));
  operation.output_schema = s::Written({{"suppression", s::Integer()}}, {"suppression"});
  operation.hints = kSettles;
  Serve(operation, kReviewers, {"POST", "/api/v1/suppressions/{suppression}/lift"}, engine, Lift);
  return operation;
}

Operation SuppressionErase(Engine& engine) {
  Operation operation;
  operation.name = "suppression_erase";
  operation.title = "Erase a rejection's words";
  operation.description =
      "Destroys the words of a rejected value, and the reason that was given, for good. The "
      "rejection holds on: it is listed as [erased], and goes on refusing. Returns the seqs of the "
      "receipts.";
  operation.input_schema = s::Write(s::Object(
      {{"suppression", s::Integer("Its number: see suppression_list", 1)}}, {"suppression"}));
  operation.output_schema = s::Written(
      {{"suppression", s::Integer()}, {"receipts", s::ListOf(s::Integer())}}, {"suppression"});
  operation.hints = kDestroys;
  operation.erases = true;
  Serve(operation, Caller::kOperator, {"POST", "/api/v1/suppressions/{suppression}/erase"}, engine,
        EraseWords);
  return operation;
}

}  // namespace perdure::operations
