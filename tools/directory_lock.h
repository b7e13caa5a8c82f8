// Who has a data directory open: DIR/lock, held by flock(2) for the life of the process.
//
//   content := '{"pid": N, "verb": "serve"}' or, once it takes calls,
//              '{"pid": N, "verb": "serve", "host": "127.0.0.1", "port": 7411}'
//
// The kernel gives the lock back when a process dies, so what the file says counts only while the
// lock is held.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "engine/base/result.h"

namespace perdure {

struct LockHolder {
  pid_t pid = 0;
  std::string verb;
  std::string host;
  int port = 0;  // 0: it takes no calls

  bool TakesCalls() const { return port != 0; }
  std::string Address() const;  // "http://127.0.0.1:7411", IPv6 in brackets
  std::string Name() const;     // "process 17 (perdure serve) at http://127.0.0.1:7411"
};

class DirectoryLock {
 public:
  struct Attempt;
  // Waits up to `patience` for a holder to leave, but not for one that takes calls: it will stay.
  static Result<Attempt> Acquire(const std::string& data_dir, const std::string& verb,
                                 std::chrono::milliseconds patience);
  ~DirectoryLock();
  DirectoryLock(DirectoryLock&& other) noexcept;
  DirectoryLock& operator=(DirectoryLock&&) = delete;

  // From now on others are sent to this address.
  Status Announce(const std::string& host, int port);

 private:
  DirectoryLock(int fd, std::string verb);
  Status Write(const LockHolder& holder);

  int fd_;
  std::string verb_;
};

struct DirectoryLock::Attempt {
  std::optional<DirectoryLock> lock;  // empty when somebody else holds it
  LockHolder holder;                  // then: who
};

// For work on the files that nobody may be in the middle of. kUnavailable names who has them open.
Result<DirectoryLock> LockAlone(const std::string& data_dir, const std::string& verb);

}  // namespace perdure
