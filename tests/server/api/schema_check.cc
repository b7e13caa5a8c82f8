#include "server/api/schema_check.h"

#include <fmt/format.h>

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace perdure::testing {
namespace {

using Json = nlohmann::json;

void FindUndeclared(const Json& schema, const Json& value, const std::string& path,
                    std::string& faults) {
  if (value.is_array() && schema.contains("items")) {
    for (const Json& element : value) {
      FindUndeclared(schema["items"], element, path + "[]", faults);
    }
  }
  if (!value.is_object() || !schema.contains("properties")) return;
  for (const auto& [name, member] : value.items()) {
    const std::string member_path = path + "." + name;
    if (!schema["properties"].contains(name)) {
      faults += member_path + " is not in the schema\n";
    } else {
      FindUndeclared(schema["properties"][name], member, member_path, faults);
    }
  }
}

}  // namespace

std::string SchemaFaults(const Json& schema, const Json& value) {
  valijson::Schema parsed;
  valijson::SchemaParser parser;
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schema), parsed);
  valijson::Validator validator;
  valijson::ValidationResults results;
  std::string faults;
  if (!validator.validate(parsed, valijson::adapters::NlohmannJsonAdapter(value), &results)) {
    valijson::ValidationResults::Error error;
    while (results.popError(error)) {
      for (const std::string& step : error.context) faults += step;
      faults += ": " + error.description + "\n";
    }
  }
  FindUndeclared(schema, value, "answer", faults);
  return faults;
}

}  // namespace perdure::testing
