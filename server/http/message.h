// HTTP requests and responses as the rest of the server sees them: values, free of any library.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "server/api/caller.h"

namespace perdure {

// RFC 9110 section 5.1: names of fields are equal whatever their case.
struct FieldNameLess {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const;
};

// In which `perdure mcp` shows a running server the operator's token of the data directory.
inline constexpr std::string_view kStdioField = "Perdure-Stdio";

struct HttpRequest {
  std::string method;
  std::string target;                 // as sent: path and query
  std::vector<std::string> segments;  // of the path, percent-decoded: /a/b%2Fc is {"a", "b/c"}
  std::vector<std::pair<std::string, std::string>> query;  // decoded, in the order sent
  std::multimap<std::string, std::string, FieldNameLess> headers;
  std::string body;
  std::string remote_address;
  std::shared_ptr<const Caller> caller;  // whom the token stands for, once admitted

  // The value of a field that was sent exactly once.
  std::optional<std::string> Header(std::string_view name) const;
  bool HasHeader(std::string_view name) const { return headers.contains(name); }

  // The path's segments joined again, for comparison with fixed routes.
  std::string Path() const;
};

// Splits and decodes `target` into segments and query; kInvalidArgument for a malformed escape, or
// what is not UTF-8 once decoded.
Status ReadTarget(HttpRequest& request);

// The writing end of a response that stays open.
class HttpStream {
 public:
  virtual ~HttpStream() = default;
  virtual bool Write(std::string_view bytes) = 0;  // false: the client is gone
  // True once `time` has passed; false as soon as the client is gone or the server stops.
  virtual bool Wait(std::chrono::milliseconds time) = 0;
  virtual bool IsStopping() const = 0;  // the client may still be there: say good-bye
};

struct HttpResponse {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string content_type = "application/json";
  std::string body;
  bool close = false;  // end the connection after this response
  // When set, stands in for `body`: called once, the response ends when it returns.
  std::function<void(HttpStream&)> stream;
};

// The error in the shape of the REST API, under the status of its code.
HttpResponse ErrorResponse(const Error& error);

}  // namespace perdure
