#include "tools/source/folder_watch.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

namespace perdure {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A file that is being written counts when it is closed; one that is replaced, when it is moved.
constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
                                  IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF |
                                  IN_ONLYDIR;
constexpr int kPatienceFactor = 5;

milliseconds Until(Clock::time_point end) {
  return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(end - Clock::now()));
}

}  // namespace

Result<FolderWatch> FolderWatch::Open() {
  const int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (fd >= 0) return FolderWatch(fd);
  return Fail(Code::kUnavailable,
              fmt::format("Folders cannot be watched: {}. fs.inotify.max_user_instances may be too "
                          "small.",
                          std::strerror(errno)));
}

FolderWatch::~FolderWatch() {
  if (fd_ >= 0) close(fd_);
}

FolderWatch::FolderWatch(FolderWatch&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), watches_(std::move(other.watches_)) {}

Status FolderWatch::Follow(const std::string& root, const std::vector<std::string>& folders) {
  std::set<std::string> wanted;
  for (const std::string& folder : folders) {
    wanted.insert(folder.empty() ? root : root + "/" + folder);
  }
  for (auto at = watches_.begin(); at != watches_.end();) {
    if (wanted.contains(at->first)) {
      ++at;
      continue;
    }
    inotify_rm_watch(fd_, at->second);  // fails where the folder took its watch along
    at = watches_.erase(at);
  }
  // Known ones again, too: another folder may have their name by now.
  for (const std::string& path : wanted) {
    const int watch = inotify_add_watch(fd_, path.c_str(), kEvents);
    if (watch >= 0) {
      watches_[path] = watch;
    } else if (errno == ENOSPC || errno == ENOMEM) {
      return Fail(Code::kUnavailable, fmt::format("{} folders are too many to be watched: raise "
                                                  "fs.inotify.max_user_watches.",
                                                  wanted.size()));
    }
  }
  return {};
}

Woken FolderWatch::Wait(milliseconds quiet, milliseconds patience, int stop_fd) {
  Woken woken = Poll(patience, stop_fd);
  if (woken != Woken::kChange) return woken;
  const auto end = Clock::now() + quiet * kPatienceFactor;
  while (woken == Woken::kChange && Clock::now() < end) {
    Drain();
    woken = Poll(std::min(quiet, Until(end)), stop_fd);
  }
  return woken == Woken::kStop ? woken : Woken::kChange;
}

Woken FolderWatch::Poll(milliseconds patience, int stop_fd) const {
  const auto end = Clock::now() + patience;
  while (true) {
    std::array<pollfd, 2> waits = {pollfd{fd_, POLLIN, 0}, pollfd{stop_fd, POLLIN, 0}};
    const int ready = poll(waits.data(), waits.size(), static_cast<int>(Until(end).count()));
    if (ready < 0 && errno == EINTR && Clock::now() < end) continue;
    if (ready > 0 && waits[1].revents != 0) return Woken::kStop;
    return ready > 0 ? Woken::kChange : Woken::kTime;
  }
}

void FolderWatch::Drain() {
  std::array<char, 65'536> events;
  while (read(fd_, events.data(), events.size()) > 0) {
  }
}

}  // namespace perdure
