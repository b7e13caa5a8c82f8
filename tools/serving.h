// A house behind a port: the HTTP server with its log and metrics, announced in the lock file.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "server/http/http_server.h"
#include "tools/house.h"

namespace perdure {

struct ServingOptions {
  std::string host = "127.0.0.1";
  int port = 0;  // 0: any free one
  std::vector<std::string> public_hosts;
  int scrub_days = 0;  // one pass of the scrub in so many days; 0: none
};

class Serving {
 public:
  // `house` and `log` outlive this. One line of JSON a request goes to `log`.
  Serving(House& house, ServingOptions options, std::ostream& log);
  ~Serving();

  Status Start();
  void Stop();                  // finishes the requests that run
  std::string Address() const;  // after Start, as seen from this machine

 private:
  House& house_;
  ServingOptions options_;
  AccessLog log_;
  Metrics metrics_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace perdure
