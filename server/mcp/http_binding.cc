#include "server/mcp/http_binding.h"

#include <chrono>
#include <memory>
#include <utility>

#include "server/api/json.h"
#include "server/mcp/protocol.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

// A comment of the event stream, so that nobody between takes silence for death.
constexpr std::chrono::milliseconds kHeartbeat{15'000};

bool WriteEvent(HttpStream& stream, const Json& message) {
  return stream.Write("event: message\ndata: " + DumpJson(message) + "\n\n");
}

void RunSubscription(McpSubscription& subscription, HttpStream& stream) {
  if (!WriteEvent(stream, subscription.Acknowledge())) return;
  std::chrono::milliseconds silence{0};
  while (stream.Wait(kSubscriptionPoll)) {
    silence += kSubscriptionPoll;
    for (const Json& notification : subscription.Poll()) {
      if (!WriteEvent(stream, notification)) return;
      silence = {};
    }
    if (silence >= kHeartbeat) {
      if (!stream.Write(":\n\n")) return;
      silence = {};
    }
  }
  if (stream.IsStopping()) WriteEvent(stream, subscription.End());
}

HttpResponse RpcErrorResponse(int status, int code, const char* message, const Json& id) {
  Json body = {{"jsonrpc", "2.0"}, {"error", {{"code", code}, {"message", message}}}};
  if (!id.is_null()) body["id"] = id;
  HttpResponse response;
  response.status = status;
  response.body = DumpJson(body);
  return response;
}

HttpResponse OpenStream(std::unique_ptr<McpSubscription> opened, StreamSlots& slots) {
  auto slot = slots.TryAcquire();
  if (slot == nullptr) {
    HttpResponse response =
        RpcErrorResponse(503, mcp::kInternalError,
                         "Too many subscriptions are open: close one or try later", opened->id());
    response.headers.emplace_back("Retry-After", "5");
    return response;
  }
  const std::shared_ptr<McpSubscription> subscription = std::move(opened);
  HttpResponse response;
  response.content_type = "text/event-stream";
  response.headers = {{"Cache-Control", "no-cache"}, {"X-Accel-Buffering", "no"}};
  response.stream = [subscription, slot](HttpStream& stream) {
    RunSubscription(*subscription, stream);
  };
  return response;
}

}  // namespace

HttpResponse ServeMcp(const McpEndpoint& endpoint, StreamSlots& slots, const HttpRequest& request) {
  if (request.method != "POST") {
    HttpResponse response =
        RpcErrorResponse(405, mcp::kInvalidRequest, "This endpoint takes POST only", nullptr);
    response.headers.emplace_back("Allow", "POST");
    return response;
  }
  Caller caller = *request.caller;
  if (caller.door.empty()) caller.door = "mcp-http";
  caller.client = request.Header("User-Agent").value_or("");
  const McpHeaders headers = {request.Header("MCP-Protocol-Version"), request.Header("Mcp-Method"),
                              request.Header("Mcp-Name")};
  McpReply reply = endpoint.Handle(caller, request.body, &headers);
  if (reply.subscription) return OpenStream(std::move(reply.subscription), slots);
  HttpResponse response;
  response.status = reply.http_status;
  if (reply.body) response.body = DumpJson(*reply.body);
  return response;
}

}  // namespace perdure
