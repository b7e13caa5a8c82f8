// The server: MCP, REST, health, readiness, metrics behind one port.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/limits.h"
#include "engine/base/result.h"
#include "server/api/operation.h"
#include "server/http/access_log.h"
#include "server/http/metrics.h"
#include "server/http/transport.h"
#include "server/mcp/endpoint.h"

namespace perdure {

struct HttpServerOptions {
  TransportOptions transport;
  // Allowed in Host and Origin beside the loopback names; "*" allows any.
  std::vector<std::string> host_names;
  std::size_t streams_max = limits::kHttpStreamsMax;
  std::string openapi_yaml;  // served as it is; empty: 404
  std::string front_page =   // served at "/" as text
      "Perdure, a memory engine for AI agents.\n"
      "MCP is at /mcp, the REST API at /api/v1 (described by /api/openapi.yaml).\n";
};

struct Readiness {
  bool is_ready = true;
  nlohmann::json details = nlohmann::json::object();  // shown by /readyz
};

// All outlive the server.
struct HttpServerParts {
  const Authenticator* authenticator = nullptr;
  const Catalogue* catalogue = nullptr;  // complete
  const McpEndpoint* mcp = nullptr;
  Metrics* metrics = nullptr;
  AccessLog* log = nullptr;
  std::function<Readiness()> readiness;  // called from many threads at once
};

// What is served beside the routes of the operations, and to whom. What is not in it, and all under
// /api/v1, wants a token. The checks of Host and Origin come first and spare nothing.
enum class Access { kAnyone, kLoopback, kToken };  // kLoopback: anyone while that is listened on
struct ServedPath {
  std::string_view path;
  Access access;
};
std::span<const ServedPath> ServedPaths();

class HttpServer {
 public:
  HttpServer(HttpServerOptions options, HttpServerParts parts);
  ~HttpServer();  // stops

  Status Start();  // see HttpTransport
  void Stop();
  int port() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace perdure
