#include "server/mcp/request.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/bytes.h"
#include "server/mcp/protocol.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

// _meta, or an empty object for whatever is not one.
const Json& MetaOf(const McpRequest& request) {
  static const Json kNone = Json::object();
  const auto meta = request.params.find("_meta");
  return meta == request.params.end() || !meta->is_object() ? kNone : *meta;
}

std::unexpected<RpcError> HeaderMismatch(std::string_view what) {
  return RpcFail(mcp::kHeaderMismatch, fmt::format("Header mismatch: {}", what), 400);
}

std::unexpected<RpcError> Unsupported(std::string_view requested) {
  return RpcFail(mcp::kUnsupportedVersion, "Unsupported protocol version", 400,
                 {{"supported", Json::array({mcp::kModernVersion})}, {"requested", requested}});
}

bool IsLegacyVersion(std::string_view version) {
  return std::ranges::find(mcp::kLegacyVersions, version) != mcp::kLegacyVersions.end();
}

// The member of params that Mcp-Name repeats, for methods that have one.
const char* NamedBy(std::string_view method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  if (method == "resources/read") return "uri";
  return nullptr;
}

// "=?base64?" text "?=" stands for bytes that a header cannot carry.
std::optional<std::string> DecodeName(std::string_view value) {
  constexpr std::string_view kPrefix = "=?base64?";
  constexpr std::string_view kSuffix = "?=";
  if (!value.starts_with(kPrefix) || !value.ends_with(kSuffix) ||
      value.size() < kPrefix.size() + kSuffix.size()) {
    return std::string(value);
  }
  value.remove_prefix(kPrefix.size());
  value.remove_suffix(kSuffix.size());
  return Base64Decode(value);
}

RpcResult<void> CheckClaims(const McpRequest& request, const Json& claim,
                            const McpHeaders* headers) {
  if (!claim.is_string()) {
    return RpcFail(mcp::kInvalidParams,
                   fmt::format("_meta[\"{}\"] must be a string", mcp::kVersionKey), 400);
  }
  const auto& version = claim.get_ref<const std::string&>();
  if (headers != nullptr) {
    if (headers->protocol_version && *headers->protocol_version != version) {
      return HeaderMismatch(fmt::format("MCP-Protocol-Version '{}' does not match the body's '{}'",
                                        *headers->protocol_version, version));
    }
    if (headers->method && *headers->method != request.method) {
      return HeaderMismatch(fmt::format("Mcp-Method '{}' does not match the body's '{}'",
                                        *headers->method, request.method));
    }
  }
  const Json& meta = MetaOf(request);
  const auto capabilities = meta.find(mcp::kClientCapabilitiesKey);
  if (capabilities == meta.end() || !capabilities->is_object()) {
    return RpcFail(
        mcp::kInvalidParams,
        fmt::format("_meta[\"{}\"] is required and must be an object", mcp::kClientCapabilitiesKey),
        400);
  }
  const auto info = meta.find(mcp::kClientInfoKey);
  if (info != meta.end() && ClientName(*info).empty()) {
    return RpcFail(
        mcp::kInvalidParams,
        fmt::format("_meta[\"{}\"] needs the strings name and version", mcp::kClientInfoKey), 400);
  }
  if (version != mcp::kModernVersion) return Unsupported(version);
  return {};
}

RpcResult<void> CheckHeaders(const McpRequest& request, const McpHeaders& headers) {
  if (!headers.protocol_version) return HeaderMismatch("MCP-Protocol-Version must be sent once");
  if (!headers.method) return HeaderMismatch("Mcp-Method must be sent once");
  const char* member = NamedBy(request.method);
  if (member == nullptr) return {};
  const auto named = request.params.find(member);
  if (named == request.params.end() || !named->is_string()) return {};  // the method will complain
  if (!headers.name) return HeaderMismatch("Mcp-Name must be sent once");
  const auto decoded = DecodeName(*headers.name);
  if (!decoded || *decoded != named->get_ref<const std::string&>()) {
    return HeaderMismatch(fmt::format("Mcp-Name '{}' does not match the body's '{}'", *headers.name,
                                      named->get_ref<const std::string&>()));
  }
  return {};
}

// A request without a version of its own: its header must not promise the modern era.
RpcResult<void> CheckLegacy(const McpRequest& request, const McpHeaders* headers) {
  if (headers == nullptr || !headers->protocol_version || request.method == "initialize") return {};
  const std::string& version = *headers->protocol_version;
  if (version == mcp::kModernVersion) {
    return RpcFail(mcp::kInvalidParams,
                   fmt::format("_meta[\"{}\"] and _meta[\"{}\"] are required in {}",
                               mcp::kVersionKey, mcp::kClientCapabilitiesKey, version),
                   400);
  }
  if (!IsLegacyVersion(version)) return Unsupported(version);
  return {};
}

}  // namespace

bool IsRequestId(const Json& id) { return id.is_string() || id.is_number_integer(); }

RpcResult<McpRequest> ReadMcpRequest(const Json& message, const McpHeaders* headers) {
  McpRequest request;
  if (!IsRequestId(message["id"])) {
    return RpcFail(mcp::kInvalidRequest, "id must be a string or a whole number", 400);
  }
  request.id = message["id"];
  request.method = message["method"].get<std::string>();
  if (const auto params = message.find("params"); params != message.end()) {
    if (!params->is_object()) {
      return RpcFail(mcp::kInvalidRequest, "params must be an object", 400);
    }
    request.params = *params;
  }
  const Json& meta = MetaOf(request);
  const auto claim = meta.find(mcp::kVersionKey);
  if (claim == meta.end()) {
    if (auto fits = CheckLegacy(request, headers); !fits) return std::unexpected(fits.error());
    return request;
  }
  request.era = McpEra::kModern;
  if (auto fits = CheckClaims(request, *claim, headers); !fits) {
    return std::unexpected(fits.error());
  }
  if (headers != nullptr) {
    if (auto fits = CheckHeaders(request, *headers); !fits) return std::unexpected(fits.error());
  }
  request.capabilities = meta[mcp::kClientCapabilitiesKey];
  if (const auto info = meta.find(mcp::kClientInfoKey); info != meta.end()) {
    request.client = ClientName(*info);
  }
  return request;
}

std::string ClientName(const Json& implementation) {
  if (!implementation.is_object()) return "";
  const auto name = implementation.find("name");
  const auto version = implementation.find("version");
  if (name == implementation.end() || !name->is_string() || version == implementation.end() ||
      !version->is_string()) {
    return "";
  }
  return fmt::format("{}/{}", name->get_ref<const std::string&>(),
                     version->get_ref<const std::string&>());
}

}  // namespace perdure
