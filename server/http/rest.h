// The REST API: the routes of the catalogue's operations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/api/operation.h"
#include "server/http/message.h"

namespace perdure {

// Finds the operation for a method and path. A fixed segment wins over one in braces.
class RouteTable {
 public:
  // `catalogue` outlives this and is complete. Two operations with one route abort.
  explicit RouteTable(const Catalogue& catalogue);

  struct Match {
    const Operation* operation = nullptr;                 // null: nothing for this method
    nlohmann::json arguments = nlohmann::json::object();  // from the path, all strings
    std::vector<std::string> methods;  // that the path knows; empty: no such path
  };
  Match Find(std::string_view method, const std::vector<std::string>& segments) const;

 private:
  struct Route {
    std::vector<std::string> pattern;  // "{id}" stands for any one segment
    const Operation* operation;
  };
  std::vector<Route> routes_;  // those with more fixed segments first
};

// Answers a request under /api/v1: arguments from path, query, JSON body and Idempotency-Key; the
// operation's result as it is, 200, or RestError under the status of its code. 404 for an unknown
// path, 405 with Allow for a wrong method. `request.caller` must be set. `route` receives what was
// matched ("GET /api/v1/memories/{id}"), for metrics.
HttpResponse ServeRest(const Catalogue& catalogue, const RouteTable& routes,
                       const HttpRequest& request, std::string& route);

}  // namespace perdure
