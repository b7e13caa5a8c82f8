#include "server/http/http_server.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "server/api/json.h"
#include "server/http/guard.h"
#include "server/http/rest.h"
#include "server/http/stream_slots.h"
#include "server/mcp/http_binding.h"

namespace perdure {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kMcpPath = "/mcp";

constexpr ServedPath kServedPaths[] = {
    {"/", Access::kAnyone},          {"/healthz", Access::kAnyone},
    {"/readyz", Access::kAnyone},    {"/api/openapi.yaml", Access::kAnyone},
    {"/metrics", Access::kLoopback}, {kMcpPath, Access::kToken}};

std::vector<std::string> WithLoopback(std::vector<std::string> names) {
  for (std::string& name : LoopbackNames()) names.push_back(std::move(name));
  return names;
}

const ServedPath* FindServed(std::string_view path) {
  const auto* served = std::ranges::find(kServedPaths, path, &ServedPath::path);
  return served == std::end(kServedPaths) ? nullptr : served;
}

HttpResponse Text(std::string body, std::string content_type) {
  HttpResponse response;
  response.content_type = std::move(content_type);
  response.body = std::move(body);
  return response;
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(HttpServerOptions options, HttpServerParts parts)
      : options_(std::move(options)),
        parts_(std::move(parts)),
        guard_(parts_.authenticator, WithLoopback(options_.host_names)),
        routes_(*parts_.catalogue),
        slots_(options_.streams_max),
        transport_(options_.transport,
                   {.admit = [this](HttpRequest& request) { return Admit(request); },
                    .handle = [this](HttpRequest& request) { return Handle(request); },
                    .refused =
                        [this](const HttpRequest& request, const HttpResponse& response) {
                          Account(request, response, "refused", Clock::now());
                        }}) {}

  HttpTransport& transport() { return transport_; }

 private:
  bool IsOpen(const std::string& path) const {
    const ServedPath* served = FindServed(path);
    if (served == nullptr || served->access == Access::kToken) return false;
    return served->access == Access::kAnyone || IsLoopbackAddress(options_.transport.host);
  }

  std::optional<HttpResponse> Admit(HttpRequest& request) {
    auto refusal = Check(request);
    if (refusal) Account(request, *refusal, "refused", Clock::now());
    return refusal;
  }

  std::optional<HttpResponse> Check(HttpRequest& request) const {
    if (auto allowed = guard_.CheckOrigin(request); !allowed) return ErrorResponse(allowed.error());
    if (IsOpen(request.Path())) return std::nullopt;
    auto caller = guard_.CheckToken(request);
    if (!caller) return ErrorResponse(caller.error());
    if (request.Path() == kMcpPath && guard_.VouchesForStdio(request)) caller->door = "mcp-stdio";
    request.caller = std::make_shared<const Caller>(std::move(*caller));
    return std::nullopt;
  }

  HttpResponse Handle(HttpRequest& request) {
    const auto start = Clock::now();
    std::string route = "unknown";
    HttpResponse response = Route(request, route);
    Account(request, response, route, start);
    return response;
  }

  HttpResponse Route(const HttpRequest& request, std::string& route) {
    const std::string path = request.Path();
    if (path == kMcpPath) {
      route = path;
      return ServeMcp({parts_.mcp, &slots_, &sessions_}, request);
    }
    if (path.starts_with("/api/v1/")) {
      return ServeRest(*parts_.catalogue, routes_, request, route);
    }
    if (FindServed(path) == nullptr) {
      return ErrorResponse(Error{Code::kNotFound, "there is nothing at this path", {}, {}});
    }
    route = path;
    if (request.method != "GET" && request.method != "HEAD") {
      HttpResponse response =
          ErrorResponse(Error{Code::kInvalidArgument, "this path takes GET only", {}, {}});
      response.status = 405;
      response.headers.emplace_back("Allow", "GET, HEAD");
      return response;
    }
    return Page(path);
  }

  HttpResponse Page(const std::string& path) {
    if (path == "/healthz") return Text(R"({"status":"ok"})", "application/json");
    if (path == "/readyz") return Ready();
    if (path == "/metrics") {
      return Text(parts_.metrics->Text(Readings()), "text/plain; version=0.0.4; charset=utf-8");
    }
    if (path == "/") return Text(options_.front_page, "text/plain; charset=utf-8");
    if (options_.openapi_yaml.empty()) {
      return ErrorResponse(Error{Code::kNotFound, "no description is installed", {}, {}});
    }
    return Text(options_.openapi_yaml, "application/yaml");
  }

  std::vector<Metrics::Reading> Readings() const {
    return {{"perdure_http_threads", "Threads that hold a connection or wait for one",
             static_cast<double>(transport_.Threads())},
            {"perdure_http_streams", "Subscriptions and sessions' streams that are open",
             static_cast<double>(slots_.used())}};
  }

  HttpResponse Ready() const {
    const Readiness readiness = parts_.readiness();
    nlohmann::json body = readiness.details;
    body["status"] = readiness.is_ready ? "ready" : "not_ready";
    HttpResponse response = Text(DumpJson(body), "application/json");
    response.status = readiness.is_ready ? 200 : 503;
    return response;
  }

  void Account(const HttpRequest& request, const HttpResponse& response, const std::string& route,
               Clock::time_point start) {
    const auto duration = Clock::now() - start;
    parts_.metrics->CountRequest(request.method, route, response.status, duration);
    parts_.log->Write({.method = request.method,
                       .route = route,
                       .status = response.status,
                       .duration = duration,
                       .principal = request.caller ? request.caller->principal_id : "",
                       .request_bytes = request.body.size(),
                       .response_bytes = response.body.size()});
  }

  const HttpServerOptions options_;
  const HttpServerParts parts_;
  const Guard guard_;
  const RouteTable routes_;
  StreamSlots slots_;
  SystemRandom random_;
  McpSessions sessions_{random_};
  HttpTransport transport_;
};

std::span<const ServedPath> ServedPaths() { return kServedPaths; }

HttpServer::HttpServer(HttpServerOptions options, HttpServerParts parts)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(parts))) {}
HttpServer::~HttpServer() = default;

Status HttpServer::Start() { return impl_->transport().Start(); }
void HttpServer::Stop() { impl_->transport().Stop(); }
int HttpServer::port() const { return impl_->transport().port(); }

}  // namespace perdure
