// The settings of a space, and what it knows about predicates.
#include "engine/decide/policy.h"

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

Result<Json> Declare(Engine& engine, const Principal& principal, const Json& arguments) {
  DeclarePredicate command;
  command.name = TextOf(arguments, "name");
  command.multi_valued = arguments.value("multi_valued", false);
  command.symmetric = arguments.value("symmetric", false);
  if (arguments.contains("shape")) {
    command.shape = *EnumOf(arguments["shape"], fb::EnumValuesValueShape(), fb::EnumNameValueShape);
  }
  const std::string name = command.name;
  ASSIGN_OR_RETURN(
      const WriteOutcome outcome,
      engine.Write(principal, std::move(command), WriteOptionsOf("predicate_declare", arguments)));
  Json answer = {{"name", name}};
  PutOutcome(answer, outcome, "relate the values of this predicate so from now on");
  return answer;
}

std::optional<float> ShareOf(const Json& arguments, const char* name) {
  if (!arguments.contains(name)) return std::nullopt;
  return arguments[name].get<float>();
}

std::optional<std::uint32_t> CountOf(const Json& arguments, const char* name) {
  if (!arguments.contains(name)) return std::nullopt;
  return VersionOf(arguments, name);
}

std::optional<fb::Admission> AdmissionOf(const Json& arguments, const char* name) {
  if (!arguments.contains(name)) return std::nullopt;
  return EnumOf(arguments[name], fb::EnumValuesAdmission(), fb::EnumNameAdmission);
}

Json SettingsSchema() {
  return s::Object(
      {{"repetition", s::OneOf(s::RepetitionNames(), "What makes a standing value surer")},
       {"reinforce", s::Share("What new evidence adds to confidence")},
       {"fade", s::Share("What is left of a rival's confidence")},
       {"critical", s::Share("From this importance on a rival fades by critical_fade")},
       {"critical_fade", s::Share("What is left of an important rival's confidence")},
       {"archive_below", s::Share("Under it a rival is superseded")},
       {"injection", s::OneOf(s::AdmissionNames(), "Facts that give orders to their reader")},
       {"note_injection", s::OneOf(s::AdmissionNames(), "Notes that do")},
       {"agents", s::OneOf(s::AdmissionNames(), "Facts of tokens that are agents only")},
       {"novelty", s::OneOf(s::AdmissionNames(), "Facts that nearly repeat their slot")},
       {"text_bytes_max", s::Integer("0: as much as the engine takes", 0)},
       {"writes_per_minute", s::Integer("Of one principal; 0: any number", 0)}});
}

Result<Json> Set(Engine& engine, const Principal& principal, const Json& arguments) {
  SetPolicy command;
  if (arguments.contains("repetition")) {
    command.repetition =
        EnumOf(arguments["repetition"], fb::EnumValuesRepetition(), fb::EnumNameRepetition);
  }
  command.reinforce = ShareOf(arguments, "reinforce");
  command.fade = ShareOf(arguments, "fade");
  command.critical = ShareOf(arguments, "critical");
  command.critical_fade = ShareOf(arguments, "critical_fade");
  command.archive_below = ShareOf(arguments, "archive_below");
  command.injection = AdmissionOf(arguments, "injection");
  command.note_injection = AdmissionOf(arguments, "note_injection");
  command.agents = AdmissionOf(arguments, "agents");
  command.novelty = AdmissionOf(arguments, "novelty");
  command.text_bytes_max = CountOf(arguments, "text_bytes_max");
  command.writes_per_minute = CountOf(arguments, "writes_per_minute");
  ASSIGN_OR_RETURN(const WriteOutcome outcome,
                   engine.Write(principal, command, WriteOptionsOf("policy_set", arguments)));
  Json answer = Json::object();
  PutOutcome(answer, outcome, "hold the space to these settings from now on");
  return answer;
}

Status CheckSomethingIsSet(const Json& arguments) {
  const Json settings = SettingsSchema()["properties"];
  for (const auto& [name, setting] : settings.items()) {
    if (arguments.contains(name)) return {};
  }
  return Fail(Code::kInvalidArgument,
              "Nothing is to be set. Give at least one setting. Example: {\"fade\":0.6}", "fade");
}

Result<Json> Get(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(const ReadView view, ViewFor(engine, principal, arguments));
  ASSIGN_OR_RETURN(const Policy policy, ReadPolicy(view.then(), view.space()));
  Json answer = {{"repetition", fb::EnumNameRepetition(policy.repetition)},
                 {"first", Decimal(policy.first)},
                 {"newcomer", Decimal(policy.newcomer)},
                 {"reinforce", Decimal(policy.reinforce)},
                 {"fade", Decimal(policy.fade)},
                 {"critical", Decimal(policy.critical)},
                 {"critical_fade", Decimal(policy.critical_fade)},
                 {"archive_below", Decimal(policy.archive_below)},
                 {"injection", fb::EnumNameAdmission(policy.injection)},
                 {"note_injection", fb::EnumNameAdmission(policy.note_injection)},
                 {"agents", fb::EnumNameAdmission(policy.agents)},
                 {"novelty", fb::EnumNameAdmission(policy.novelty)},
                 {"text_bytes_max", policy.text_bytes_max},
                 {"writes_per_minute", policy.writes_per_minute}};
  PutView(answer, view, arguments);
  return answer;
}

}  // namespace

Operation PredicateDeclare(Engine& engine) {
  Operation operation;
  operation.name = "predicate_declare";
  operation.title = "Declare a predicate";
  operation.description =
      "Says how values of a predicate relate from now on: one a subject (as without a "
      "declaration) or many side by side, the same from both ends, of a certain shape. Facts that "
      "come to claim one place settle at once: what is pinned or verified stands, else the "
      "latest.";
  operation.input_schema =
      s::Write(s::Object({{"name", s::WithExample(s::Text(), "speaks")},
                          {"multi_valued", s::Flag("Many values stand side by side")},
                          {"symmetric", s::Flag("Subject and object may be swapped")},
                          {"shape", s::OneOf(s::ShapeNames(), "Of its objects. Default: any")}},
                         {"name"}));
  operation.output_schema = s::Written({{"name", s::Text()}}, {"name"});
  operation.hints = kSettles;
  Serve(operation, kReviewers, {"POST", "/api/v1/predicates"}, engine, Declare);
  return operation;
}

Operation PolicySet(Engine& engine) {
  Operation operation;
  operation.name = "policy_set";
  operation.title = "Set policies";
  operation.description =
      "Changes the settings of the space by which facts gain and lose confidence and writes are "
      "let in; policy_get tells those in force. Only what is passed changes.";
  operation.input_schema = s::Write(SettingsSchema());
  operation.output_schema = s::Written({});
  operation.hints = kSettles;
  Serve(operation, kReviewers, {"PATCH", "/api/v1/policy"}, engine,
        [](Engine& house, const Principal& principal, const Json& arguments) -> Result<Json> {
          RETURN_IF_ERROR(CheckSomethingIsSet(arguments));
          return Set(house, principal, arguments);
        });
  return operation;
}

Operation PolicyGet(Engine& engine) {
  Operation operation;
  operation.name = "policy_get";
  operation.title = "Policies in force";
  operation.description =
      "Tells the settings by which facts gain and lose confidence and writes are let in, now or "
      "at a past time. first and newcomer are the confidence of a value without and with rivals.";
  operation.input_schema = s::Object({{"as_of", s::AsOf()}});
  Json settings = s::With(SettingsSchema(), {{"first", s::Number()}, {"newcomer", s::Number()}});
  operation.output_schema =
      s::WithQuiet(std::move(settings), {{"as_of", s::Text()}, {"as_of_seq", s::Integer()}});
  operation.hints = kReads;
  Serve(operation, kAuditors, {"GET", "/api/v1/policy"}, engine, Get);
  return operation;
}

}  // namespace perdure::operations
