// One accepted socket: buffered, with deadlines, woken when the server stops.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace perdure {

// Used by one thread. Does not own the file descriptors.
class Connection {
 public:
  using Milliseconds = std::chrono::milliseconds;

  struct Patience {
    Milliseconds write{10'000};  // for one write to make progress
    Milliseconds pressed{
        2'000};  // for a head, a body or a write while the thread is wanted elsewhere
    std::function<bool()> is_wanted_elsewhere = [] { return false; };  // asked now and then
  };

  // `stop_fd` becomes readable, for good, when the server stops.
  Connection(int fd, int stop_fd, Patience patience)
      : fd_(fd), stop_fd_(stop_fd), patience_(std::move(patience)) {}

  // Waits for the first byte of a request; false after `keep_alive`, at the end of the peer or the
  // server, or when the thread is wanted elsewhere.
  bool AwaitRequest(Milliseconds keep_alive);

  // From here on bytes count as the request's head and are kept for head(): at most `bytes_max`.
  void BeginHead(std::size_t bytes_max, Milliseconds timeout);
  // The head is complete; at most `bytes_max` follow, as they are sent.
  void BeginBody(std::size_t bytes_max, Milliseconds timeout);
  bool InHead() const { return in_head_; }
  const std::string& head() const { return head_; }

  // Bytes read, 0 at the peer's end, -1 past the deadline or the maximum, or when stopping.
  ssize_t Read(char* bytes, std::size_t size);

  // Buffered until Flush, a Read that has to wait, or a full buffer; at once when streaming.
  bool Write(std::string_view bytes);
  bool Flush();
  void set_streaming() { is_streaming_ = true; }

  // For streams: waits until `time` has passed (true), the peer left or the server stops (false).
  bool Wait(Milliseconds time);
  bool IsPeerGone() const;
  bool IsStopping() const;

  void CloseAfterResponse() { closes_ = true; }
  bool closes() const { return closes_; }

  // Gives the peer a moment to read what was sent: a close with unread bytes in the kernel's
  // buffer resets the connection, and the response would be lost.
  void Linger();

 private:
  enum class Ready { kReadable, kTimeout, kStopping };
  using Clock = std::chrono::steady_clock;

  Ready AwaitReadable(Clock::time_point deadline) const;
  bool AwaitBytes() const;     // of a head or a body
  bool AwaitWritable() const;  // room for more of a response
  void BeginPart(std::size_t bytes_max, Milliseconds timeout);

  const int fd_;
  const int stop_fd_;
  const Patience patience_;
  std::string in_;  // read from the socket, not yet asked for from in_begin_ on
  std::size_t in_begin_ = 0;
  std::string out_;
  std::string head_;
  std::size_t part_bytes_left_ = 0;  // of the head or the body
  Clock::time_point deadline_;
  Clock::time_point pressed_deadline_;
  bool in_head_ = false;
  bool is_streaming_ = false;
  bool closes_ = false;
};

}  // namespace perdure
