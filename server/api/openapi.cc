#include "server/api/openapi.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "server/api/answers.h"

namespace perdure {
namespace {

using Json = nlohmann::json;
using Ordered = nlohmann::ordered_json;

constexpr std::size_t kLineColumnsMax = 100;

// What fits a line is written as JSON, which is YAML too; the rest as block mappings and sequences.
void Write(const Ordered& value, std::size_t indent, std::size_t column, std::string& yaml) {
  const std::string inline_form = value.dump();
  const bool is_block = value.is_structured() && !value.empty();
  if (!is_block || (indent > 4 && column + inline_form.size() <= kLineColumnsMax)) {
    yaml += ' ';
    yaml += inline_form;
    yaml += '\n';
    return;
  }
  yaml += '\n';
  const std::string margin(indent, ' ');
  for (const auto& [name, member] : value.items()) {
    const std::string key = value.is_array() ? "-" : Ordered(name).dump() + ":";
    yaml += margin + key;
    Write(member, indent + 2, indent + key.size() + 1, yaml);
  }
}

bool IsRequired(const Json& schema, const std::string& name) {
  const auto required = schema.find("required");
  return required != schema.end() &&
         std::find(required->begin(), required->end(), name) != required->end();
}

bool IsInPath(const Operation& operation, const std::string& name) {
  return operation.http_path.contains("{" + name + "}");
}

bool HasBody(const Operation& operation) {
  return operation.http_method != "GET" && operation.http_method != "DELETE";
}

Ordered Parameter(const Operation& operation, const std::string& name, const Json& property) {
  const bool is_in_path = IsInPath(operation, name);
  Ordered parameter = {{"name", name},
                       {"in", is_in_path ? "path" : "query"},
                       {"required", is_in_path || IsRequired(operation.input_schema, name)}};
  Json schema = schemas::SpeltOut(property);
  if (schema.contains("description")) {
    parameter["description"] = schema["description"];
    schema.erase("description");
  }
  if (schema["type"] == "object") {
    parameter["content"]["application/json"]["schema"] = schema;
  } else {
    parameter["schema"] = schema;
  }
  return parameter;
}

Ordered Parameters(const Operation& operation) {
  Ordered parameters = Ordered::array();
  for (const auto& [name, property] : operation.input_schema["properties"].items()) {
    if (HasBody(operation) && !IsInPath(operation, name)) continue;
    parameters.push_back(Parameter(operation, name, property));
  }
  if (operation.input_schema["properties"].contains("idempotency_key")) {
    parameters.push_back({{"$ref", "#/components/parameters/IdempotencyKey"}});
  }
  return parameters;
}

Ordered RequestBody(const Operation& operation) {
  Json schema = schemas::SpeltOut(operation.input_schema);
  for (const auto& [name, property] : operation.input_schema["properties"].items()) {
    if (!IsInPath(operation, name)) continue;
    schema["properties"].erase(name);
    if (schema.contains("required")) {
      auto& required = schema["required"];
      required.erase(std::remove(required.begin(), required.end(), Json(name)), required.end());
      if (required.empty()) schema.erase("required");
    }
  }
  Ordered body = {{"required", schema.contains("required")}};
  body["content"]["application/json"]["schema"] = schema;
  return body;
}

Ordered Describe(const Operation& operation) {
  Ordered described = {{"operationId", operation.name},
                       {"summary", operation.title},
                       {"description", operation.description},
                       {"x-roles", RoleNames(operation.roles)}};
  const Ordered parameters = Parameters(operation);
  if (!parameters.empty()) described["parameters"] = parameters;
  if (HasBody(operation) && !operation.input_schema["properties"].empty()) {
    described["requestBody"] = RequestBody(operation);
  }
  Ordered& answer = described["responses"]["200"];
  answer["description"] = "What was asked for";
  answer["content"]["application/json"]["schema"] = schemas::SpeltOut(operation.output_schema);
  described["responses"]["default"] = {{"$ref", "#/components/responses/Error"}};
  return described;
}

Ordered Components() {
  Ordered components;
  components["securitySchemes"]["token"] = {
      {"type", "http"}, {"scheme", "bearer"}, {"description", "A token: perdure_ID_SECRET"}};
  components["parameters"]["IdempotencyKey"] = {
      {"name", "Idempotency-Key"},
      {"in", "header"},
      {"required", false},
      {"description", "The same as the argument idempotency_key"},
      {"schema", {{"type", "string"}, {"maxLength", 256}}}};
  Ordered error = {{"type", "object"}, {"required", {"code", "message"}}};
  error["properties"] = {{"code", {{"type", "string"}}},
                         {"message", {{"type", "string"}}},
                         {"field", {{"type", "string"}}}};
  error["additionalProperties"] = true;
  Ordered& response = components["responses"]["Error"];
  response["description"] = "What was wrong, at which argument, and what to do";
  response["content"]["application/json"]["schema"] = {
      {"type", "object"}, {"required", {"error"}}, {"properties", {{"error", error}}}};
  return components;
}

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return text;
}

}  // namespace

std::string OpenApiYaml(const Catalogue& catalogue) {
  Ordered document;
  document["openapi"] = "3.1.0";
  document["info"] = {{"title", "Perdure"},
                      {"version", "1"},
                      {"description",
                       "A memory engine for AI agents. Arguments are read forgivingly: an array or "
                       "object may be sent as a JSON string, a number as text. Unknown ones are "
                       "refused by name. Times are RFC 3339 in UTC; as_of takes a time, a seq of "
                       "the log or the name of a snapshot."},
                      {"license", {{"name", "Apache-2.0"}}}};
  document["servers"] = {{{"url", "http://127.0.0.1:7411"}}};
  document["security"] = {{{"token", Ordered::array()}}};
  for (const Operation* operation : catalogue.All()) {
    if (operation->http_method.empty()) continue;
    document["paths"][operation->http_path][Lower(operation->http_method)] = Describe(*operation);
  }
  document["components"] = Components();
  std::string yaml =
      "# Made from the catalogue of operations by server/api/openapi.cc; do not edit.\n";
  for (const auto& [name, part] : document.items()) {
    yaml += name + ":";
    Write(part, 2, name.size() + 1, yaml);
  }
  return yaml;
}

}  // namespace perdure
