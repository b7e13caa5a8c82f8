#include "server/http/transport.h"

#include <fmt/format.h>
#include <httplib.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <latch>
#include <map>
#include <thread>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/mutex.h"
#include "server/http/connection.h"
#include "server/http/elastic_pool.h"
#include "server/http/fields.h"

namespace perdure {
namespace {

bool MayHaveBody(const std::string& method) {
  return method == "POST" || method == "PUT" || method == "PATCH" || method == "DELETE";
}

HttpResponse Closing(Code code, std::string message) {
  HttpResponse response = ErrorResponse(Error{code, std::move(message), {}, {}});
  response.close = true;
  return response;
}

HttpResponse TooLarge(std::size_t bytes_max) {
  return ErrorResponse(Error{
      Code::kTooLarge, fmt::format("the body is over the maximum of {} bytes", bytes_max), {}, {}});
}

class QueueOnPool final : public httplib::TaskQueue {
 public:
  explicit QueueOnPool(ElasticPool& pool) : pool_(pool) {}
  void enqueue(std::function<void()> task) override { pool_.Submit(std::move(task)); }
  void shutdown() override { pool_.Shutdown(); }

 private:
  ElasticPool& pool_;
};

// What httplib reads and writes. The local port it reports is the file descriptor, by which the
// handlers find their connection again.
class ConnectionStream final : public httplib::Stream {
 public:
  ConnectionStream(Connection& connection, int fd) : connection_(connection), fd_(fd) {}

  bool is_readable() const override { return true; }
  bool is_writable() const override { return !connection_.IsPeerGone(); }
  ssize_t read(char* bytes, std::size_t size) override { return connection_.Read(bytes, size); }
  ssize_t write(const char* bytes, std::size_t size) override {
    return connection_.Write({bytes, size}) ? static_cast<ssize_t>(size) : -1;
  }
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    sockaddr_storage address{};
    socklen_t size = sizeof(address);
    std::array<char, NI_MAXHOST> host{};
    port = 0;
    if (getpeername(fd_, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
        getnameinfo(reinterpret_cast<sockaddr*>(&address), size, host.data(), host.size(), nullptr,
                    0, NI_NUMERICHOST) == 0) {
      ip = host.data();
    }
  }
  void get_local_ip_and_port(std::string&, int& port) const override { port = fd_; }
  socket_t socket() const override { return 0; }  // httplib refuses those beyond FD_SETSIZE

 private:
  Connection& connection_;
  int fd_;
};

// Frames its own chunks (RFC 9112 section 7.1), so that nothing of a stream is httplib's but
// sending.
class SinkStream final : public HttpStream {
 public:
  SinkStream(httplib::DataSink& sink, Connection& connection)
      : sink_(sink), connection_(connection) {}
  bool Write(std::string_view bytes) override {
    return bytes.empty() || Send(fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes));
  }
  void End() { Send("0\r\n\r\n"); }
  bool Wait(std::chrono::milliseconds time) override { return connection_.Wait(time); }
  bool IsStopping() const override { return connection_.IsStopping(); }

 private:
  bool Send(std::string_view bytes) { return sink_.write(bytes.data(), bytes.size()); }

  httplib::DataSink& sink_;
  Connection& connection_;
};

}  // namespace

class HttpTransport::Impl final : public httplib::Server {
 public:
  Impl(TransportOptions options, TransportHandlers handlers)
      : options_(std::move(options)),
        handlers_(std::move(handlers)),
        pool_({.threads_max = options_.threads_max, .waiting_max = limits::kHttpWaitingMax}),
        stop_fd_(eventfd(0, EFD_CLOEXEC)) {
    PERDURE_CHECK(stop_fd_ >= 0);
    new_task_queue = [this] {  // which httplib calls once, when it is about to accept
      accepts_.count_down();
      return std::make_unique<QueueOnPool>(pool_).release();
    };
    Configure();
  }

  ~Impl() override {
    Stop();
    close(stop_fd_);
  }

  Status Start();
  void Stop();
  int port() const { return port_; }
  std::size_t Threads() const { return pool_.Threads(); }

 private:
  bool process_and_close_socket(socket_t fd) override;

  void Configure();
  HttpResponse Serve(const httplib::Request& from, Connection& connection,
                     const httplib::ContentReader* reader);
  HttpResponse ServeBody(HttpRequest& request, const BodyLength& length,
                         const httplib::ContentReader& reader);
  void Send(HttpResponse response, Connection& connection, httplib::Response& to);
  Connection& Find(const httplib::Request& request);

  const TransportOptions options_;
  const TransportHandlers handlers_;
  ElasticPool pool_;
  const int stop_fd_;
  int listening_fd_ = -1;
  int port_ = 0;
  Mutex mutex_;
  std::map<int, Connection*> connections_ GUARDED_BY(mutex_);  // by file descriptor
  std::latch accepts_{1};
  std::jthread accepting_;
};

void HttpTransport::Impl::Configure() {
  // Only announced in a header; the connection keeps its own time.
  set_keep_alive_timeout(std::chrono::ceil<std::chrono::seconds>(options_.keep_alive).count());
  set_keep_alive_max_count(1'000'000);
  set_socket_options([this](socket_t fd) {
    // Not httplib's SO_REUSEPORT, which would let two servers share one port unawares.
    const int yes = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    listening_fd_ = fd;
  });
  set_pre_routing_handler([this](const httplib::Request& from, httplib::Response& to) {
    Connection& connection = Find(from);
    if (from.path.size() > limits::kHttpPathBytesMax) {
      HttpResponse response = Closing(Code::kInvalidArgument, "the path is too long");
      response.status = 414;
      Send(std::move(response), connection, to);
      return HandlerResponse::Handled;
    }
    if (MayHaveBody(from.method)) return HandlerResponse::Unhandled;
    Send(Serve(from, connection, nullptr), connection, to);
    return HandlerResponse::Handled;
  });
  const auto with_body = [this](const httplib::Request& from, httplib::Response& to,
                                const httplib::ContentReader& reader) {
    Connection& connection = Find(from);
    Send(Serve(from, connection, &reader), connection, to);
  };
  constexpr const char* kAnyPath = "[\\s\\S]*";
  Post(kAnyPath, with_body);
  Put(kAnyPath, with_body);
  Patch(kAnyPath, with_body);
  Delete(kAnyPath, with_body);
  set_error_handler(HandlerWithResponse([](const httplib::Request&, httplib::Response& to) {
    if (!to.body.empty()) return HandlerResponse::Unhandled;
    const HttpResponse response = ErrorResponse(
        Error{Code::kInvalidArgument, "this is not an acceptable HTTP/1.1 request", {}, {}});
    to.set_content(response.body, response.content_type);
    return HandlerResponse::Handled;
  }));
  set_exception_handler(
      [this](const httplib::Request& from, httplib::Response& to, std::exception_ptr) {
        Send(Closing(Code::kInternal, "the request failed for a reason nobody foresaw"), Find(from),
             to);
      });
}

Status HttpTransport::Impl::Start() {
  if (options_.port == 0) {
    port_ = bind_to_any_port(options_.host);
  } else {
    port_ = bind_to_port(options_.host, options_.port) ? options_.port : -1;
  }
  if (port_ <= 0) {
    return Fail(Code::kUnavailable,
                fmt::format("cannot listen on {}:{}: is another server running there?",
                            options_.host, options_.port));
  }
  // httplib listens with a backlog of 5 compiled in; a second listen(2) sets another.
  if (::listen(listening_fd_, limits::kHttpBacklog) != 0) {
    return Fail(Code::kUnavailable, "the socket does not listen");
  }
  accepting_ = std::jthread([this] { listen_after_bind(); });
  accepts_.wait();
  return {};
}

void HttpTransport::Impl::Stop() {
  if (!accepting_.joinable()) return;
  const std::uint64_t one = 1;
  PERDURE_CHECK(write(stop_fd_, &one, sizeof(one)) == sizeof(one));
  stop();
  accepting_.join();
}

bool HttpTransport::Impl::process_and_close_socket(socket_t fd) {
  Connection connection(fd, stop_fd_,
                        {.write = options_.write_timeout,
                         .pressed = options_.pressed_timeout,
                         .is_wanted_elsewhere = [this] { return pool_.HasWaiting(); }});
  {
    const MutexLock lock(mutex_);
    connections_[fd] = &connection;
  }
  ConnectionStream stream(connection, fd);
  while (connection.AwaitRequest(options_.keep_alive)) {
    connection.BeginHead(options_.header_bytes_max, options_.head_timeout);
    bool closes = false;
    const bool is_answered = process_request(stream, false, closes, [&](httplib::Request& request) {
      connection.BeginBody(options_.body_bytes_max * limits::kHttpWireFactor,
                           options_.body_timeout);
      request.ranges.clear();
      request.headers.erase("Accept-Encoding");  // compressing for loopback costs more
    });
    if (connection.InHead()) connection.CloseAfterResponse();
    if (!connection.Flush() || !is_answered || closes || connection.closes()) break;
  }
  if (connection.closes()) connection.Linger();
  {
    const MutexLock lock(mutex_);
    connections_.erase(fd);
  }
  close(fd);
  return true;
}

Connection& HttpTransport::Impl::Find(const httplib::Request& request) {
  const MutexLock lock(mutex_);
  return *connections_.at(request.local_port);
}

HttpResponse HttpTransport::Impl::Serve(const httplib::Request& from, Connection& connection,
                                        const httplib::ContentReader* reader) {
  auto fields = ParseFields(connection.head());
  if (!fields) return Closing(fields.error().code, fields.error().message);
  const auto length = ReadBodyLength(*fields);
  if (!length) return Closing(length.error().code, length.error().message);
  const bool has_body = length->is_chunked || length->bytes > 0;
  if (has_body && reader == nullptr) {
    return Closing(Code::kInvalidArgument, fmt::format("a {} takes no body", from.method));
  }
  if (has_body && from.is_multipart_form_data()) {
    HttpResponse response = Closing(Code::kInvalidArgument, "multipart is not taken: send JSON");
    response.status = 415;
    return response;
  }
  HttpRequest request;
  request.method = from.method;
  request.target = from.target;
  request.headers = std::move(*fields);
  request.remote_address = from.remote_addr;
  if (const auto read = ReadTarget(request); !read) {
    return Closing(read.error().code, read.error().message);
  }
  if (has_body) return ServeBody(request, *length, *reader);
  if (auto refusal = handlers_.admit(request)) return std::move(*refusal);
  return handlers_.handle(request);
}

HttpResponse HttpTransport::Impl::ServeBody(HttpRequest& request, const BodyLength& length,
                                            const httplib::ContentReader& reader) {
  std::optional<HttpResponse> refusal = handlers_.admit(request);
  const bool is_admitted = !refusal;
  const std::size_t dropped_max = options_.body_bytes_max * limits::kHttpDroppedFactor;
  std::size_t total = 0;
  bool is_whole = false;
  // Lines of chunks have no maximum of their own in httplib, so a stranger's are not read at all.
  if (length.bytes <= dropped_max && (is_admitted || !length.is_chunked)) {
    is_whole = reader([&](const char* bytes, std::size_t size) {
      total += size;
      if (total > options_.body_bytes_max) request.body = {};
      if (is_admitted && total <= options_.body_bytes_max) request.body.append(bytes, size);
      return total <= dropped_max;
    });
  }
  if (is_admitted) {
    if (std::max<std::uint64_t>(total, length.bytes) > options_.body_bytes_max) {
      refusal = TooLarge(options_.body_bytes_max);
    } else if (!is_whole) {
      refusal = Closing(Code::kInvalidArgument,
                        "the body does not arrive whole: its length, chunks or encoding are wrong, "
                        "or it took too long");
    } else {
      return handlers_.handle(request);
    }
    handlers_.refused(request, *refusal);
  }
  if (!is_whole) refusal->close = true;
  return std::move(*refusal);
}

void HttpTransport::Impl::Send(HttpResponse response, Connection& connection,
                               httplib::Response& to) {
  to.status = response.status;
  to.headers.clear();
  for (const auto& [name, value] : response.headers) to.set_header(name, value);
  if (response.close) {
    to.set_header("Connection", "close");
    connection.CloseAfterResponse();
  }
  if (response.stream) {
    const auto run = std::make_shared<std::function<void(HttpStream&)>>(response.stream);
    to.set_header("Transfer-Encoding", "chunked");
    to.set_content_provider(response.content_type,
                            [run, &connection](std::size_t, httplib::DataSink& sink) {
                              connection.set_streaming();
                              SinkStream stream(sink, connection);
                              (*run)(stream);
                              stream.End();
                              sink.done();
                              connection.CloseAfterResponse();
                              return true;
                            });
  } else if (!response.body.empty()) {
    to.set_content(std::move(response.body), response.content_type);
  }
}

HttpTransport::HttpTransport(TransportOptions options, TransportHandlers handlers)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(handlers))) {}
HttpTransport::~HttpTransport() = default;

Status HttpTransport::Start() { return impl_->Start(); }
void HttpTransport::Stop() { impl_->Stop(); }
int HttpTransport::port() const { return impl_->port(); }
std::size_t HttpTransport::Threads() const { return impl_->Threads(); }

}  // namespace perdure
