#include "server/http/connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "engine/base/front_limits.h"

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

bool Connection::AwaitRequest(Milliseconds keep_alive) {
  if (in_begin_ < in_.size()) return !IsStopping();
  const auto deadline = Clock::now() + keep_alive;
  while (Clock::now() < deadline) {
    switch (AwaitReadable(std::min(deadline, Clock::now() + kIdleStep))) {
      case Ready::kReadable:
        return true;
      case Ready::kStopping:
        return false;
      case Ready::kTimeout:
        if (patience_.is_wanted_elsewhere()) return false;
    }
  }
  return false;
}

void Connection::BeginHead(std::size_t bytes_max, Milliseconds timeout) {
  head_.clear();
  in_head_ = true;
  BeginPart(bytes_max, timeout);
}

void Connection::BeginBody(std::size_t bytes_max, Milliseconds timeout) {
  in_head_ = false;
  BeginPart(bytes_max, timeout);
}

void Connection::BeginPart(std::size_t bytes_max, Milliseconds timeout) {
  part_bytes_left_ = bytes_max;
  deadline_ = Clock::now() + timeout;
  pressed_deadline_ = Clock::now() + patience_.pressed;
}

// Threads are few, so whoever dawdles with one must not keep it from those who wait.
bool Connection::AwaitBytes() const {
  while (true) {
    const auto now = Clock::now();
    if (now >= deadline_) return false;
    if (now >= pressed_deadline_ && patience_.is_wanted_elsewhere()) return false;
    const auto ready = AwaitReadable(std::min(deadline_, now + kIdleStep));
    if (ready != Ready::kTimeout) return ready == Ready::kReadable;
  }
}

ssize_t Connection::Read(char* bytes, std::size_t size) {
  while (in_begin_ == in_.size()) {
    if (!Flush() || !AwaitBytes()) return -1;
    in_.resize(kBufferBytes);
    const ssize_t count = recv(fd_, in_.data(), in_.size(), MSG_DONTWAIT);
    in_.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    in_begin_ = 0;
    if (count == 0) return 0;
    if (count < 0 && errno != EINTR && errno != EAGAIN) return -1;
  }
  const std::size_t count = std::min(size, in_.size() - in_begin_);
  if (count > part_bytes_left_) return -1;
  part_bytes_left_ -= count;
  std::memcpy(bytes, in_.data() + in_begin_, count);
  if (in_head_) head_.append(bytes, count);
  in_begin_ += count;
  return static_cast<ssize_t>(count);
}

bool Connection::AwaitWritable() const {
  const auto begin = Clock::now();
  while (true) {
    pollfd writable = {fd_, POLLOUT, 0};
    const int count = poll(&writable, 1, static_cast<int>(kIdleStep.count()));
    if (count > 0) return true;
    if (count < 0 && errno != EINTR) return false;
    const auto waited = Clock::now() - begin;
    if (waited >= patience_.write) return false;
    if (waited >= patience_.pressed && patience_.is_wanted_elsewhere()) return false;
  }
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
    if ((errno != EAGAIN && errno != EWOULDBLOCK) || !AwaitWritable()) {
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
  Flush();
  shutdown(fd_, SHUT_WR);
  const auto deadline = Clock::now() + kLingerMax;
  std::string dropped(kBufferBytes, '\0');
  std::size_t total = 0;
  while (total < limits::kHttpLingerBytesMax && AwaitReadable(deadline) == Ready::kReadable) {
    const ssize_t count = recv(fd_, dropped.data(), dropped.size(), MSG_DONTWAIT);
    if (count <= 0) return;
    total += static_cast<std::size_t>(count);
  }
}

}  // namespace perdure
