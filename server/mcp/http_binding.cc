#include "server/mcp/http_binding.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

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

// Writes what `poll` gives until the client leaves, the server stops, or `poll` gives nullopt.
void Follow(HttpStream& stream, const std::function<std::optional<std::vector<Json>>()>& poll) {
  std::chrono::milliseconds silence{0};
  while (stream.Wait(kSubscriptionPoll)) {
    const auto notifications = poll();
    if (!notifications) return;
    silence += kSubscriptionPoll;
    for (const Json& notification : *notifications) {
      if (!WriteEvent(stream, notification)) return;
      silence = {};
    }
    if (silence >= kHeartbeat) {
      if (!stream.Write(":\n\n")) return;
      silence = {};
    }
  }
}

void RunSubscription(McpSubscription& subscription, HttpStream& stream) {
  if (!WriteEvent(stream, subscription.Acknowledge())) return;
  Follow(stream, [&] { return subscription.Poll(); });
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

HttpResponse EventStream(std::function<void(HttpStream&)> run) {
  HttpResponse response;
  response.content_type = "text/event-stream";
  response.headers = {{"Cache-Control", "no-cache"}, {"X-Accel-Buffering", "no"}};
  response.stream = std::move(run);
  return response;
}

HttpResponse NoSlot(const Json& id) {
  HttpResponse response = RpcErrorResponse(503, mcp::kInternalError,
                                           "Too many streams are open: close one or try later", id);
  response.headers.emplace_back("Retry-After", "5");
  return response;
}

HttpResponse OpenSubscription(std::unique_ptr<McpSubscription> opened, StreamSlots& slots) {
  auto slot = slots.TryAcquire();
  if (slot == nullptr) return NoSlot(opened->id());
  const std::shared_ptr<McpSubscription> subscription = std::move(opened);
  return EventStream(
      [subscription, slot](HttpStream& stream) { RunSubscription(*subscription, stream); });
}

HttpResponse NotAllowed() {
  HttpResponse response =
      RpcErrorResponse(405, mcp::kInvalidRequest,
                       "This endpoint takes POST, and GET and DELETE of a session", nullptr);
  response.headers.emplace_back("Allow", "POST, GET, DELETE");
  return response;
}

HttpResponse NoSuchSession() {
  return RpcErrorResponse(404, mcp::kInvalidRequest,
                          "There is no such session (any more): initialize again", nullptr);
}

// GET: the notifications of a session.
HttpResponse OpenSessionStream(const McpHttp& mcp, const HttpRequest& request,
                               std::shared_ptr<McpSession> session) {
  const ResourceProvider* resources = mcp.endpoint->watchable();
  if (resources == nullptr) return NotAllowed();
  auto slot = mcp.slots->TryAcquire();
  if (slot == nullptr) return NoSlot(nullptr);
  return EventStream(
      [resources, caller = request.caller, session = std::move(session), slot](HttpStream& stream) {
        if (!stream.Write(":\n\n")) return;  // so that the client sees it open
        Follow(stream, [&]() -> std::optional<std::vector<Json>> {
          if (session->HasEnded()) return std::nullopt;
          return session->Poll(*resources, *caller);
        });
      });
}

// A call that talks: its notifications and then its answer as events, or the answer alone.
HttpResponse RunCall(McpReply reply, bool takes_events, std::shared_ptr<McpSession> session) {
  if (!takes_events) {
    HttpResponse response;
    response.body = DumpJson(reply.call([](const Json&) {}));
    return response;
  }
  return EventStream([call = std::move(reply.call), session](HttpStream& stream) {
    const Json answer = call([&](const Json& message) { WriteEvent(stream, message); });
    WriteEvent(stream, answer);
  });
}

}  // namespace

HttpResponse ServeMcp(const McpHttp& mcp, const HttpRequest& request) {
  const auto id = request.Header("Mcp-Session-Id");
  const auto session = id ? mcp.sessions->Find(*request.caller, *id) : nullptr;
  if (request.method == "GET" || request.method == "DELETE") {
    if (!id) return NotAllowed();
    if (!session) return NoSuchSession();
    if (request.method == "GET") return OpenSessionStream(mcp, request, session);
    mcp.sessions->End(*request.caller, *id);
    HttpResponse response;
    response.status = 204;
    return response;
  }
  if (request.method != "POST") return NotAllowed();
  if (id && !session && mcp.sessions->IsOfThisStart(*id)) return NoSuchSession();

  Caller caller = *request.caller;
  if (caller.door.empty()) caller.door = "mcp-http";
  caller.client = request.Header("User-Agent").value_or("");
  const McpHeaders headers = {request.Header("MCP-Protocol-Version"), request.Header("Mcp-Method"),
                              request.Header("Mcp-Name")};
  McpReply reply = mcp.endpoint->Handle(caller, request.body, &headers, session.get());
  if (reply.subscription) return OpenSubscription(std::move(reply.subscription), *mcp.slots);
  if (reply.call) {
    const bool takes_events = request.Header("Accept").value_or("").contains("text/event-stream");
    return RunCall(std::move(reply), takes_events, session);
  }
  HttpResponse response;
  response.status = reply.http_status;
  if (reply.body) response.body = DumpJson(*reply.body);
  if (reply.session) {
    response.headers.emplace_back("Mcp-Session-Id",
                                  mcp.sessions->Add(*request.caller, std::move(reply.session)));
  }
  return response;
}

}  // namespace perdure
