#include "server/mcp/endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "engine/base/front_limits.h"
#include "server/api/json.h"
#include "server/api/status.h"
#include "server/mcp/protocol.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

McpReply ErrorReply(const Json& id, const RpcError& error) {
  Json object = {{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) object["data"] = error.data;
  McpReply reply;
  reply.http_status = error.http_status;
  reply.body = {{"jsonrpc", "2.0"}, {"error", std::move(object)}};
  if (IsRequestId(id)) (*reply.body)["id"] = id;
  return reply;
}

McpReply InvalidMessage(std::string message) {
  return ErrorReply(nullptr, {mcp::kInvalidRequest, std::move(message), nullptr, 400});
}

bool IsResponse(const Json& message) {
  return message.contains("id") && (message.contains("result") || message.contains("error"));
}

McpReply HandleNotification(const Json& message) {
  McpReply reply;
  reply.http_status = 202;
  if (message["method"] == "notifications/cancelled" && message.contains("params") &&
      message["params"].is_object()) {
    reply.cancelled = message["params"].value("requestId", Json());
  }
  return reply;
}

}  // namespace

McpEndpoint::McpEndpoint(Options options, const Catalogue* catalogue,
                         const ResourceProvider* resources, const PromptProvider* prompts,
                         const CompletionProvider* completions)
    : options_(std::move(options)),
      seal_(options_.state_key),
      catalogue_(catalogue),
      resources_(resources),
      prompts_(prompts),
      completions_(completions) {}

McpReply McpEndpoint::Handle(const Caller& caller, std::string_view text, const McpHeaders* headers,
                             McpSession* session) const {
  auto parsed = ParseJson(text);
  if (!parsed) {
    return ErrorReply(nullptr,
                      {mcp::kParseError, "Parse error: " + parsed.error().message, nullptr, 400});
  }
  const Json& message = *parsed;
  if (message.is_array()) {
    return InvalidMessage("Batches are not taken: send one message a request");
  }
  if (!message.is_object() || message.value("jsonrpc", Json()) != "2.0") {
    return InvalidMessage("The message must be an object with \"jsonrpc\": \"2.0\"");
  }
  const auto method = message.find("method");
  if (method == message.end() || !method->is_string()) {
    if (!IsResponse(message)) return InvalidMessage("method must be a string");
    McpReply ignored;  // nothing was asked of the client, so nothing is waited for
    ignored.http_status = 202;
    return ignored;
  }
  if (!message.contains("id")) return HandleNotification(message);
  return HandleRequest(caller, message, headers, session);
}

McpReply McpEndpoint::HandleRequest(const Caller& caller, const Json& message,
                                    const McpHeaders* headers, McpSession* session) const {
  auto request = ReadMcpRequest(message, headers);
  if (!request) return ErrorReply(message["id"], request.error());
  Caller who = caller;
  const bool is_legacy = request->era == McpEra::kLegacy;
  if (is_legacy && session != nullptr && !session->client().empty()) who.client = session->client();
  if (!request->client.empty()) who.client = request->client;

  McpReply reply;
  if (!is_legacy && request->method == "subscriptions/listen") {
    auto subscription = Listen(who, *request);
    if (!subscription) return ErrorReply(request->id, subscription.error());
    reply.subscription = std::move(*subscription);
    return reply;
  }
  auto talk = McpDialogue::Begin(who, *request, &seal_);
  if (!talk) return ErrorReply(request->id, talk.error());
  if (is_legacy && session != nullptr) talk->set_log_from(session->log_from());
  if (!talk->IsHeard() || !MayTalk(*request)) return Run({who, *request, session, *talk});

  reply.call = [this, who, request = std::move(*request), session,
                talk = std::move(*talk)](const McpSend& send) mutable {
    talk.set_send(&send);
    return *Run({who, request, session, talk}).body;
  };
  return reply;
}

bool McpEndpoint::MayTalk(const McpRequest& request) const {
  if (request.method != "tools/call") return false;
  const Json name = request.params.value("name", Json());
  const Operation* operation =
      name.is_string() ? catalogue_->Find(name.get_ref<const std::string&>()) : nullptr;
  return operation != nullptr && operation->mcp_tool && operation->converse;
}

McpReply McpEndpoint::Run(const Call& call) const try {
  const McpRequest& request = call.request;
  auto result = request.era == McpEra::kModern ? DispatchModern(call) : DispatchLegacy(call);
  if (!result) return ErrorReply(request.id, result.error());
  McpReply reply;
  if (request.era == McpEra::kLegacy && request.method == "initialize") {
    reply.session =
        std::make_shared<McpSession>(ClientName(request.params.value("clientInfo", Json())));
  }
  reply.body = {{"jsonrpc", "2.0"}, {"id", request.id}, {"result", std::move(*result)}};
  return reply;
} catch (const std::exception& bug) {
  // One faulty operation must not take the others down with it.
  return ErrorReply(call.request.id, {mcp::kInternalError,
                                      fmt::format("Internal error: {}", bug.what()), nullptr, 200});
}

// What both eras understand.
RpcResult<Json> McpEndpoint::Dispatch(const Call& call) const {
  const McpRequest& request = call.request;
  const std::string& method = request.method;
  const bool is_list = method.ends_with("/list");
  if (is_list && !request.params.value("cursor", Json()).is_null()) {
    return RpcFail(mcp::kInvalidParams, "Invalid cursor: lists come whole, without cursors");
  }
  if (method == "tools/list") return ListTools(call.caller);
  if (method == "tools/call") return CallTool(call);
  if (resources_ != nullptr) {
    if (method == "resources/list") return ListResources();
    if (method == "resources/templates/list") return ListTemplates();
    if (method == "resources/read") return ReadResource(call.caller, request);
  }
  if (prompts_ != nullptr) {
    if (method == "prompts/list") return ListPrompts();
    if (method == "prompts/get") return GetPrompt(call);
  }
  if (completions_ != nullptr && method == "completion/complete") {
    return Complete(call.caller, request);
  }
  return RpcFail(mcp::kMethodNotFound, fmt::format("Method not found: {}", method),
                 request.era == McpEra::kModern ? 404 : 200);
}

RpcResult<Json> McpEndpoint::DispatchLegacy(const Call& call) const {
  const std::string& method = call.request.method;
  if (method == "initialize") return Initialize(call.request);
  if (method == "ping") return Json::object();
  if (method == "logging/setLevel" && Logs()) return SetLogLevel(call);
  if (watchable() != nullptr) {
    if (method == "resources/subscribe") return Watch(call);
    if (method == "resources/unsubscribe") return Unwatch(call);
  }
  return Dispatch(call);
}

RpcResult<Json> McpEndpoint::DispatchModern(const Call& call) const {
  constexpr int kFixedMs = 300'000;  // lists change with a new program only
  const std::string& method = call.request.method;
  auto result = method == "server/discover" ? Discover() : Dispatch(call);
  if (!call.talk.missing().empty() && (!result || result->value("isError", false))) {
    return RpcFail(mcp::kMissingClientCapability, "The call needs a capability of the client", 400,
                   {{"requiredCapabilities", call.talk.missing()}});
  }
  if (!result) return result;
  if (call.talk.IsWaiting()) result = call.talk.InputRequired();
  (*result)["_meta"][mcp::kServerInfoKey] = ServerInfo();
  if (call.talk.IsWaiting()) return result;
  (*result)["resultType"] = "complete";
  if (method == "resources/read") {
    (*result)["ttlMs"] = 0;
    (*result)["cacheScope"] = "private";
  } else if (method.ends_with("/list") || method == "server/discover") {
    (*result)["ttlMs"] = kFixedMs;
    // The tools listed depend on the caller's roles.
    (*result)["cacheScope"] = method == "tools/list" ? "private" : "public";
  }
  return result;
}

Json McpEndpoint::Initialize(const McpRequest& request) const {
  const Json asked = request.params.value("protocolVersion", Json());
  std::string_view version = mcp::kNewestLegacyVersion;
  for (const std::string_view known : mcp::kLegacyVersions) {
    if (asked == known) version = known;
  }
  Json result = {
      {"protocolVersion", version}, {"capabilities", Capabilities()}, {"serverInfo", ServerInfo()}};
  if (!options_.instructions.empty()) result["instructions"] = options_.instructions;
  return result;
}

Json McpEndpoint::Discover() const {
  Json result = {{"supportedVersions", Json::array({mcp::kModernVersion})},
                 {"capabilities", Capabilities()}};
  if (!options_.instructions.empty()) result["instructions"] = options_.instructions;
  return result;
}

Json McpEndpoint::ServerInfo() const {
  return {{"name", options_.name}, {"title", options_.title}, {"version", options_.version}};
}

Json McpEndpoint::Capabilities() const {
  Json capabilities = {{"tools", Json::object()}};
  if (resources_ != nullptr) {
    capabilities["resources"] = Json::object();
    if (resources_->CanWatch()) capabilities["resources"]["subscribe"] = true;
  }
  if (prompts_ != nullptr) capabilities["prompts"] = Json::object();
  if (completions_ != nullptr) capabilities["completions"] = Json::object();
  if (Logs()) capabilities["logging"] = Json::object();
  return capabilities;
}

bool McpEndpoint::Logs() const {
  return std::ranges::any_of(catalogue_->All(), [](const Operation* operation) {
    return operation->mcp_tool && operation->converse != nullptr;
  });
}

RpcResult<std::unique_ptr<McpSubscription>> McpEndpoint::Listen(const Caller& caller,
                                                                const McpRequest& request) const {
  const auto filter = request.params.find("notifications");
  if (filter == request.params.end() || !filter->is_object()) {
    return RpcFail(mcp::kInvalidParams, "notifications must be an object");
  }
  std::vector<std::string> uris;
  const Json asked = filter->value("resourceSubscriptions", Json::array());
  if (!asked.is_array() || asked.size() > limits::kSubscriptionUrisMax ||
      !std::ranges::all_of(asked, [](const Json& uri) { return uri.is_string(); })) {
    return RpcFail(mcp::kInvalidParams,
                   fmt::format("notifications.resourceSubscriptions must be an array of at most {} "
                               "strings",
                               limits::kSubscriptionUrisMax));
  }
  // Lists never change while the program runs, so resource updates are all there is to agree to.
  if (watchable() != nullptr) uris = asked;
  return std::make_unique<McpSubscription>(resources_, caller, request.id, std::move(uris));
}

}  // namespace perdure
