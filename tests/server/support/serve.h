// A server program around a test's operations: "http [PORT]" prints "port N" and ends with standard
// input.
#pragma once

#include <cstdlib>
#include <iostream>
#include <string>

#include "server/http/http_server.h"

namespace perdure::testing {

inline int ServeHttp(const Authenticator& tokens, const Catalogue& catalogue,
                     const McpEndpoint& mcp, int port) {
  Metrics metrics;
  AccessLog log(std::cerr);
  HttpServerOptions options;
  options.transport.port = port;
  options.openapi_yaml = "openapi: 3.1.0\n";
  HttpServer server(options, {.authenticator = &tokens,
                              .catalogue = &catalogue,
                              .mcp = &mcp,
                              .metrics = &metrics,
                              .log = &log,
                              .readiness = [] { return Readiness{}; }});
  if (const auto started = server.Start(); !started) {
    std::cerr << started.error().message << '\n';
    return EXIT_FAILURE;
  }
  std::cout << "port " << server.port() << '\n' << std::flush;
  for (std::string line; std::getline(std::cin, line);) {
  }
  server.Stop();
  return EXIT_SUCCESS;
}

}  // namespace perdure::testing
