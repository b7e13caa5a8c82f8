// Whether an answer is what its schema says.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace perdure::testing {

// What `value` breaks of `schema`, one line each: as valijson finds it, and every member that an
// object schema with "properties" does not name. Empty when all is well.
std::string SchemaFaults(const nlohmann::json& schema, const nlohmann::json& value);

}  // namespace perdure::testing
