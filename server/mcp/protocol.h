// Names and numbers of the Model Context Protocol (https://modelcontextprotocol.io/specification).
#pragma once

#include <array>
#include <string_view>

namespace perdure::mcp {

// The stateless era: every request carries its version in _meta.
inline constexpr std::string_view kModernVersion = "2026-07-28";

// The era of `initialize`, the newest last.
inline constexpr std::array<std::string_view, 4> kLegacyVersions = {"2024-11-05", "2025-03-26",
                                                                    "2025-06-18", "2025-11-25"};
// What a legacy client speaks that sends no MCP-Protocol-Version is not known, nor needed.
inline constexpr std::string_view kNewestLegacyVersion = kLegacyVersions.back();

inline constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
inline constexpr const char* kClientInfoKey = "io.modelcontextprotocol/clientInfo";
inline constexpr const char* kClientCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
inline constexpr const char* kLogLevelKey = "io.modelcontextprotocol/logLevel";
inline constexpr const char* kServerInfoKey = "io.modelcontextprotocol/serverInfo";
inline constexpr const char* kSubscriptionIdKey = "io.modelcontextprotocol/subscriptionId";

// JSON-RPC 2.0 section 5.1, then those of MCP
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kLegacyResourceNotFound = -32002;  // until 2025-11-25, then kInvalidParams
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingClientCapability = -32021;
inline constexpr int kUnsupportedVersion = -32022;

}  // namespace perdure::mcp
