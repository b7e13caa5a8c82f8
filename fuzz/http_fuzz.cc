// Bytes into the server's socket: it answers or hangs up, and still answers the next who asks.
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

#include "engine/base/check.h"
#include "support/fuzz_house.h"
#include "tools/serving.h"

namespace perdure {
namespace {

int ThePort() {
  static std::ofstream log("/dev/null");
  static Serving serving(*fuzz::TheHouse(), {}, log);
  static const int port = [] {
    PERDURE_CHECK(serving.Start().has_value());
    const std::string address = serving.Address();
    return std::stoi(address.substr(address.rfind(':') + 1));
  }();
  return port;
}

int Connect() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(ThePort()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  PERDURE_CHECK(fd >= 0);
  PERDURE_CHECK(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  return fd;
}

// What comes back until the server hangs up, when it hears that nothing more will come.
std::string Exchange(std::string_view bytes) {
  const int fd = Connect();
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) break;  // refused early
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  shutdown(fd, SHUT_WR);
  std::string answer;
  char buffer[4096];
  pollfd readable{fd, POLLIN, 0};
  while (poll(&readable, 1, 5000) == 1) {
    const ssize_t got = recv(fd, buffer, sizeof buffer, 0);
    if (got <= 0) {
      close(fd);
      return answer;
    }
    answer.append(buffer, static_cast<std::size_t>(got));
  }
  close(fd);
  // A subscription's stream goes on for a client that has only stopped to speak.
  if (answer.find("text/event-stream") != std::string::npos) return answer;
  PERDURE_CHECK(!"The server kept a connection open that its client had closed.");
  return answer;
}

void Send(std::string request) {
  // "TOKEN" in an input stands for a real one, so that requests get past the door.
  static const std::string token = fuzz::TheHouse().AgentToken();
  if (const auto at = request.find("TOKEN"); at != std::string::npos) request.replace(at, 5, token);
  const std::string answer = Exchange(request);
  PERDURE_CHECK(answer.empty() || answer.starts_with("HTTP/1."));
  static std::uint64_t runs = 0;
  if (++runs % 64 == 0) {
    const std::string health =
        Exchange("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    PERDURE_CHECK(health.starts_with("HTTP/1.1 200"));
  }
}

}  // namespace
}  // namespace perdure

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  perdure::Send(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
