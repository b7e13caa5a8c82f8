// HTTP/1.1 on a socket: connections, threads, time-outs and sizes. Knows nothing of what is served.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/front_limits.h"
#include "engine/base/result.h"
#include "server/http/message.h"

namespace perdure {

struct TransportOptions {
  std::string host = "127.0.0.1";
  int port = 0;  // 0: any free one
  std::size_t threads_max = limits::kHttpThreadsMax;
  std::size_t body_bytes_max = limits::kBodyBytesMax;  // after decompression
  std::size_t header_bytes_max = limits::kHttpHeadBytesMax;
  std::chrono::milliseconds keep_alive{30'000};     // between two requests of a connection
  std::chrono::milliseconds head_timeout{10'000};   // for the request line and fields
  std::chrono::milliseconds body_timeout{60'000};   // for a whole body
  std::chrono::milliseconds write_timeout{10'000};  // for one write to make progress
  // For a head, a body or a write, while others wait for a thread.
  std::chrono::milliseconds pressed_timeout{2'000};
};

// They run on the connection's thread, many at once, and must not throw.
struct TransportHandlers {
  // Sees the request before its body is read. A response refuses it: the body is read and
  // dropped, so that the client gets to see the answer. After a chunked one the connection ends.
  std::function<std::optional<HttpResponse>(HttpRequest&)> admit;
  std::function<HttpResponse(HttpRequest&)> handle;
  // Told of a request that the transport itself refused after admission, such as too large a body.
  std::function<void(const HttpRequest&, const HttpResponse&)> refused;
};

// A thread is held per connection, so the pool grows with them up to threads_max. When more wait,
// connections that idle between requests, or dawdle within one, are closed early. A body over the
// maximum is answered with 413, chunked or not. Malformed or ambiguous framing (both lengths, a bad
// one, a body where none belongs) is answered with 400 and the end of the connection.
class HttpTransport {
 public:
  HttpTransport(TransportOptions options, TransportHandlers handlers);
  ~HttpTransport();  // stops

  // Binds, listens and serves on threads of its own. kUnavailable when the address is taken.
  Status Start();

  // Ends streams and idle connections, lets requests that run finish, joins all threads.
  void Stop();

  int port() const;  // after Start
  std::size_t Threads() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace perdure
