#include "server/http/connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace perdure {
namespace {

constexpr std::size_t kBufferBytes = 16 * 1024;
constexpr Connection::Milliseconds kIdleStep{250};

// At least one millisecond, so that a wait in small steps cannot spin.
int MillisecondsUntil(std::chrono::steady_clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count() + 1, 0, 3'600'000));
}

}  // namespace

Connection::Ready Connection::AwaitReadable(Clock::time_point deadline) const {
  while (true) {
    std::array<pollfd, 2> fds = {{{fd_, POLLIN, 0}, {stop_fd_, POLLIN, 0}}};
    const int left = MillisecondsUntil(deadline);
    const int count = poll(fds.data(), fds.size(), left);
    if (count < 0 && errno == EINTR) continue;
    if (fds[1].revents != 0) return Ready::kStopping;
    if (count > 0) return Ready::kReadable;
    if (count == 0 && Clock::now() < deadline) continue;
    return Ready::kTimeout;
  }
}

bool Connection::AwaitRequest(Milliseconds keep_alive,
                              const std::function<bool()>& is_wanted_elsewhere) {
  if (in_begin_ < in_.size()) return !IsStopping();
  const auto deadline = Clock::now() + keep_alive;
  while (Clock::now() < deadline) {
    switch (AwaitReadable(std::min(deadline, Clock::now() + kIdleStep))) {
      case Ready::kReadable:
        return true;
      case Ready::kStopping:
        return false;
      case Ready::kTimeout:
        if (is_wanted_elsewhere()) return false;
    }
  }
  return false;
}

void Connection::BeginHead(std::size_t bytes_max, Milliseconds timeout) {
  head_.clear();
  head_bytes_max_ = bytes_max;
  in_head_ = true;
  deadline_ = Clock::now() + timeout;
}

void Connection::BeginBody(Milliseconds timeout) {
  in_head_ = false;
  deadline_ = Clock::now() + timeout;
}

ssize_t Connection::Read(char* bytes, std::size_t size) {
  while (in_begin_ == in_.size()) {
    if (!Flush() || AwaitReadable(deadline_) != Ready::kReadable) return -1;
    in_.resize(kBufferBytes);
    const ssize_t count = recv(fd_, in_.data(), in_.size(), MSG_DONTWAIT);
    in_.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    in_begin_ = 0;
    if (count == 0) return 0;
    if (count < 0 && errno != EINTR && errno != EAGAIN) return -1;
  }
  const std::size_t count = std::min(size, in_.size() - in_begin_);
  if (in_head_ && head_.size() + count > head_bytes_max_) return -1;
  std::memcpy(bytes, in_.data() + in_begin_, count);
  if (in_head_) head_.append(bytes, count);
  in_begin_ += count;
  return static_cast<ssize_t>(count);
}

bool Connection::Write(std::string_view bytes) {
  out_ += bytes;
  return (!is_streaming_ && out_.size() < kBufferBytes) || Flush();
}

bool Connection::Flush() {
  std::string_view left = out_;
  while (!left.empty()) {
    const ssize_t count = send(fd_, left.data(), left.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      left.remove_prefix(static_cast<std::size_t>(count));
      continue;
    }
    if (errno == EINTR) continue;
    pollfd writable = {fd_, POLLOUT, 0};
    if ((errno != EAGAIN && errno != EWOULDBLOCK) ||
        poll(&writable, 1, static_cast<int>(write_timeout_.count())) <= 0) {
      closes_ = true;
      out_.clear();
      return false;
    }
  }
  out_.clear();
  return true;
}

bool Connection::Wait(Milliseconds time) {
  const auto deadline = Clock::now() + time;
  while (!IsPeerGone()) {
    std::array<pollfd, 2> fds = {{{fd_, POLLRDHUP, 0}, {stop_fd_, POLLIN, 0}}};
    const int count = poll(fds.data(), fds.size(), MillisecondsUntil(deadline));
    if (count > 0) return false;
    if (Clock::now() >= deadline) return true;
  }
  return false;
}

bool Connection::IsPeerGone() const {
  pollfd peer = {fd_, POLLRDHUP, 0};
  return poll(&peer, 1, 0) > 0;
}

bool Connection::IsStopping() const {
  pollfd stop = {stop_fd_, POLLIN, 0};
  return poll(&stop, 1, 0) > 0;
}

void Connection::Linger() {
  constexpr Milliseconds kLingerMax{1000};
  constexpr std::size_t kLingerBytesMax = 64 * 1024 * 1024;
  Flush();
  shutdown(fd_, SHUT_WR);
  const auto deadline = Clock::now() + kLingerMax;
  std::string dropped(kBufferBytes, '\0');
  std::size_t total = 0;
  while (total < kLingerBytesMax && AwaitReadable(deadline) == Ready::kReadable) {
    const ssize_t count = recv(fd_, dropped.data(), dropped.size(), MSG_DONTWAIT);
    if (count <= 0) return;
    total += static_cast<std::size_t>(count);
  }
}

}  // namespace perdure
