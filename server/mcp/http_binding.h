// MCP over Streamable HTTP: what one POST to the endpoint answers.
#pragma once

#include "server/http/message.h"
#include "server/http/stream_slots.h"
#include "server/mcp/endpoint.h"
#include "server/mcp/sessions.h"

namespace perdure {

// What the endpoint needs of HTTP, for all requests. All outlive the responses' streams.
struct McpHttp {
  const McpEndpoint* endpoint = nullptr;
  StreamSlots* slots = nullptr;  // of subscriptions and sessions' streams: 503 while all are taken
  McpSessions* sessions = nullptr;
};

// `request.caller` must be set; one without a door comes through "mcp-http". POST: notifications
// are 202 without a body; a request is answered as one JSON object, subscriptions/listen as a
// stream of server-sent events, and so is a call that talks, if the client accepts one. The legacy
// initialize begins a session, named in Mcp-Session-Id: GET opens the stream of its notifications,
// DELETE ends it, and what has ended is answered with 404. A client that names no session, or one
// of before a restart, is served all the same, except where the session is what the message is
// about. Last-Event-ID is ignored. Any other method is 405.
HttpResponse ServeMcp(const McpHttp& mcp, const HttpRequest& request);

}  // namespace perdure
