// MCP over Streamable HTTP: what one POST to the endpoint answers.
#pragma once

#include "server/http/message.h"
#include "server/http/stream_slots.h"
#include "server/mcp/endpoint.h"

namespace perdure {

// `request.caller` must be set; one without a door comes through "mcp-http". Anything but POST is
// 405; notifications are 202 without a body; a request is answered as one JSON object,
// subscriptions/listen as a stream of server-sent events while `slots` has room (503 otherwise).
// Mcp-Session-Id and Last-Event-ID are ignored. What is referred to outlives the response's stream.
HttpResponse ServeMcp(const McpEndpoint& endpoint, StreamSlots& slots, const HttpRequest& request);

}  // namespace perdure
