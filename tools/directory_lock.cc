#include "tools/directory_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "server/api/json.h"

namespace perdure {
namespace {

constexpr std::chrono::seconds kAlonePatience{2};

using Json = nlohmann::json;

constexpr std::chrono::milliseconds kRetry{20};

std::string LockPath(const std::string& data_dir) { return data_dir + "/lock"; }

std::unexpected<Error> SystemFailure(const std::string& what) {
  return Fail(Code::kUnavailable, fmt::format("{}: {}.", what, std::strerror(errno)));
}

LockHolder ReadHolder(int fd) {
  std::array<char, 512> buffer{};
  const ssize_t size = pread(fd, buffer.data(), buffer.size(), 0);
  LockHolder holder;
  if (size <= 0) return holder;
  const auto json = ParseJson({buffer.data(), static_cast<std::size_t>(size)});
  if (!json || !json->is_object()) return holder;  // just being written
  const auto number = [&](const char* name) {
    const auto at = json->find(name);
    return at != json->end() && at->is_number_integer() ? at->get<int>() : 0;
  };
  const auto text = [&](const char* name) {
    const auto at = json->find(name);
    return at != json->end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  holder.pid = number("pid");
  holder.verb = text("verb");
  holder.host = text("host");
  holder.port = number("port");
  return holder;
}

}  // namespace

std::string LockHolder::Address() const {
  const bool is_ipv6 = host.contains(':');
  return is_ipv6 ? fmt::format("http://[{}]:{}", host, port)
                 : fmt::format("http://{}:{}", host, port);
}

std::string LockHolder::Name() const {
  if (pid == 0) return "another process";
  return TakesCalls() ? fmt::format("process {} (perdure {}) at {}", pid, verb, Address())
                      : fmt::format("process {} (perdure {})", pid, verb);
}

DirectoryLock::DirectoryLock(int fd, std::string verb) : fd_(fd), verb_(std::move(verb)) {}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), verb_(std::move(other.verb_)) {}

DirectoryLock::~DirectoryLock() {
  if (fd_ < 0) return;
  static_cast<void>(ftruncate(fd_, 0));
  close(fd_);  // and with it the lock
}

Result<DirectoryLock::Attempt> DirectoryLock::Acquire(const std::string& data_dir,
                                                      const std::string& verb,
                                                      std::chrono::milliseconds patience) {
  const std::string path = LockPath(data_dir);
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return SystemFailure(fmt::format("The lock file {} cannot be opened", path));
  DirectoryLock lock(fd, verb);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const bool is_taken = errno == EWOULDBLOCK;
    const LockHolder holder = is_taken ? ReadHolder(fd) : LockHolder();
    if (is_taken && !holder.TakesCalls() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(kRetry);
      continue;
    }
    close(std::exchange(lock.fd_, -1));
    if (!is_taken) return SystemFailure(fmt::format("{} cannot be locked", path));
    return Attempt{std::nullopt, holder};
  }
  RETURN_IF_ERROR(lock.Write({getpid(), verb, {}, 0}));
  return Attempt{std::move(lock), {}};
}

Status DirectoryLock::Announce(const std::string& host, int port) {
  return Write({getpid(), verb_, host, port});
}

Status DirectoryLock::Write(const LockHolder& holder) {
  Json json = {{"pid", holder.pid}, {"verb", holder.verb}};
  if (holder.TakesCalls()) {
    json["host"] = holder.host;
    json["port"] = holder.port;
  }
  const std::string text = DumpJson(json) + "\n";
  if (ftruncate(fd_, 0) != 0 ||
      pwrite(fd_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    return SystemFailure("The lock file cannot be written");
  }
  return {};
}

Result<DirectoryLock> LockAlone(const std::string& data_dir, const std::string& verb) {
  ASSIGN_OR_RETURN(auto attempt, DirectoryLock::Acquire(data_dir, verb, kAlonePatience));
  if (attempt.lock) return std::move(*attempt.lock);
  return Fail(Code::kUnavailable,
              fmt::format("{} has {} open: stop it first.", attempt.holder.Name(), data_dir));
}

}  // namespace perdure
