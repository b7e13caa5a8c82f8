// Where the REST API serves each operation, for verbs that talk to a running server. The catalogue
// knows the same, but only inside a process that has the store open; a test holds the two equal.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "server/http/client.h"

namespace perdure {

struct Route {
  std::string_view operation;
  std::string_view method;
  std::string_view path;  // with arguments in braces
};

std::span<const Route> Routes();
const Route* FindRoute(std::string_view operation);

// The request that calls an operation: arguments go into the path, the query of a GET, or the body.
ClientRequest RequestFor(const Route& route, nlohmann::json arguments);

}  // namespace perdure
