// The description of the REST API, made from the catalogue.
#pragma once

#include <string>

#include "server/api/operation.h"

namespace perdure {

// An OpenAPI 3.1 document in YAML: the operations with a route, in the catalogue's order. The same
// catalogue gives the same bytes. The copy in schema/openapi.yaml is what the server serves.
std::string OpenApiYaml(const Catalogue& catalogue);

}  // namespace perdure
