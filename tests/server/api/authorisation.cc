#include "server/api/authorisation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "server/api/json.h"
#include "server/api/status.h"
#include "server/http/client.h"
#include "server/http/rest.h"
#include "server/mcp/endpoint.h"

namespace perdure::testing {
namespace {

constexpr const char* kAbsentId = "01900000-0000-7000-8000-0000000000aa";

// --- doors

void Put(DoorAnswer& answer, const Json& error) {
  answer.code = error["code"];
  answer.body = error;
}

DoorAnswer AskCatalogue(const Catalogue& catalogue, const Operation& operation,
                        const Caller& caller, const Json& arguments) {
  DoorAnswer answer{.door = "catalogue", .code = "ok"};
  const auto result = catalogue.Call(operation, caller, arguments);
  if (result) {
    answer.body = *result;
  } else {
    Put(answer, ErrorObject(result.error()));
  }
  answer.text = DumpJson(answer.body);
  return answer;
}

HttpRequest RequestOf(const Operation& operation, Json arguments) {
  HttpRequest request;
  request.method = operation.http_method;
  request.target = operation.http_path;
  const Json all = arguments;
  for (const auto& [name, value] : all.items()) {
    const std::string place = "{" + name + "}";
    const std::size_t at = request.target.find(place);
    if (at == std::string::npos) continue;
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    request.target.replace(at, place.size(), PercentEncode(text));
    arguments.erase(name);
  }
  // A route of one memory takes the ids of several in place of it.
  const std::size_t left = request.target.find('{');
  if (left != std::string::npos) {
    const std::size_t end = request.target.find('}', left);
    request.target.replace(left, end + 1 - left, arguments["ids"][0].get<std::string>());
    arguments["ids"].erase(0);
  }
  if (request.method != "GET" && request.method != "DELETE") {
    request.body = DumpJson(arguments);
    return request;
  }
  char separator = '?';
  for (const auto& [name, value] : arguments.items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    request.target += separator + name + "=" + PercentEncode(text);
    separator = '&';
  }
  return request;
}

DoorAnswer AskRest(const Catalogue& catalogue, const Operation& operation, const Caller& caller,
                   const Json& arguments) {
  HttpRequest request = RequestOf(operation, arguments);
  EXPECT_THAT(ReadTarget(request), IsOk());
  request.caller = std::make_shared<const Caller>(caller);
  std::string route;
  const RouteTable routes(catalogue);
  const HttpResponse response = ServeRest(catalogue, routes, request, route);
  DoorAnswer answer{.door = "rest", .code = "ok", .text = response.body};
  answer.body = Json::parse(response.body);
  if (response.status != 200) Put(answer, Json(answer.body["error"]));
  return answer;
}

DoorAnswer AskMcp(const Catalogue& catalogue, const Operation& operation, const Caller& caller,
                  const Json& arguments) {
  const McpEndpoint endpoint({}, &catalogue, nullptr, nullptr);
  const Json message = {{"jsonrpc", "2.0"},
                        {"id", 1},
                        {"method", "tools/call"},
                        {"params", {{"name", operation.name}, {"arguments", arguments}}}};
  const McpReply reply = endpoint.Handle(caller, DumpJson(message), nullptr);
  DoorAnswer answer{.door = "mcp", .code = "ok", .text = DumpJson(*reply.body)};
  const Json result = reply.body->value("result", Json::object());
  if (result.value("isError", false)) {
    Put(answer, result["_meta"]);
    answer.body["text"] = result["content"][0]["text"];
  } else if (result.contains("structuredContent")) {
    answer.body = result["structuredContent"];
  } else {
    answer.code = "unknown tool";
  }
  return answer;
}

// --- rules

bool IsInReach(const Caller& caller, const Target& target) {
  if (target.state == "absent" || target.space != caller.space) return false;
  return caller.scope.empty() || target.scope == caller.scope ||
         target.scope.starts_with(caller.scope + "/");
}

bool IsOnlyAgent(const Caller& caller) { return caller.roles == Caller::kAgent; }

// What only those see who review, audit or operate.
bool IsHidden(const Target& target) {
  return target.state == "forgotten" || target.state == "pending";
}

bool IsInSight(const Caller& caller, const Target& target) {
  return IsInReach(caller, target) && !(IsHidden(target) && IsOnlyAgent(caller)) &&
         target.state != "erased";
}

bool RunsTheHouse(const Caller& caller) {
  return caller.space == "main" && caller.scope.empty() && caller.HasAnyOf(Caller::kOperator);
}

// --- judging

// Without what the question itself said, and without the moment.
std::string Anonymous(Json body, const Target& target) {
  for (const char* name : {"as_of", "as_of_seq", "next_before", "record_time", "seq"}) {
    if (body.is_object()) body.erase(name);
  }
  std::string text = DumpJson(body);
  const std::vector<std::pair<std::string, std::string>> names = {
      {target.id, "ID"},
      {target.token, "TOKEN"},
      {target.twin, "TWIN"},
      {"suppression " + target.suppression.dump() + " ", "suppression SEQ "},
      {"refusal " + target.refusal.dump() + " ", "refusal SEQ "},
      {target.id.substr(0, 30), "ID"},
      {"container 'nowhere'", "container PLACE"},
      {"container '" + target.scope + "'", "container PLACE"},
      {"ntry " + target.seq.dump() + " ", "ntry SEQ "}};
  for (const auto& [what, name] : names) {
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at)) {
      text.replace(at, what.size(), name);
    }
  }
  return text;
}

// The state of memories that a command about one is for; empty when it is not about one.
std::string UsualState(About about) {
  if (about == About::kMemory) return "live";
  if (about == About::kCandidate) return "pending";
  return about == About::kMerged ? "merged" : "";
}

bool IsBelow(const std::string& scope, const std::string& outer) {
  return scope == outer || scope.starts_with(outer + "/");
}

void Judge(const AuthorisationWorld& world, const Rule& rule, const Caller& caller,
           const Target& target, const DoorAnswer& answer, const DoorAnswer& absent,
           std::vector<std::string>& faults) {
  const std::string cell =
      fmt::format("{} by roles {} scope '{}' space {} on {} through {}", rule.operation,
                  caller.roles, caller.scope, caller.space, target.name, answer.door);
  const std::string wanted = CodeByRules(rule, caller, target);
  // Who may do it may still be told that a memory in this state does not take it, that a scope has
  // no memories yet, or of an entry of its own space that has the same number.
  const bool is_by_seq = rule.about == About::kEntry || rule.about == About::kDecision ||
                         rule.about == About::kSuppression || rule.about == About::kRefusal;
  const bool is_elsewhere = is_by_seq && target.space != caller.space;
  const std::string usual = UsualState(rule.about);
  const bool is_told_more =
      (wanted == "ok" && !usual.empty() && target.state != usual && answer.code == "conflict") ||
      (wanted == "ok" && rule.about == About::kScope && answer.code == "not_found") ||
      (wanted == "not_found" && is_elsewhere && answer.code == "ok");
  if (answer.code != wanted && !is_told_more) {
    faults.push_back(fmt::format("{}: {} instead of {}: {}", cell, answer.code, wanted,
                                 answer.text.substr(0, 300)));
  }
  for (const Target& other : world.targets()) {
    if (IsInSight(caller, other) || other.state == "absent") continue;
    const bool is_asked = other.id == target.id;
    if (answer.text.contains(other.canary)) {
      faults.push_back(fmt::format("{}: the text of {} shows", cell, other.name));
    }
    if (!IsInReach(caller, other) && !is_asked && answer.text.contains(other.id)) {
      faults.push_back(fmt::format("{}: the id of {} shows", cell, other.name));
    }
  }
  const bool is_hidden = !IsInReach(caller, target) || (IsHidden(target) && IsOnlyAgent(caller));
  const bool must_look_absent = is_hidden && !is_elsewhere && target.state != "absent" &&
                                (wanted == "not_found" || rule.about == About::kFilter);
  if (must_look_absent &&
      Anonymous(answer.body, target) != Anonymous(absent.body, world.targets().front())) {
    faults.push_back(fmt::format("{}: unlike what never was: {} / {}", cell,
                                 DumpJson(answer.body).substr(0, 300),
                                 DumpJson(absent.body).substr(0, 300)));
  }
}

}  // namespace

std::string CodeByRules(const Rule& rule, const Caller& caller, const Target& target) {
  if (!caller.HasAnyOf(rule.roles)) return "forbidden";
  const bool is_within =
      caller.scope.empty() || IsBelow(target.scope, caller.scope) || target.scope.empty();
  switch (rule.about) {
    case About::kNothing:
    case About::kFilter:
      return "ok";
    case About::kScope:
      return is_within ? "ok" : "forbidden";
    case About::kNewPlace:
      return caller.scope.empty() || IsBelow(target.scope, caller.scope) ? "ok" : "forbidden";
    case About::kPlace:
    case About::kTopPlace: {
      const bool is_there =
          caller.space == "main" && !target.scope.empty() && target.state != "absent";
      const bool is_own = caller.scope.empty() ||
                          (rule.about == About::kPlace && IsBelow(target.scope, caller.scope));
      return is_there && is_own ? "ok" : "not_found";
    }
    case About::kSpace:
      return caller.scope.empty() ? "ok" : "forbidden";
    case About::kSource:
      return caller.scope.empty() ? "not_found" : "forbidden";
    case About::kHouse:
      return RunsTheHouse(caller) ? "ok" : "forbidden";
    case About::kToken: {
      Target of_token = target;  // tokens have no state here
      if (target.state != "absent") of_token.state = "live";
      const bool is_known =
          target.state != "absent" && (RunsTheHouse(caller) || IsInReach(caller, of_token));
      return is_known ? "ok" : "not_found";
    }
    case About::kEntry:
      return IsInReach(caller, target) ? "ok" : "not_found";
    case About::kTrace:
      if (IsInReach(caller, target) && target.state == "erased") return "ok";
      return IsInSight(caller, target) ? "ok" : "not_found";
    case About::kDecision:
    case About::kSuppression:
    case About::kRefusal:
      return IsInReach(caller, target) && target.state == "live" ? "ok" : "not_found";
    case About::kLink:
      return IsInReach(caller, target) && target.state == "erased" ? "erased" : "not_found";
    case About::kMemory:
    case About::kCandidate:
    case About::kMerged:
      if (IsInReach(caller, target) && target.state == "erased") return "erased";
      return IsInSight(caller, target) ? "ok" : "not_found";
  }
  return "";
}

std::vector<DoorAnswer> AskAllDoors(const Catalogue& catalogue, const Operation& operation,
                                    const Caller& caller, const Json& arguments) {
  std::vector<DoorAnswer> answers = {AskCatalogue(catalogue, operation, caller, arguments)};
  if (!operation.http_method.empty()) {
    answers.push_back(AskRest(catalogue, operation, caller, arguments));
  }
  if (operation.mcp_tool) answers.push_back(AskMcp(catalogue, operation, caller, arguments));
  return answers;
}

MatrixResult TryMatrix(const AuthorisationWorld& world, const Catalogue& catalogue,
                       const std::vector<Rule>& rules) {
  MatrixResult result;
  std::set<std::string> ruled;
  for (const Rule& rule : rules) ruled.insert(rule.operation);
  for (const Operation* operation : catalogue.All()) {
    if (!ruled.contains(operation->name)) {
      result.faults.push_back(operation->name + " has no rule");
    }
  }
  for (const Rule& rule : rules) {
    const Operation* operation = catalogue.Find(rule.operation);
    if (operation == nullptr) {
      result.faults.push_back(rule.operation + " has a rule and is not there");
      continue;
    }
    for (const Caller& caller : world.callers()) {
      std::set<std::string> asked;  // rules that are about no target are tried once
      std::vector<DoorAnswer> absent;
      for (const Target& target : world.targets()) {
        const Json arguments = rule.arguments(target);
        if (!asked.insert(arguments.dump() + CodeByRules(rule, caller, target)).second) continue;
        const auto answers = AskAllDoors(catalogue, *operation, caller, arguments);
        if (absent.empty()) absent = answers;
        for (std::size_t i = 0; i < answers.size(); ++i) {
          Judge(world, rule, caller, target, answers[i], absent[i], result.faults);
          ++result.cells;
        }
      }
    }
  }
  return result;
}

AuthorisationWorld::AuthorisationWorld() {
  const Caller house = Operator();
  for (const char* space : {"tenant", "third"}) {
    api_.Must("space_create", {{"name", space}}, house);
  }
  const std::pair<const char*, const char*> parts[] = {
      {"main", ""}, {"main", "a"}, {"main", "a/below"}, {"main", "b"}, {"tenant", ""}};
  for (const auto& [space, scope] : parts) {
    for (const Caller::RoleMask role :
         {Caller::kAgent, Caller::kReviewer, Caller::kAuditor, Caller::kOperator}) {
      callers_.push_back(CallerOf(role, space, scope));
    }
    callers_.push_back(callers_.back());
    callers_.back().roles = 0;
  }
  targets_.push_back({.name = "nothing",
                      .scope = "a",
                      .state = "absent",
                      .id = kAbsentId,
                      .token = "01900000-0000-7000-8000-0000000000bb",
                      .twin = "01900000-0000-7000-8000-0000000000cc",
                      .canary = "nevermore",
                      .seq = 999'999});
  const Caller& writer = caller(Caller::kOperator, "");
  for (const char* state : {"live", "archived", "forgotten", "erased", "pending", "merged"}) {
    for (const char* scope : {"a", "b"}) {
      AddTarget({.name = fmt::format("{} in {}", state, scope), .scope = scope, .state = state},
                writer);
    }
  }
  AddTarget({.name = "live at the top"}, writer);
  AddTarget({.name = "live in another space", .space = "tenant"}, callers_[23]);
}

Caller AuthorisationWorld::CallerOf(Caller::RoleMask roles, const std::string& space,
                                    const std::string& scope) {
  const char* name = roles == Caller::kAgent      ? "agent"
                     : roles == Caller::kReviewer ? "reviewer"
                     : roles == Caller::kAuditor  ? "auditor"
                                                  : "operator";
  Json arguments = {{"roles", {name}}, {"space", space}};
  if (!scope.empty()) arguments["scope"] = scope;
  const Json issued = api_.Must("token_issue", arguments, Operator());
  const EngineAuthenticator authenticator(engine());
  auto caller = authenticator.Authenticate(issued["token"].get<std::string>());
  EXPECT_THAT(caller, IsOk());
  return *caller;
}

void AuthorisationWorld::AddTarget(Target target, const Caller& writer) {
  target.canary = fmt::format("canary{:02}z", targets_.size());
  const auto in_place = [&](Json arguments) {
    if (!target.scope.empty()) arguments["scope"] = target.scope;
    return arguments;
  };
  const auto twin = [&](const char* which) -> std::string {
    const std::string text = fmt::format("twin {} {}", which, targets_.size());
    return api_.Must("memory_store", in_place({{"text", text}}), writer)["id"];
  };
  target.twin = twin("one");
  Json draft = in_place({{"text", "alpha " + target.canary}, {"title", target.canary}});
  const bool is_reviewed = target.state == "live" || target.state == "pending";
  if (target.state == "merged") draft["parts"] = {twin("two"), twin("three")};
  const char* verb = is_reviewed                ? "candidate_propose"
                     : target.state == "merged" ? "memory_merge"
                                                : "memory_store";
  Json stored = api_.Must(verb, draft, writer);
  target.id = stored["id"];
  target.seq = stored["seq"];
  const Json of_target = {{"id", target.id}};
  const std::map<std::string, const char*> moves = {
      {"archived", "memory_archive"}, {"forgotten", "memory_forget"}, {"erased", "memory_erase"}};
  if (const auto move = moves.find(target.state); move != moves.end()) {
    api_.Must(move->second, of_target, writer);
  }
  if (target.state == "live") {
    Json approval = {{"id", target.id}, {"decision", "approve"}};
    target.seq = api_.Must("review_decide", approval, writer)["decision"];
    Json fact = {{"subject", "alpha"}, {"predicate", "has"}, {"object", target.canary}};
    api_.Must("fact_assert", in_place(fact), writer);
    const Json never = in_place({{"text", "never " + target.canary}});
    target.suppression = api_.Must("suppression_create", never, writer)["suppression"];
    for (const char* object : {"lapsed", "newer", "lapsed"}) {
      const Json claim = {{"subject", "beta"}, {"predicate", "has"}, {"object", object}};
      target.refusal = api_.Must("fact_assert", in_place(claim), writer)["seq"];
    }
  }
  for (const Caller& holder : callers_) {
    if (holder.space == target.space && holder.scope == target.scope && target.token.empty()) {
      target.token = holder.token_id;
    }
  }
  targets_.push_back(std::move(target));
}

const Target& AuthorisationWorld::target(const std::string& name) const {
  return *std::ranges::find(targets_, name, &Target::name);
}

const Caller& AuthorisationWorld::caller(Caller::RoleMask role, const std::string& scope) const {
  return *std::ranges::find_if(callers_, [&](const Caller& known) {
    return known.space == "main" && known.roles == role && known.scope == scope;
  });
}

}  // namespace perdure::testing
