#include "server/api/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "server/api/arguments.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

bool IsSnakeCase(std::string_view name) {
  const auto fits = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
  };
  return !name.empty() && name.front() >= 'a' && name.front() <= 'z' &&
         std::ranges::all_of(name, fits);
}

// No keyword that some client cannot read, and one plain word for every type.
bool IsFlatSchema(const Json& schema) {
  if (!schema.is_object()) return false;
  for (const char* keyword : {"anyOf", "oneOf", "allOf", "not", "if", "$ref", "$defs"}) {
    if (schema.contains(keyword)) return false;
  }
  if (const auto type = schema.find("type"); type != schema.end()) {
    if (!type->is_string() || *type == "null") return false;
  }
  if (const auto items = schema.find("items"); items != schema.end() && !IsFlatSchema(*items)) {
    return false;
  }
  const auto properties = schema.find("properties");
  return properties == schema.end() || std::ranges::all_of(*properties, IsFlatSchema);
}

bool IsObjectSchema(const Json& schema) {
  return IsFlatSchema(schema) && schema.value("type", "") == "object";
}

// Whatever stands in braces in the path is an argument of the operation.
bool PathNamesArguments(const Operation& operation) {
  std::string_view path = operation.http_path;
  if (operation.http_method.empty()) return path.empty();
  if (!path.starts_with("/api/")) return false;
  for (std::size_t open = path.find('{'); open != path.npos; open = path.find('{')) {
    const std::size_t close = path.find('}', open);
    if (close == path.npos) return false;
    const std::string name(path.substr(open + 1, close - open - 1));
    if (!operation.input_schema["properties"].contains(name)) return false;
    path.remove_prefix(close + 1);
  }
  return true;
}

}  // namespace

void Catalogue::Add(Operation operation) {
  PERDURE_CHECK(IsSnakeCase(operation.name));
  PERDURE_CHECK(!by_name_.contains(operation.name));
  PERDURE_CHECK(IsObjectSchema(operation.input_schema));
  PERDURE_CHECK(operation.input_schema.contains("properties"));
  PERDURE_CHECK(IsObjectSchema(operation.output_schema));
  PERDURE_CHECK(PathNamesArguments(operation));
  PERDURE_CHECK((operation.run != nullptr) != (operation.converse != nullptr));
  operations_.push_back(std::make_unique<Operation>(std::move(operation)));
  by_name_[operations_.back()->name] = operations_.back().get();
}

const Operation* Catalogue::Find(std::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

std::vector<const Operation*> Catalogue::All() const {
  std::vector<const Operation*> all;
  for (const auto& operation : operations_) all.push_back(operation.get());
  return all;
}

std::vector<const Operation*> Catalogue::ListFor(const Caller& caller) const {
  std::vector<const Operation*> allowed = All();
  std::erase_if(allowed, [&](const Operation* operation) {
    return !caller.HasAnyOf(operation->roles) || !CheckDoor(*operation, caller);
  });
  return allowed;
}

Result<Json> Catalogue::Call(const Operation& operation, const Caller& caller,
                             const Json& arguments, Dialogue& talk) const {
  if (!caller.HasAnyOf(operation.roles)) {
    return Fail(Code::kForbidden,
                fmt::format("{} is not open to the roles of this token", operation.name));
  }
  RETURN_IF_ERROR(CheckDoor(operation, caller));
  ASSIGN_OR_RETURN(const Json read, ReadArguments(operation.input_schema, arguments));
  return operation.converse ? operation.converse(caller, read, talk) : operation.run(caller, read);
}

// What cannot be called here is not listed either. An operator's verbs write whatever `writes`
// says, or nobody could; a verb that opened the store itself counts as stdio for `erase`.
Status Catalogue::CheckDoor(const Operation& operation, const Caller& caller) const {
  const auto refuse = [&](const char* what, const char* setting, WritePolicy policy) {
    return Fail(Code::kForbidden,
                fmt::format("this server {} here ({} = {}): {} is refused", what, setting,
                            policy == WritePolicy::kNever ? "never" : "stdio", operation.name));
  };
  const bool is_stdio = caller.door == "mcp-stdio";
  if (operation.erases && erase_ != WritePolicy::kAlways &&
      (erase_ == WritePolicy::kNever || (!is_stdio && caller.door != "cli"))) {
    return refuse("erases nothing", "erase", erase_);
  }
  if (operation.hints.read_only || writes_ == WritePolicy::kAlways ||
      caller.HasAnyOf(Caller::kOperator) || (writes_ == WritePolicy::kStdio && is_stdio)) {
    return {};
  }
  return refuse("takes no writes", "writes", writes_);
}

}  // namespace perdure
