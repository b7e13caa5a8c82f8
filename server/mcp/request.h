// A JSON-RPC request of the Model Context Protocol, read and found to belong to one of two eras.
#pragma once

#include <expected>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "server/api/caller.h"

namespace perdure {

// What Streamable HTTP carries beside the body; absent: not sent, or sent more than once.
struct McpHeaders {
  std::optional<std::string> protocol_version;  // MCP-Protocol-Version
  std::optional<std::string> method;            // Mcp-Method
  std::optional<std::string> name;              // Mcp-Name, as sent
};

struct RpcError {
  int code = 0;
  std::string message;
  nlohmann::json data;    // null: none
  int http_status = 200;  // for transports that have one
};

template <typename T>
using RpcResult = std::expected<T, RpcError>;

inline std::unexpected<RpcError> RpcFail(int code, std::string message, int http_status = 200,
                                         nlohmann::json data = nullptr) {
  return std::unexpected(RpcError{code, std::move(message), std::move(data), http_status});
}

enum class McpEra { kLegacy, kModern };

struct McpRequest {
  nlohmann::json id;
  std::string method;
  nlohmann::json params = nlohmann::json::object();
  McpEra era = McpEra::kLegacy;
  std::string client;  // "name/version" as the request itself tells, or empty
  nlohmann::json capabilities = nlohmann::json::object();  // of the client, as far as it tells
};

// A string or an integer: what may identify a request.
bool IsRequestId(const nlohmann::json& id);

// Reads `message`, an object with "method" and "id". A request whose params._meta names a protocol
// version is modern; then its required _meta fields are checked, and its headers against its body
// unless `headers` is null. The order of the checks is that of the official SDK, so that a request
// with several faults gets the same answer. Pure.
RpcResult<McpRequest> ReadMcpRequest(const nlohmann::json& message, const McpHeaders* headers);

// "name/version" of an MCP Implementation object, or empty.
std::string ClientName(const nlohmann::json& implementation);

}  // namespace perdure
