#include "server/http/rest.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "engine/base/check.h"
#include "server/api/json.h"
#include "server/api/status.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

bool IsPlaceholder(std::string_view piece) { return piece.starts_with('{'); }

std::string NameOf(std::string_view placeholder) {
  return std::string(placeholder.substr(1, placeholder.size() - 2));
}

std::vector<std::string> Split(std::string_view path) {
  std::vector<std::string> pieces;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const std::size_t end = std::min(path.find('/'), path.size());
    pieces.emplace_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return pieces;
}

std::size_t FixedPieces(const std::vector<std::string>& pattern) {
  return static_cast<std::size_t>(std::ranges::count_if(
      pattern, [](const std::string& piece) { return !IsPlaceholder(piece); }));
}

bool Fits(const std::vector<std::string>& pattern, const std::vector<std::string>& segments) {
  return std::ranges::equal(pattern, segments, [](const auto& piece, const auto& segment) {
    return IsPlaceholder(piece) ? !segment.empty() : piece == segment;
  });
}

bool IsMethod(std::string_view operation, std::string_view request) {
  return operation == request || (operation == "GET" && request == "HEAD");
}

Status PutArgument(Json& arguments, const std::string& name, Json value, std::string_view from) {
  if (arguments.contains(name)) {
    return Fail(Code::kInvalidArgument,
                fmt::format("\"{}\" is given twice, the second time in the {}", name, from), name);
  }
  arguments[name] = std::move(value);
  return {};
}

Status AddQuery(const HttpRequest& request, Json& arguments) {
  Json query = Json::object();
  for (const auto& [name, value] : request.query) {
    if (!query.contains(name)) {
      query[name] = value;
    } else if (query[name].is_array()) {
      query[name].push_back(value);
    } else {
      query[name] = Json::array({query[name], value});
    }
  }
  for (auto& [name, value] : query.items()) {
    RETURN_IF_ERROR(PutArgument(arguments, name, std::move(value), "query"));
  }
  return {};
}

Status AddBody(const HttpRequest& request, Json& arguments) {
  if (request.body.empty()) return {};
  ASSIGN_OR_RETURN(Json body, ParseJson(request.body));
  if (!body.is_object()) {
    return Fail(Code::kInvalidArgument, "the body must be a JSON object of arguments");
  }
  for (auto& [name, value] : body.items()) {
    RETURN_IF_ERROR(PutArgument(arguments, name, std::move(value), "body"));
  }
  return {};
}

// https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/: a field beside the
// argument of the same meaning. Reads repeat safely without it.
Status AddIdempotencyKey(const HttpRequest& request, const Operation& operation, Json& arguments) {
  constexpr const char* kArgument = "idempotency_key";
  if (!request.HasHeader("Idempotency-Key") || operation.hints.read_only) return {};
  const auto key = request.Header("Idempotency-Key");
  if (!key || !operation.input_schema["properties"].contains(kArgument)) {
    return Fail(Code::kInvalidArgument,
                key ? "this operation takes no Idempotency-Key" : "send one Idempotency-Key",
                kArgument);
  }
  if (arguments.contains(kArgument) && arguments[kArgument] == *key) return {};
  return PutArgument(arguments, kArgument, *key, "field Idempotency-Key");
}

Result<Json> Run(const Catalogue& catalogue, const RouteTable::Match& match,
                 const HttpRequest& request) {
  Json arguments = match.arguments;
  RETURN_IF_ERROR(AddQuery(request, arguments));
  RETURN_IF_ERROR(AddBody(request, arguments));
  RETURN_IF_ERROR(AddIdempotencyKey(request, *match.operation, arguments));
  Caller caller = *request.caller;
  caller.door = "rest";
  caller.client = request.Header("User-Agent").value_or("");
  caller.session = request.Header("Perdure-Session").value_or("");
  return catalogue.Call(*match.operation, caller, arguments);
}

std::string Joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

}  // namespace

RouteTable::RouteTable(const Catalogue& catalogue) {
  for (const Operation* operation : catalogue.All()) {
    if (operation->http_method.empty()) continue;
    Route route{Split(operation->http_path), operation};
    for (const Route& other : routes_) {
      PERDURE_CHECK(other.pattern != route.pattern ||
                    other.operation->http_method != operation->http_method);
    }
    routes_.push_back(std::move(route));
  }
  std::ranges::stable_sort(routes_, std::greater(),
                           [](const Route& route) { return FixedPieces(route.pattern); });
}

RouteTable::Match RouteTable::Find(std::string_view method,
                                   const std::vector<std::string>& segments) const {
  Match match;
  const std::vector<std::string>* best = nullptr;  // methods of less specific paths do not count
  for (const Route& route : routes_) {
    if (!Fits(route.pattern, segments)) continue;
    if (best != nullptr && FixedPieces(*best) > FixedPieces(route.pattern)) break;
    best = &route.pattern;
    match.methods.push_back(route.operation->http_method);
    if (match.operation != nullptr || !IsMethod(route.operation->http_method, method)) continue;
    match.operation = route.operation;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      if (IsPlaceholder(route.pattern[i])) match.arguments[NameOf(route.pattern[i])] = segments[i];
    }
  }
  return match;
}

HttpResponse ServeRest(const Catalogue& catalogue, const RouteTable& routes,
                       const HttpRequest& request, std::string& route) {
  const RouteTable::Match match = routes.Find(request.method, request.segments);
  if (match.methods.empty()) {
    return ErrorResponse(Error{
        Code::kNotFound, "there is no such path: /api/openapi.yaml lists those that are", {}, {}});
  }
  if (match.operation == nullptr) {
    const std::string allowed = Joined(match.methods);
    HttpResponse response = ErrorResponse(
        Error{Code::kInvalidArgument, fmt::format("this path takes {} only", allowed), {}, {}});
    response.status = 405;
    response.headers.emplace_back("Allow", allowed);
    return response;
  }
  route = match.operation->http_path;
  try {
    const Result<Json> result = Run(catalogue, match, request);
    if (!result) return ErrorResponse(result.error());
    HttpResponse response;
    response.body = DumpJson(*result);
    return response;
  } catch (const std::exception& bug) {
    // One faulty operation must not take the others down with it.
    return ErrorResponse(
        Error{Code::kInternal, fmt::format("internal error: {}", bug.what()), {}, {}});
  }
}

}  // namespace perdure
