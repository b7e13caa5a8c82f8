// The Model Context Protocol, apart from any transport: one message in, one reply out.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "server/api/operation.h"
#include "server/mcp/providers.h"
#include "server/mcp/request.h"
#include "server/mcp/subscription.h"

namespace perdure {

struct McpReply {
  int http_status = 200;               // for transports that have one
  std::optional<nlohmann::json> body;  // none for notifications, or when a subscription opens
  std::unique_ptr<McpSubscription> subscription;
  std::string client;        // "name/version" from a legacy initialize
  nlohmann::json cancelled;  // the request id in notifications/cancelled, or null
};

// Two eras at one endpoint. A request whose params._meta names a protocol version belongs to the
// stateless 2026-07-28; any other to the versions of `initialize`, 2024-11-05 to 2025-11-25.
// Nothing is remembered between messages in either. Immutable, so safe from many threads.
class McpEndpoint {
 public:
  struct Options {
    std::string name;  // of the server, e.g. "perdure"
    std::string title;
    std::string version;
    std::string instructions;  // for models: how the tools play together
  };

  // What is pointed to outlives this; the providers may be null.
  McpEndpoint(Options options, const Catalogue* catalogue, const ResourceProvider* resources,
              const PromptProvider* prompts);

  // `headers` is null for transports without them, where nothing has to match.
  McpReply Handle(const Caller& caller, std::string_view message, const McpHeaders* headers) const;

 private:
  using Json = nlohmann::json;

  McpReply HandleRequest(const Caller& caller, const Json& message,
                         const McpHeaders* headers) const;
  RpcResult<Json> Dispatch(const Caller& caller, const McpRequest& request) const;
  RpcResult<Json> DispatchModern(const Caller& caller, const McpRequest& request) const;

  Json Initialize(const McpRequest& request) const;
  Json Discover() const;
  Json ListTools(const Caller& caller) const;
  RpcResult<Json> CallTool(const Caller& caller, const McpRequest& request) const;
  Json ListResources() const;
  Json ListTemplates() const;
  RpcResult<Json> ReadResource(const Caller& caller, const McpRequest& request) const;
  Json ListPrompts() const;
  RpcResult<Json> GetPrompt(const Caller& caller, const McpRequest& request) const;
  RpcResult<std::unique_ptr<McpSubscription>> Listen(const Caller& caller,
                                                     const McpRequest& request) const;

  Json ServerInfo() const;
  Json Capabilities(McpEra era) const;

  Options options_;
  const Catalogue* catalogue_;
  const ResourceProvider* resources_;
  const PromptProvider* prompts_;
};

}  // namespace perdure
