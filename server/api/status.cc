#include "server/api/status.h"

#include "server/api/json.h"

namespace perdure {

using Json = nlohmann::json;

int HttpStatus(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
      return 400;
    case Code::kUnauthenticated:
      return 401;
    case Code::kForbidden:
      return 403;
    case Code::kNotFound:
      return 404;
    case Code::kConflict:
      return 409;
    case Code::kErased:
      return 410;
    case Code::kTooLarge:
      return 413;
    case Code::kCompacted:
      return 416;  // the asked range of time is no longer there
    case Code::kIdempotencyMismatch:
      return 422;
    case Code::kRefused:
      return 428;  // a precondition of the gate is not met
    case Code::kAmbiguous:
      return 406;  // the body lists what to choose from
    case Code::kUnavailable:
      return 503;
    case Code::kStorageFull:
      return 507;
    case Code::kCorrupt:
      return 502;  // what lies below gave a wrong answer
    case Code::kInternal:
      return 500;
  }
  return 500;
}

Json ErrorObject(const Error& error) {
  Json object = {{"code", CodeName(error.code)}, {"message", error.message}};
  if (!error.field.empty()) object["field"] = error.field;
  for (const auto& [name, value] : error.details) {
    if (!object.contains(name)) {
      object[name] = value;
    } else if (object[name].is_array()) {
      object[name].push_back(value);
    } else if (name != "code" && name != "message" && name != "field") {
      object[name] = Json::array({object[name], value});
    }
  }
  return object;
}

Json RestError(const Error& error) { return {{"error", ErrorObject(error)}}; }

Json McpToolError(const Error& error) {
  Json meta = ErrorObject(error);
  meta.erase("message");
  std::string text = error.message;
  // Details such as current_version or candidates are what a model needs for its next call.
  Json facts = meta;
  facts.erase("field");
  if (facts.size() > 1) text += "\n" + DumpJson(facts);
  return {{"content", Json::array({{{"type", "text"}, {"text", std::move(text)}}})},
          {"isError", true},
          {"_meta", std::move(meta)}};
}

}  // namespace perdure
