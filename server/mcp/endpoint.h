// The Model Context Protocol, apart from any transport: one message in, one reply out.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "server/api/operation.h"
#include "server/mcp/dialogue.h"
#include "server/mcp/providers.h"
#include "server/mcp/request.h"
#include "server/mcp/request_state.h"
#include "server/mcp/sessions.h"
#include "server/mcp/subscription.h"

namespace perdure {

struct McpReply {
  int http_status = 200;               // for transports that have one
  std::optional<nlohmann::json> body;  // none for notifications, or when one of these is set
  std::unique_ptr<McpSubscription> subscription;
  // A call that may talk before it answers: to be run once, with a way for what it says. Returns
  // the body. What it uses of the endpoint and the session outlives it.
  std::function<nlohmann::json(const McpSend& send)> call;
  std::shared_ptr<McpSession> session;  // beside the body: begun by a legacy initialize
  nlohmann::json cancelled;             // the request id in notifications/cancelled, or null
};

// Two eras at one endpoint. A request whose params._meta names a protocol version belongs to the
// stateless 2026-07-28; any other to the versions of `initialize`, 2024-11-05 to 2025-11-25, whose
// sessions the transport keeps and hands in. Nothing else is remembered between messages.
// Immutable, so safe from many threads.
class McpEndpoint {
 public:
  struct Options {
    std::string name;  // of the server, e.g. "perdure"
    std::string title;
    std::string version;
    std::string instructions;  // for models: how the tools play together
    std::string state_key;     // secret: seals what clients carry between two rounds of a call
  };

  // What is pointed to outlives this; all but the catalogue may be null.
  McpEndpoint(Options options, const Catalogue* catalogue, const ResourceProvider* resources,
              const PromptProvider* prompts, const CompletionProvider* completions = nullptr);

  // `headers` is null for transports without them, where nothing has to match; `session` where
  // there is none.
  McpReply Handle(const Caller& caller, std::string_view message, const McpHeaders* headers,
                  McpSession* session = nullptr) const;

  // What a legacy session watches; null when nothing can be watched.
  const ResourceProvider* watchable() const {
    return resources_ != nullptr && resources_->CanWatch() ? resources_ : nullptr;
  }

 private:
  using Json = nlohmann::json;
  struct Call {
    const Caller& caller;
    const McpRequest& request;
    McpSession* session;
    McpDialogue& talk;
  };

  McpReply HandleRequest(const Caller& caller, const Json& message, const McpHeaders* headers,
                         McpSession* session) const;
  bool MayTalk(const McpRequest& request) const;
  McpReply Run(const Call& call) const;
  RpcResult<Json> Dispatch(const Call& call) const;
  RpcResult<Json> DispatchLegacy(const Call& call) const;
  RpcResult<Json> DispatchModern(const Call& call) const;

  Json Initialize(const McpRequest& request) const;
  Json Discover() const;
  Json ListTools(const Caller& caller) const;
  RpcResult<Json> CallTool(const Call& call) const;
  Json ListResources() const;
  Json ListTemplates() const;
  RpcResult<Json> ReadResource(const Caller& caller, const McpRequest& request) const;
  Json ListPrompts() const;
  RpcResult<Json> GetPrompt(const Call& call) const;
  RpcResult<Json> Complete(const Caller& caller, const McpRequest& request) const;
  RpcResult<std::unique_ptr<McpSubscription>> Listen(const Caller& caller,
                                                     const McpRequest& request) const;
  // Of the legacy era, about the session.
  RpcResult<Json> SetLogLevel(const Call& call) const;
  RpcResult<Json> Watch(const Call& call) const;
  RpcResult<Json> Unwatch(const Call& call) const;

  Json ServerInfo() const;
  Json Capabilities() const;
  bool Logs() const;

  Options options_;
  RequestState seal_;
  const Catalogue* catalogue_;
  const ResourceProvider* resources_;
  const PromptProvider* prompts_;
  const CompletionProvider* completions_;
};

}  // namespace perdure
