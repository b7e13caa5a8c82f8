// The methods of McpEndpoint that serve tools, resources and prompts.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/bytes.h"
#include "server/api/json.h"
#include "server/api/schemas.h"
#include "server/api/status.h"
#include "server/mcp/endpoint.h"
#include "server/mcp/protocol.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

// What the elements of an answer's lists always hold is left to the description of the REST API.
void LeaveOutRequired(Json& schema, bool is_element) {
  if (is_element) schema.erase("required");
  if (const auto items = schema.find("items"); items != schema.end()) {
    LeaveOutRequired(*items, true);
  }
  if (const auto properties = schema.find("properties"); properties != schema.end()) {
    for (Json& property : *properties) LeaveOutRequired(property, is_element);
  }
}

Json ToolOf(const Operation& operation) {
  Json answer = schemas::InBrief(operation.output_schema);
  LeaveOutRequired(answer, false);
  return {{"name", operation.name},
          {"title", operation.title},
          {"description", operation.description},
          {"inputSchema", schemas::InBrief(operation.input_schema)},
          {"outputSchema", std::move(answer)},
          {"annotations",
           {{"readOnlyHint", operation.hints.read_only},
            {"destructiveHint", operation.hints.destructive},
            {"idempotentHint", operation.hints.idempotent},
            {"openWorldHint", operation.hints.open_world}}}};
}

Json TextContent(Json text) { return {{"type", "text"}, {"text", std::move(text)}}; }

void PutUnlessEmpty(Json& object, const char* name, const std::string& value) {
  if (!value.empty()) object[name] = value;
}

RpcResult<std::string> StringParam(const McpRequest& request, const char* name) {
  const auto value = request.params.find(name);
  if (value == request.params.end() || !value->is_string()) {
    return RpcFail(mcp::kInvalidParams, fmt::format("params.{} must be a string", name));
  }
  return value->get<std::string>();
}

RpcError FromError(const Error& error) {
  const bool is_callers_fault = HttpStatus(error.code) < 500;
  return {is_callers_fault ? mcp::kInvalidParams : mcp::kInternalError, error.message,
          ErrorObject(error), 200};
}

// The arguments of prompts/get: strings, all known, none missing that is required.
RpcResult<Json> PromptArguments(const Prompt& prompt, const McpRequest& request) {
  Json arguments = request.params.value("arguments", Json::object());
  if (arguments.is_null()) arguments = Json::object();
  if (!arguments.is_object()) {
    return RpcFail(mcp::kInvalidParams, "params.arguments must be an object of strings");
  }
  for (const auto& [name, value] : arguments.items()) {
    const bool is_known = std::ranges::any_of(
        prompt.arguments, [&](const PromptArgument& known) { return known.name == name; });
    if (!is_known || !value.is_string()) {
      return RpcFail(
          mcp::kInvalidParams,
          fmt::format("\"{}\" is not {} of the prompt {}", name,
                      is_known ? "given as text, as arguments are" : "an argument", prompt.name));
    }
  }
  for (const PromptArgument& argument : prompt.arguments) {
    if (argument.required && !arguments.contains(argument.name)) {
      return RpcFail(mcp::kInvalidParams, fmt::format("Missing argument \"{}\" of the prompt {}",
                                                      argument.name, prompt.name));
    }
  }
  return arguments;
}

}  // namespace

Json McpEndpoint::ListTools(const Caller& caller) const {
  Json tools = Json::array();
  for (const Operation* operation : catalogue_->ListFor(caller)) {
    if (operation->mcp_tool) tools.push_back(ToolOf(*operation));
  }
  return {{"tools", std::move(tools)}};
}

RpcResult<Json> McpEndpoint::CallTool(const Call& call) const {
  const auto name = StringParam(call.request, "name");
  if (!name) return std::unexpected(name.error());
  const Operation* operation = catalogue_->Find(*name);
  if (operation == nullptr || !operation->mcp_tool) {
    return RpcFail(mcp::kInvalidParams, fmt::format("Unknown tool: {}", *name));
  }
  const auto result = catalogue_->Call(*operation, call.caller,
                                       call.request.params.value("arguments", Json()), call.talk);
  if (!result) return McpToolError(result.error());
  if (call.talk.IsWaiting()) return Json::object();  // the questions are the result
  Json content = operation->mirror ? operation->mirror(*result) : Json(DumpJson(*result));
  if (content.is_string()) content = Json::array({TextContent(std::move(content))});
  return Json{{"content", std::move(content)}, {"structuredContent", *result}};
}

Json McpEndpoint::ListResources() const {
  Json resources = Json::array();
  for (const Resource& resource : resources_->List()) {
    Json& listed = resources.emplace_back(Json{{"uri", resource.uri}, {"name", resource.name}});
    PutUnlessEmpty(listed, "title", resource.title);
    PutUnlessEmpty(listed, "description", resource.description);
    PutUnlessEmpty(listed, "mimeType", resource.mime_type);
  }
  return {{"resources", std::move(resources)}};
}

Json McpEndpoint::ListTemplates() const {
  Json templates = Json::array();
  for (const ResourceTemplate& known : resources_->Templates()) {
    Json& listed =
        templates.emplace_back(Json{{"uriTemplate", known.uri_template}, {"name", known.name}});
    PutUnlessEmpty(listed, "title", known.title);
    PutUnlessEmpty(listed, "description", known.description);
    PutUnlessEmpty(listed, "mimeType", known.mime_type);
  }
  return {{"resourceTemplates", std::move(templates)}};
}

RpcResult<Json> McpEndpoint::ReadResource(const Caller& caller, const McpRequest& request) const {
  const auto uri = StringParam(request, "uri");
  if (!uri) return std::unexpected(uri.error());
  const auto read = resources_->Read(caller, *uri);
  if (!read) {
    RpcError error = FromError(read.error());
    error.data["uri"] = *uri;
    const bool is_gone = read.error().code == Code::kNotFound;
    if (is_gone && request.era == McpEra::kLegacy) error.code = mcp::kLegacyResourceNotFound;
    return std::unexpected(std::move(error));
  }
  Json content = {{"uri", read->uri}};
  content[read->is_text ? "text" : "blob"] =
      read->is_text ? read->bytes : Base64Encode(read->bytes);
  PutUnlessEmpty(content, "mimeType", read->mime_type);
  return Json{{"contents", Json::array({std::move(content)})}};
}

Json McpEndpoint::ListPrompts() const {
  Json prompts = Json::array();
  for (const Prompt& prompt : prompts_->List()) {
    Json& listed = prompts.emplace_back(Json{{"name", prompt.name}});
    PutUnlessEmpty(listed, "title", prompt.title);
    PutUnlessEmpty(listed, "description", prompt.description);
    for (const PromptArgument& argument : prompt.arguments) {
      Json& entry = listed["arguments"].emplace_back(Json{{"name", argument.name}});
      PutUnlessEmpty(entry, "description", argument.description);
      entry["required"] = argument.required;
    }
  }
  return {{"prompts", std::move(prompts)}};
}

RpcResult<Json> McpEndpoint::GetPrompt(const Call& call) const {
  const auto name = StringParam(call.request, "name");
  if (!name) return std::unexpected(name.error());
  const std::vector<Prompt> prompts = prompts_->List();
  const auto prompt = std::ranges::find(prompts, *name, &Prompt::name);
  if (prompt == prompts.end()) {
    return RpcFail(mcp::kInvalidParams, fmt::format("Unknown prompt: {}", *name));
  }
  const auto arguments = PromptArguments(*prompt, call.request);
  if (!arguments) return std::unexpected(arguments.error());
  auto messages = prompts_->Render(call.caller, *name, *arguments, call.talk);
  if (!messages) return std::unexpected(FromError(messages.error()));
  if (messages->is_string()) {
    messages = Json::array({{{"role", "user"}, {"content", TextContent(std::move(*messages))}}});
  }
  Json result = {{"messages", std::move(*messages)}};
  PutUnlessEmpty(result, "description", prompt->description);
  return result;
}

}  // namespace perdure
