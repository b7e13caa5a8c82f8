// Says when something in a folder, or below it, may have changed. Inotify: nothing is polled.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace perdure {

enum class Woken { kChange, kTime, kStop };

class FolderWatch {
 public:
  static Result<FolderWatch> Open();
  ~FolderWatch();
  FolderWatch(FolderWatch&& other) noexcept;
  FolderWatch& operator=(FolderWatch&&) = delete;

  // Watches exactly these folders of the root from now on ("" is the root). What happens in one
  // after this has returned is seen by Wait. One that is gone is passed over; kUnavailable when the
  // system gives no more watches, with the setting to raise.
  Status Follow(const std::string& root, const std::vector<std::string>& folders);

  // Returns kChange when something happened and nothing more did for `quiet`, or five times that is
  // over since the first of it; kTime when `patience` is over; kStop when `stop_fd` is readable.
  Woken Wait(std::chrono::milliseconds quiet, std::chrono::milliseconds patience, int stop_fd);

 private:
  explicit FolderWatch(int fd) : fd_(fd) {}
  Woken Poll(std::chrono::milliseconds patience, int stop_fd) const;
  void Drain();

  int fd_;
  std::map<std::string, int> watches_;  // by absolute path
};

}  // namespace perdure
