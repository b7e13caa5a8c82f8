#include "tools/serving.h"

#include <utility>

#include "server/api/openapi.h"

namespace perdure {
namespace {

// Where a server that listens on every address is reached from its own machine.
std::string ReachableHost(const std::string& host) {
  if (host == "0.0.0.0" || host.empty()) return "127.0.0.1";
  if (host == "::") return "::1";
  return host;
}

std::string HostName(const std::string& host) {
  return host.contains(':') ? "[" + host + "]" : host;
}

}  // namespace

Serving::Serving(House& house, ServingOptions options, std::ostream& log)
    : house_(house), options_(std::move(options)), log_(log) {
  house_.AddGauges(metrics_);
  HttpServerOptions server;
  server.transport.host = options_.host;
  server.transport.port = options_.port;
  server.host_names = options_.public_hosts;
  server.host_names.push_back(HostName(ReachableHost(options_.host)));
  server.openapi_yaml = OpenApiYaml(house_.catalogue());
  server_ = std::make_unique<HttpServer>(
      std::move(server), HttpServerParts{.authenticator = &house_.authenticator(),
                                         .catalogue = &house_.catalogue(),
                                         .mcp = &house_.mcp(),
                                         .metrics = &metrics_,
                                         .log = &log_,
                                         .readiness = [this] { return house_.Ready(); }});
}

Serving::~Serving() {
  server_.reset();
  house_.StopScrub();
}

Status Serving::Start() {
  if (options_.scrub_days > 0) {
    house_.StartScrub({.days = options_.scrub_days,
                       .on_finding = [this](const std::string& space, const std::string& problem) {
                         log_.Note("scrub_finding", space + ": " + problem);
                       }});
  }
  RETURN_IF_ERROR(server_->Start());
  RETURN_IF_ERROR(house_.lock().Announce(ReachableHost(options_.host), server_->port()));
  log_.Note("started", Address());
  if (!house_.stand_in_reason().empty()) log_.Note("stand_in", house_.stand_in_reason());
  return {};
}

void Serving::Stop() {
  server_->Stop();
  house_.StopScrub();
  log_.Note("stopped", Address());
}

std::string Serving::Address() const {
  return LockHolder{0, {}, ReachableHost(options_.host), server_->port()}.Address();
}

}  // namespace perdure
