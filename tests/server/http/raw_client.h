// Bytes to a port and back, for requests that no client library would send.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <string_view>

namespace perdure::testing {

struct RawResponse {
  int status = 0;  // 0: the connection ended instead
  std::string head;
  std::string body;
};

class RawClient {
 public:
  explicit RawClient(int port) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_connected_ = connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~RawClient() { close(fd_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool is_connected() const { return is_connected_; }

  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  // Up to and with `end`; shorter when the peer ends or is silent for half a minute.
  std::string ReadUntil(std::string_view end) {
    while (true) {
      const std::size_t found = in_.find(end);
      if (found != in_.npos) return Take(found + end.size());
      if (!Fill()) return Take(in_.size());
    }
  }

  // One response with a Content-Length.
  RawResponse Read() {
    RawResponse response;
    response.head = ReadUntil("\r\n\r\n");
    if (!response.head.starts_with("HTTP/1.1 ")) return response;
    response.status = std::stoi(response.head.substr(9, 3));
    const std::size_t at = response.head.find("Content-Length: ");
    const std::size_t size =
        at == response.head.npos ? 0 : std::stoul(response.head.substr(at + 16));
    while (in_.size() < size && Fill()) {
    }
    response.body = Take(size);
    return response;
  }

  RawResponse Exchange(std::string_view request) {
    Send(request);
    return Read();
  }

  // Whether the peer ends the connection without a further byte.
  bool IsAtEnd() { return in_.empty() && !Fill(); }

 private:
  bool Fill() {
    constexpr int kPatienceMs = 30'000;
    pollfd readable = {fd_, POLLIN, 0};
    if (poll(&readable, 1, kPatienceMs) <= 0) return false;
    char bytes[4096];
    const ssize_t count = recv(fd_, bytes, sizeof(bytes), 0);
    if (count > 0) in_.append(bytes, static_cast<std::size_t>(count));
    return count > 0;
  }

  std::string Take(std::size_t size) {
    std::string taken = in_.substr(0, size);
    in_.erase(0, size);
    return taken;
  }

  int fd_;
  bool is_connected_ = false;
  std::string in_;
};

}  // namespace perdure::testing
