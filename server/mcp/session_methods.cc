// The methods of McpEndpoint that a legacy session remembers.
#include <fmt/format.h>

#include "server/mcp/endpoint.h"
#include "server/mcp/protocol.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

std::unexpected<RpcError> NeedsSession(const McpRequest& request) {
  return RpcFail(mcp::kInvalidRequest,
                 fmt::format("{} needs a session: initialize, and send the Mcp-Session-Id that it "
                             "answers",
                             request.method),
                 400);
}

RpcResult<std::string> UriOf(const McpRequest& request) {
  const auto uri = request.params.find("uri");
  if (uri == request.params.end() || !uri->is_string()) {
    return RpcFail(mcp::kInvalidParams, "params.uri must be a string");
  }
  auto text = uri->get<std::string>();
  if (text.size() > limits::kMcpUriBytesMax) {
    return RpcFail(mcp::kInvalidParams,
                   fmt::format("params.uri has at most {} bytes", limits::kMcpUriBytesMax));
  }
  return text;
}

}  // namespace

RpcResult<Json> McpEndpoint::SetLogLevel(const Call& call) const {
  const auto level = LogLevelOf(call.request.params.value("level", Json()));
  if (!level) return RpcFail(mcp::kInvalidParams, "params.level must be a level of RFC 5424");
  if (call.session == nullptr) return NeedsSession(call.request);
  call.session->set_log_from(*level);
  return Json::object();
}

RpcResult<Json> McpEndpoint::Watch(const Call& call) const {
  const auto uri = UriOf(call.request);
  if (!uri) return std::unexpected(uri.error());
  if (call.session == nullptr) return NeedsSession(call.request);
  if (!call.session->Watch(*resources_, call.caller, *uri)) {
    return RpcFail(mcp::kInvalidParams, fmt::format("A session watches at most {} resources",
                                                    limits::kSubscriptionUrisMax));
  }
  return Json::object();
}

RpcResult<Json> McpEndpoint::Unwatch(const Call& call) const {
  const auto uri = UriOf(call.request);
  if (!uri) return std::unexpected(uri.error());
  if (call.session == nullptr) return NeedsSession(call.request);
  call.session->Unwatch(*uri);
  return Json::object();
}

}  // namespace perdure
