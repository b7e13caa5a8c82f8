#include "server/http/client.h"

#include <fmt/format.h>
#include <httplib.h>

#include <exception>
#include <utility>

namespace perdure {
namespace {

bool IsUnreserved(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || std::string_view("-._~").contains(letter);
}

bool WasNeverSent(httplib::Error error) {
  return error == httplib::Error::Connection || error == httplib::Error::ConnectionTimeout ||
         error == httplib::Error::BindIPAddress;
}

httplib::Request ToLibrary(const ClientRequest& request) {
  httplib::Request out;
  out.method = request.method;
  out.path = request.target;
  for (const auto& [name, value] : request.headers) out.set_header(name, value);
  out.body = request.body;
  if (!request.body.empty()) out.set_header("Content-Type", request.content_type);
  return out;
}

}  // namespace

std::string PercentEncode(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (IsUnreserved(letter)) {
      out += letter;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
    }
  }
  return out;
}

class HttpClient::Impl {
 public:
  explicit Impl(Options options)
      : options_(std::move(options)), client_(options_.host, options_.port) {
    client_.set_keep_alive(true);
    client_.set_tcp_nodelay(true);
    client_.set_url_encode(false);
    client_.set_follow_location(false);
    client_.set_connection_timeout(options_.connect_timeout);
    client_.set_read_timeout(options_.read_timeout);
    client_.set_write_timeout(options_.connect_timeout);
  }

  Result<ClientReply> Send(const httplib::Request& request) try {
    const httplib::Result result = client_.send(request);
    if (!result) return Unreachable(result.error());
    return ClientReply{result->status,
                       result->get_header_value("Content-Type"),
                       result->body,
                       {result->headers.begin(), result->headers.end()}};
  } catch (const std::exception& failure) {
    return Fail(Code::kUnavailable, fmt::format("The call failed: {}.", failure.what()));
  }

  void Stop() { client_.stop(); }

 private:
  std::unexpected<Error> Unreachable(httplib::Error error) const {
    auto failed = Fail(Code::kUnavailable,
                       fmt::format("The server at {}:{} does not answer ({}).", options_.host,
                                   options_.port, httplib::to_string(error)));
    failed.error().details.emplace_back("sent", WasNeverSent(error) ? "no" : "maybe");
    return failed;
  }

  const Options options_;
  httplib::Client client_;
};

HttpClient::HttpClient(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}
HttpClient::~HttpClient() = default;

Result<ClientReply> HttpClient::Send(const ClientRequest& request) {
  return impl_->Send(ToLibrary(request));
}

Result<ClientReply> HttpClient::Stream(const ClientRequest& request, const Receiver& receive) {
  httplib::Request out = ToLibrary(request);
  out.content_receiver = [&](const char* bytes, std::size_t size, std::uint64_t, std::uint64_t) {
    return receive({bytes, size});
  };
  return impl_->Send(out);
}

void HttpClient::Stop() { impl_->Stop(); }

}  // namespace perdure
