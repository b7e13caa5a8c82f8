#include "tools/mcp_proxy.h"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <ostream>
#include <utility>

#include "engine/base/bytes.h"
#include "engine/base/limits.h"
#include "server/api/json.h"
#include "server/http/message.h"
#include "server/mcp/protocol.h"
#include "server/mcp/request.h"
#include "tools/program.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

// An object's member, or null.
const Json& At(const Json& json, const char* name) {
  static const Json kNone;
  if (!json.is_object()) return kNone;
  const auto at = json.find(name);
  return at == json.end() ? kNone : *at;
}

// The version that a message of the stateless era carries, or null.
const Json& VersionOf(const Json& message) {
  return At(At(At(message, "params"), "_meta"), mcp::kVersionKey);
}

// A header carries visible ASCII; anything else goes as "=?base64?...?=" (server/mcp/request.cc).
std::string HeaderValue(const std::string& text) {
  const bool is_plain = !text.empty() && !text.starts_with("=?") &&
                        std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7f; });
  return is_plain ? text : "=?base64?" + Base64Encode(text) + "?=";
}

// The headers in which the stateless era repeats what the body says.
void AddModernHeaders(const Json& message, ClientRequest& request) {
  const Json& version = VersionOf(message);
  if (!version.is_string()) return;
  request.headers["MCP-Protocol-Version"] = version.get<std::string>();
  const Json& method = At(message, "method");
  if (!method.is_string()) return;
  request.headers["Mcp-Method"] = HeaderValue(method.get<std::string>());
  const Json& params = At(message, "params");
  const Json& name = method == "resources/read" ? At(params, "uri") : At(params, "name");
  if (name.is_string()) request.headers["Mcp-Name"] = HeaderValue(name.get<std::string>());
}

// What stands in the "data:" lines of server-sent events, once each event is complete.
class EventReader {
 public:
  template <typename Use>
  void Add(std::string_view bytes, Use use) {
    pending_ += bytes;
    for (std::size_t end = pending_.find('\n'); end != std::string::npos;
         end = pending_.find('\n')) {
      const std::string_view line = std::string_view(pending_).substr(0, end);
      constexpr std::string_view kData = "data: ";
      if (line.starts_with(kData)) use(std::string(line.substr(kData.size())));
      pending_.erase(0, end + 1);
    }
  }

 private:
  std::string pending_;
};

}  // namespace

McpProxy::McpProxy(LockHolder server, Tokens tokens, std::istream& in, std::ostream& out)
    : server_(std::move(server)),
      tokens_(std::move(tokens)),
      in_(in),
      out_(out),
      client_({.host = server_.host, .port = server_.port}),
      agent_(fmt::format("perdure-mcp/{}", kProgramVersion)) {}

McpProxy::~McpProxy() {
  for (Subscription& open : subscriptions_) End(open);
}

std::optional<std::string> McpProxy::Run(std::optional<std::string> first) {
  std::optional<std::string> line = first ? std::move(first) : ReadLine();
  for (; line && OutputIsOpen(); line = ReadLine()) {
    if (line->find_first_not_of(" \t\r") == std::string::npos) continue;
    if (line->size() > limits::kBodyBytesMax) {
      WriteError(nullptr, mcp::kParseError,
                 fmt::format("Parse error: a message has at most {} bytes", limits::kBodyBytesMax));
    } else if (!Forward(*line)) {
      return line;
    }
  }
  return std::nullopt;
}

// A longer line than limits::kBodyBytesMax is cut one byte beyond.
std::optional<std::string> McpProxy::ReadLine() {
  std::string line;
  for (int letter = in_.get(); in_; letter = in_.get()) {
    if (letter == '\n') return line;
    if (line.size() <= limits::kBodyBytesMax) line += static_cast<char>(letter);
  }
  if (line.empty()) return std::nullopt;
  return line;
}

bool McpProxy::Forward(const std::string& line) {
  const auto parsed = ParseJson(line);
  const Json message = parsed ? *parsed : Json();
  if (At(message, "method") == "initialize") {
    const std::string name = ClientName(At(At(message, "params"), "clientInfo"));
    if (!name.empty() && HeaderValue(name) == name) agent_ = name;
  }
  if (At(message, "method") == "notifications/cancelled") {
    Cancel(At(At(message, "params"), "requestId"));
  }
  ClientRequest request = RequestFor(line, message);
  if (At(message, "method") == "subscriptions/listen") {
    Subscribe(At(message, "id"), std::move(request));
    return true;
  }
  auto reply = Exchange(client_, request, {});
  if (reply && reply->status == 404 && request.headers.erase("Mcp-Session-Id") > 0) {
    session_.clear();  // it has ended there; the message is served without
    reply = Exchange(client_, request, {});
  }
  if (reply) {
    Answer(message, *reply);
    if (At(message, "method") == "initialize") Follow(*reply);
    return true;
  }
  const auto& details = reply.error().details;
  if (std::ranges::find(details, std::pair<std::string, std::string>("sent", "no")) !=
      details.end()) {
    return false;
  }
  WriteError(At(message, "id"), mcp::kInternalError, reply.error().message);
  return true;
}

ClientRequest McpProxy::RequestFor(const std::string& line, const Json& message) {
  ClientRequest request{.method = "POST", .target = "/mcp", .body = line};
  request.headers = {{"Authorization", "Bearer " + tokens_.own},
                     {"Accept", "application/json, text/event-stream"},
                     {"User-Agent", agent_}};
  if (!tokens_.operators.empty()) {
    request.headers[std::string(kStdioField)] = tokens_.operators;
  }
  AddModernHeaders(message, request);
  if (!session_.empty() && VersionOf(message).is_null()) {
    request.headers["Mcp-Session-Id"] = session_;
  }
  return request;
}

// Writes the events of a stream as they come. The reply has a body only when it is no stream.
Result<ClientReply> McpProxy::Exchange(HttpClient& client, const ClientRequest& request,
                                       const std::stop_token& stop) {
  EventReader events;
  std::string body;
  bool is_stream = false;
  auto reply = client.Stream(request, [&](std::string_view bytes) {
    if (body.empty() && !is_stream) is_stream = !bytes.starts_with('{');
    if (is_stream) {
      events.Add(bytes, [this](const std::string& line) { WriteLine(line); });
    } else {
      body += bytes;
    }
    return !stop.stop_requested();
  });
  if (reply) reply->body = std::move(body);
  return reply;
}

// The session that `initialize` began, and what it is told without asking.
void McpProxy::Follow(const ClientReply& initialized) {
  const auto id = initialized.headers.find("Mcp-Session-Id");
  if (id == initialized.headers.end()) return;
  session_ = id->second;
  subscriptions_.remove_if([](Subscription& open) {  // of an earlier session
    if (!open.id.is_null()) return false;
    End(open);
    return true;
  });
  ClientRequest request = RequestFor("", nullptr);
  request.method = "GET";
  Subscribe(nullptr, std::move(request));
}

// The threads of subscriptions write to it too.
bool McpProxy::OutputIsOpen() {
  const MutexLock lock(out_mutex_);
  return static_cast<bool>(out_);
}

// What is not JSON-RPC (a refused token, say) becomes the error that it means.
void McpProxy::Answer(const Json& message, const ClientReply& reply) {
  if (reply.body.empty()) return;
  const auto body = ParseJson(reply.body);
  if (body && body->is_object() && body->contains("jsonrpc")) {
    WriteLine(DumpJson(*body));
    return;
  }
  const Json& id = At(message, "id");
  if (message.is_object() && id.is_null()) return;  // a notification has no answer
  const Json& why = At(At(body ? *body : Json(), "error"), "message");
  WriteError(id, mcp::kInternalError,
             why.is_string() ? why.get<std::string>()
                             : fmt::format("The server answered {}.", reply.status));
}

void McpProxy::Subscribe(const Json& id, ClientRequest request) {
  Subscription& subscription = subscriptions_.emplace_back();
  subscription.id = id;
  subscription.client =
      std::make_unique<HttpClient>(HttpClient::Options{.host = server_.host, .port = server_.port});
  subscription.thread =
      std::jthread([this, &subscription, request = std::move(request)](
                       const std::stop_token& stop) { Listen(subscription, request, stop); });
}

void McpProxy::Listen(Subscription& subscription, const ClientRequest& request,
                      const std::stop_token& stop) {
  const auto reply = Exchange(*subscription.client, request, stop);
  if (subscription.id.is_null() || stop.stop_requested()) return;
  if (!reply) {
    WriteError(subscription.id, mcp::kInternalError, reply.error().message);
  } else {
    Answer({{"id", subscription.id}}, *reply);
  }
}

void McpProxy::Cancel(const Json& id) {
  subscriptions_.remove_if([&](Subscription& open) {
    if (open.id.is_null() || open.id != id) return false;
    End(open);
    return true;
  });
}

// A call that has not begun cannot be stopped, but ends with its first bytes.
void McpProxy::End(Subscription& subscription) {
  subscription.thread.request_stop();
  subscription.client->Stop();
}

void McpProxy::WriteError(const Json& id, int code, const std::string& message) {
  Json error = {{"jsonrpc", "2.0"}, {"error", {{"code", code}, {"message", message}}}};
  if (IsRequestId(id)) error["id"] = id;
  WriteLine(DumpJson(error));
}

void McpProxy::WriteLine(const std::string& line) {
  const MutexLock lock(out_mutex_);
  out_ << line << '\n' << std::flush;
}

}  // namespace perdure
