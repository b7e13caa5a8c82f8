// The one table of operations that the MCP tools, the REST routes and the command line serve.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "server/api/caller.h"
#include "server/api/dialogue.h"

namespace perdure {

// The four hints of an MCP tool. An operation that is not `read_only` is a write.
struct OperationHints {
  bool read_only = false;
  bool destructive = false;
  bool idempotent = false;
  bool open_world = false;
};

struct Operation {
  using Json = nlohmann::json;

  std::string name;         // snake_case, the MCP tool's name
  std::string title;        // for people
  std::string description;  // what, when to use it, what comes back, what to call next

  // Flat JSON Schemas of type "object": "type" is one word everywhere, and there is no anyOf,
  // oneOf, allOf, $ref or null. Each property of the input should carry "description" and, where
  // a value is not obvious, "examples" (its first element is quoted in error messages).
  Json input_schema = {{"type", "object"}, {"properties", Json::object()}};
  Json output_schema = {{"type", "object"}};
  OperationHints hints;

  Caller::RoleMask roles = 0;  // any one of these suffices; undeclared, nobody may call it
  bool erases = false;         // for good; the setting server.erase says through which doors
  bool mcp_tool = true;        // false: REST and command line only

  // "GET" and "/api/v1/memories/{id}"; empty: no REST route. What stands in braces is one path
  // segment, percent-decoded, and becomes the argument of that name; so do query parameters
  // (repeated ones: an array) and the members of a JSON body. A name given twice is refused.
  std::string http_method;
  std::string http_path;

  // `arguments` have passed ReadArguments against input_schema: right types, nothing unknown, no
  // null. The result must match output_schema. Called from many threads at once.
  std::function<Result<Json>(const Caller& caller, const Json& arguments)> run;

  // In place of `run`, for an operation that reports, logs or asks before it answers.
  std::function<Result<Json>(const Caller& caller, const Json& arguments, Dialogue& talk)> converse;

  // What stands beside structuredContent for models that do not read it: a text, or an array of
  // MCP content blocks; absent: the result as JSON text. Retrieved text in it belongs inside an
  // envelope (server/mcp/envelope.h).
  std::function<Json(const Json& result)> mirror;
};

// Of the settings: through which doors callers without the operator role may write (`writes`), and
// through which doors anything may be erased (`erase`).
enum class WritePolicy { kAlways, kStdio, kNever };

// Filled once at start, then read from many threads.
class Catalogue {
 public:
  explicit Catalogue(WritePolicy writes = WritePolicy::kAlways,
                     WritePolicy erase = WritePolicy::kAlways)
      : writes_(writes), erase_(erase) {}

  // The name, the route and the schemas are checked: a bad or double one is a bug and aborts.
  void Add(Operation operation);

  const Operation* Find(std::string_view name) const;  // nullptr when there is none

  // In the order they were added.
  std::vector<const Operation*> All() const;
  std::vector<const Operation*> ListFor(const Caller& caller) const;  // those it may call

  // The one way to call an operation, whatever the door: roles, write policy, ReadArguments, run.
  // `arguments` is what the client sent: an object, or null for none.
  Result<nlohmann::json> Call(const Operation& operation, const Caller& caller,
                              const nlohmann::json& arguments, Dialogue& talk) const;
  Result<nlohmann::json> Call(const Operation& operation, const Caller& caller,
                              const nlohmann::json& arguments) const {
    NoDialogue silent;
    return Call(operation, caller, arguments, silent);
  }

 private:
  Status CheckDoor(const Operation& operation, const Caller& caller) const;

  WritePolicy writes_;
  WritePolicy erase_;
  std::vector<std::unique_ptr<Operation>> operations_;
  std::map<std::string, const Operation*, std::less<>> by_name_;
};

}  // namespace perdure
