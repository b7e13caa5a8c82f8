// Tools that need an answer of the client before they can give theirs.
#include <string>

#include "server/mcp/conformance_tools.h"

namespace perdure::testing {
namespace {

using Json = nlohmann::json;

Json Sampling(const char* text, int tokens) {
  return {{"method", "sampling/createMessage"},
          {"params",
           {{"messages",
             Json::array({{{"role", "user"}, {"content", {{"type", "text"}, {"text", text}}}}})},
            {"maxTokens", tokens}}}};
}

Json Roots() { return {{"method", "roots/list"}, {"params", Json::object()}}; }

Operation Asking(const char* name,
                 std::function<Result<Json>(const Caller&, const Json&, Dialogue&)> converse) {
  Operation operation;
  operation.name = name;
  operation.title = name;
  operation.description = "For the conformance suite: asks before it answers.";
  operation.hints.read_only = true;
  operation.roles = Caller::kAnyone;
  operation.converse = std::move(converse);
  return operation;
}

// Asks one question and repeats the answer.
Operation AskingOne(const char* name, const char* key, Json question) {
  return Asking(name, [=](const Caller&, const Json&, Dialogue& talk) -> Result<Json> {
    ASSIGN_OR_RETURN(const auto answer, talk.Ask(key, question));
    return answer ? Json{{"answer", *answer}} : Json();
  });
}

// Asks one question with a state, and wants the state back.
Operation AskingWithState(const char* name) {
  return Asking(name, [](const Caller&, const Json&, Dialogue& talk) -> Result<Json> {
    talk.Keep({{"asked", "confirm"}});
    ASSIGN_OR_RETURN(const auto answer,
                     talk.Ask("confirm", Form("Please confirm", "ok", "boolean")));
    if (!answer) return Json();
    if (talk.Kept() != Json{{"asked", "confirm"}}) {
      return Fail(Code::kInvalidArgument, "the state did not come back");
    }
    return Json{{"state", "state-ok"}};
  });
}

Result<Json> AskThree(const Caller&, const Json&, Dialogue& talk) {
  talk.Keep({{"asked", 3}});
  ASSIGN_OR_RETURN(const auto name,
                   talk.Ask("user_name", Form("What is your name?", "name", "string")));
  ASSIGN_OR_RETURN(const auto greeting, talk.Ask("greeting", Sampling("Generate a greeting", 50)));
  ASSIGN_OR_RETURN(const auto roots, talk.Ask("client_roots", Roots()));
  if (!name || !greeting || !roots) return Json();
  return Json{{"name", *name}, {"greeting", *greeting}, {"roots", *roots}};
}

Result<Json> AskTwice(const Caller&, const Json&, Dialogue& talk) {
  Json known = talk.Kept().is_null() ? Json::object() : talk.Kept()["known"];
  const auto ask = [&](const char* step, const Json& question) -> Result<bool> {
    if (known.contains(step)) return true;
    talk.Keep({{"waits_for", step}, {"known", known}});
    ASSIGN_OR_RETURN(const auto answer, talk.Ask(step, question));
    if (answer) known[step] = *answer;
    return answer.has_value();
  };
  ASSIGN_OR_RETURN(const bool has_name,
                   ask("step1", Form("Step 1: What is your name?", "name", "string")));
  if (!has_name) return Json();
  ASSIGN_OR_RETURN(const bool has_color,
                   ask("step2", Form("Step 2: What is your favorite color?", "color", "string")));
  return has_color ? known : Json();
}

// Asks only what the client can take.
Result<Json> AskWhatIsTaken(const Caller&, const Json&, Dialogue& talk) {
  if (talk.CanAsk("elicitation/create")) {
    ASSIGN_OR_RETURN(const auto name, talk.Ask("name", Form("Name?", "name", "string")));
    return name ? Json{{"name", *name}} : Json();
  }
  ASSIGN_OR_RETURN(const auto word, talk.Ask("word", Sampling("Say a word", 10)));
  return word ? Json{{"word", *word}} : Json();
}

}  // namespace

Json Form(const char* message, const char* field, const char* type) {
  return {{"method", "elicitation/create"},
          {"params",
           {{"message", message},
            {"requestedSchema",
             {{"type", "object"},
              {"properties", {{field, {{"type", type}}}}},
              {"required", Json::array({field})}}}}}};
}

void AddConformanceQuestions(Catalogue& catalogue) {
  const Json name = Form("What is your name?", "name", "string");
  const Json capital = Sampling("What is the capital of France?", 100);
  catalogue.Add(AskingOne("test_input_required_result_elicitation", "user_name", name));
  catalogue.Add(AskingOne("test_streaming_elicitation", "user_name", name));
  catalogue.Add(AskingOne("test_input_required_result_sampling", "capital_question", capital));
  catalogue.Add(AskingOne("test_missing_capability", "capital_question", capital));
  catalogue.Add(AskingOne("test_input_required_result_list_roots", "client_roots", Roots()));
  catalogue.Add(AskingWithState("test_input_required_result_request_state"));
  catalogue.Add(AskingWithState("test_input_required_result_tampered_state"));
  catalogue.Add(Asking("test_input_required_result_multiple_inputs", AskThree));
  catalogue.Add(Asking("test_input_required_result_multi_round", AskTwice));
  catalogue.Add(Asking("test_input_required_result_capabilities", AskWhatIsTaken));
}

}  // namespace perdure::testing
