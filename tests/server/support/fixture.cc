#include "server/support/fixture.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "server/mcp/envelope.h"

namespace perdure::testing {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kPrefix = "perdure://memory/";

Json ObjectSchema(Json properties, Json required = Json::array()) {
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

Operation Echo() {
  Operation echo;
  echo.name = "echo";
  echo.title = "Echo";
  echo.description = "Says the text back. For tests.";
  echo.input_schema = ObjectSchema(
      {{"text", {{"type", "string"}, {"description", "What to say"}, {"examples", {"hello"}}}},
       {"times", {{"type", "integer"}, {"minimum", 1}, {"maximum", 3}, {"default", 1}}},
       {"tags", {{"type", "array"}, {"items", {{"type", "string"}}}}}},
      {"text"});
  echo.output_schema =
      ObjectSchema({{"text", {{"type", "string"}}},
                    {"client", {{"type", "string"}}},
                    {"door", {{"type", "string"}}},
                    {"tags", {{"type", "array"}, {"items", {{"type", "string"}}}}}},
                   {"text"});
  echo.hints = {.read_only = true, .destructive = false, .idempotent = true, .open_world = false};
  echo.roles = Caller::kAnyone;
  echo.http_method = "GET";
  echo.http_path = "/api/v1/echo";
  echo.run = [](const Caller& caller, const Json& arguments) -> Result<Json> {
    std::string text;
    for (int i = 0; i < arguments["times"]; ++i) text += arguments["text"];
    Json result = {{"text", text}, {"client", caller.client}, {"door", caller.door}};
    if (arguments.contains("tags")) result["tags"] = arguments["tags"];
    return result;
  };
  return echo;
}

Operation NotePut(Notes& notes) {
  Operation put;
  put.name = "note_put";
  put.title = "Put a note";
  put.description = "Writes a note. For tests.";
  put.input_schema = ObjectSchema({{"id", {{"type", "string"}}},
                                   {"text", {{"type", "string"}, {"x-keep-empty", true}}},
                                   {"idempotency_key", {{"type", "string"}}}},
                                  {"id", "text"});
  put.output_schema =
      ObjectSchema({{"id", {{"type", "string"}}}, {"version", {{"type", "integer"}}}});
  put.roles = Caller::kAgent | Caller::kOperator;
  put.http_method = "PUT";
  put.http_path = "/api/v1/notes/{id}";
  put.run = [&notes](const Caller&, const Json& arguments) -> Result<Json> {
    const std::string id = arguments["id"];
    Json result = {{"id", id}, {"version", notes.Put(id, arguments["text"])}};
    if (arguments.contains("idempotency_key")) result["key"] = arguments["idempotency_key"];
    return result;
  };
  return put;
}

Operation NoteGet(Notes& notes) {
  Operation get;
  get.name = "note_get";
  get.title = "Get a note";
  get.description = "Reads a note. For tests.";
  get.input_schema = ObjectSchema({{"id", {{"type", "string"}}}}, {"id"});
  get.output_schema = ObjectSchema({{"id", {{"type", "string"}}},
                                    {"text", {{"type", "string"}}},
                                    {"version", {{"type", "integer"}}}});
  get.hints.read_only = true;
  get.roles = Caller::kAnyone;
  get.http_method = "GET";
  get.http_path = "/api/v1/notes/{id}";
  get.run = [&notes](const Caller&, const Json& arguments) { return notes.Get(arguments["id"]); };
  get.mirror = [](const Json& result) {
    return WrapAsData(result["text"].get_ref<const std::string&>());
  };
  return get;
}

Operation Simple(std::string name, Caller::RoleMask roles, Json properties,
                 std::function<Result<Json>(const Caller&, const Json&)> run) {
  Operation operation;
  operation.name = name;
  operation.title = name;
  operation.description = "For tests.";
  operation.input_schema = ObjectSchema(std::move(properties));
  operation.hints.read_only = true;
  operation.roles = roles;
  operation.http_method = "POST";
  operation.http_path = "/api/v1/" + name;
  operation.run = std::move(run);
  return operation;
}

Result<Json> FailAsAsked(const Caller&, const Json& arguments) {
  for (int i = 0; i <= static_cast<int>(Code::kInternal); ++i) {
    const Code code = static_cast<Code>(i);
    if (CodeName(code) != arguments["code"]) continue;
    return std::unexpected(Error{code,
                                 "it fails as asked",
                                 "code",
                                 {{"candidate", "one"}, {"candidate", "two"}, {"seq", "7"}}});
  }
  return Fail(Code::kInvalidArgument, "no such code", "code");
}

}  // namespace

Result<Caller> FixedTokens::Authenticate(std::string_view bearer_token) const {
  Caller caller;
  caller.token_id = bearer_token;
  caller.space = "main";
  caller.principal_id = fmt::format("principal-of-{}", bearer_token);
  if (bearer_token == "agent-token") caller.roles = Caller::kAgent;
  if (bearer_token == "auditor-token") caller.roles = Caller::kAuditor;
  if (bearer_token == "operator-token") caller.roles = Caller::kOperator;
  if (bearer_token == "tenant-operator-token" || bearer_token == "part-operator-token") {
    caller.roles = Caller::kOperator;
    (bearer_token.starts_with("tenant") ? caller.space : caller.scope) = "other";
  }
  if (caller.roles == 0) return Fail(Code::kUnauthenticated, "the token is not in force");
  return caller;
}

int Notes::Put(const std::string& id, const std::string& text) {
  const std::lock_guard lock(mutex_);
  Note& note = notes_[id];
  note.text = text;
  note.changed = ++position_;
  return ++note.version;
}

Result<Json> Notes::Get(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto note = notes_.find(id);
  if (note == notes_.end()) return Fail(Code::kNotFound, "no such note", "id");
  return Json{{"id", id}, {"text", note->second.text}, {"version", note->second.version}};
}

std::vector<Resource> Notes::List() const {
  return {{"perdure://index", "index", "Contents", "What there is", "text/markdown"}};
}

std::vector<ResourceTemplate> Notes::Templates() const {
  return {{"perdure://memory/{id}", "memory", "A note", "One note", "text/markdown"}};
}

Result<ResourceContent> Notes::Read(const Caller&, const std::string& uri) const {
  if (uri == "perdure://index") return ResourceContent{uri, "text/markdown", "# Contents"};
  if (!uri.starts_with(kPrefix)) return Fail(Code::kNotFound, "no such resource");
  ASSIGN_OR_RETURN(const Json note, Get(uri.substr(kPrefix.size())));
  return ResourceContent{uri, "text/markdown", note["text"]};
}

ResourceChanges Notes::ChangedSince(const Caller&, const std::vector<std::string>& uris,
                                    std::uint64_t position) const {
  const std::lock_guard lock(mutex_);
  ResourceChanges changes{position_, {}};
  if (position == 0) return changes;
  for (const auto& [id, note] : notes_) {
    const std::string uri = std::string(kPrefix) + id;
    if (note.changed > position && std::ranges::find(uris, uri) != uris.end()) {
      changes.uris.push_back(uri);
    }
  }
  return changes;
}

std::vector<Prompt> OnePrompt::List() const {
  return {{"recall",
           "Recall",
           "Look before you work",
           {{"topic", "What the work is about", true}, {"depth", "How far to look", false}}}};
}

Result<Json> OnePrompt::Render(const Caller&, const std::string&, const Json& arguments,
                               Dialogue&) const {
  return "Search for " + arguments["topic"].get<std::string>();
}

void AddFixtureOperations(Catalogue& catalogue, Notes& notes) {
  catalogue.Add(Echo());
  catalogue.Add(NotePut(notes));
  catalogue.Add(NoteGet(notes));
  catalogue.Add(
      Simple("note_fail", Caller::kAnyone, {{"code", {{"type", "string"}}}}, FailAsAsked));
  catalogue.Add(Simple("note_throw", Caller::kAnyone, Json::object(),
                       [](const Caller&, const Json&) -> Result<Json> {
                         throw std::runtime_error("a planted bug");
                       }));
  catalogue.Add(Simple("audit_peek", Caller::kAuditor, Json::object(),
                       [](const Caller& caller, const Json&) -> Result<Json> {
                         return Json{{"principal", caller.principal_id}};
                       }));
  Operation rest_only =
      Simple("rest_only", Caller::kAnyone, Json::object(),
             [](const Caller&, const Json&) -> Result<Json> { return Json{{"fine", true}}; });
  rest_only.mcp_tool = false;
  catalogue.Add(std::move(rest_only));
}

McpEndpoint::Options FixtureOptions() {
  return {.name = "perdure-echo",
          .title = "Echo",
          .version = "0.0.1",
          .instructions = "Call echo to hear yourself."};
}

}  // namespace perdure::testing
