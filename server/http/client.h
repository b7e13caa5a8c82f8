// An HTTP client for the program's own verbs, which talk to a running server.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "server/http/message.h"

namespace perdure {

struct ClientRequest {
  std::string method = "GET";
  std::string target;  // path and query, percent-encoded
  std::map<std::string, std::string> headers;
  std::string body;
  std::string content_type = "application/json";  // of a body that is not empty
};

struct ClientReply {
  int status = 0;
  std::string content_type;
  std::string body;
  std::multimap<std::string, std::string, FieldNameLess> headers;
};

// `text` as one segment of a path or one value of a query (RFC 3986: unreserved bytes stay).
std::string PercentEncode(std::string_view text);

// One connection, kept alive between calls and opened again when it was lost. Used by one thread,
// except for Stop.
class HttpClient {
 public:
  struct Options {
    std::string host = "127.0.0.1";
    int port = 0;
    std::chrono::milliseconds connect_timeout{5'000};
    std::chrono::milliseconds read_timeout{3'600'000};  // a compaction may take that long
  };
  explicit HttpClient(Options options);
  ~HttpClient();

  // Any status is a reply. kUnavailable without one; the detail "sent" is then "no" when the server
  // cannot have seen the request, so that it may be sent elsewhere.
  Result<ClientReply> Send(const ClientRequest& request);

  // The same for a body that comes piece by piece; `receive` returns false to end it.
  using Receiver = std::function<bool(std::string_view bytes)>;
  Result<ClientReply> Stream(const ClientRequest& request, const Receiver& receive);

  void Stop();  // ends a call that another thread is in

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace perdure
