// completion/complete: what goes on from what somebody typed.
#include <fmt/format.h>

#include <algorithm>

#include "server/api/status.h"
#include "server/mcp/endpoint.h"
#include "server/mcp/protocol.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

// A string in an object inside params, e.g. "ref" and "type".
RpcResult<std::string> Inner(const McpRequest& request, const char* object, const char* name) {
  const Json outer = request.params.value(object, Json());
  if (!outer.is_object() || !outer.value(name, Json()).is_string()) {
    return RpcFail(mcp::kInvalidParams, fmt::format("params.{}.{} must be a string", object, name));
  }
  return outer[name].get<std::string>();
}

bool HasArgument(const PromptProvider* prompts, const CompletionTarget& target) {
  if (prompts == nullptr) return false;
  const std::vector<Prompt> listed = prompts->List();
  const auto prompt = std::ranges::find(listed, target.name, &Prompt::name);
  return prompt != listed.end() &&
         std::ranges::find(prompt->arguments, target.argument, &PromptArgument::name) !=
             prompt->arguments.end();
}

bool HasVariable(const ResourceProvider* resources, const CompletionTarget& target) {
  if (resources == nullptr) return false;
  const std::vector<ResourceTemplate> listed = resources->Templates();
  return std::ranges::find(listed, target.name, &ResourceTemplate::uri_template) != listed.end() &&
         target.name.contains(fmt::format("{{{}}}", target.argument));
}

}  // namespace

RpcResult<Json> McpEndpoint::Complete(const Caller& caller, const McpRequest& request) const {
  const auto type = Inner(request, "ref", "type");
  if (!type) return std::unexpected(type.error());
  const bool is_prompt = *type == "ref/prompt";
  if (!is_prompt && *type != "ref/resource") {
    return RpcFail(mcp::kInvalidParams, "params.ref.type must be ref/prompt or ref/resource");
  }
  const auto name = Inner(request, "ref", is_prompt ? "name" : "uri");
  if (!name) return std::unexpected(name.error());
  const auto argument = Inner(request, "argument", "name");
  if (!argument) return std::unexpected(argument.error());
  const auto typed = Inner(request, "argument", "value");
  if (!typed) return std::unexpected(typed.error());

  const CompletionTarget target = {
      is_prompt ? CompletionTarget::Kind::kPrompt : CompletionTarget::Kind::kTemplate, *name,
      *argument, *typed};
  if (is_prompt ? !HasArgument(prompts_, target) : !HasVariable(resources_, target)) {
    return RpcFail(mcp::kInvalidParams,
                   fmt::format("There is no argument \"{}\" of {}", *argument, *name));
  }
  auto values = completions_->Complete(caller, target);
  if (!values) {
    return RpcFail(mcp::kInternalError, values.error().message, 200, ErrorObject(values.error()));
  }
  Json completion = {{"total", values->size()},
                     {"hasMore", values->size() > limits::kMcpCompletionsMax}};
  if (values->size() > limits::kMcpCompletionsMax) values->resize(limits::kMcpCompletionsMax);
  completion["values"] = std::move(*values);
  return Json{{"completion", std::move(completion)}};
}

}  // namespace perdure
