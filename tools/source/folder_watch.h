// Says when something in a folder, or below it, may have changed. Inotify: nothing is polled.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace perdure {

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

  // Returns true when something happened and nothing more did for `quiet`, or `quiet` * 5 are over
  // since the first of it; false when `patience` is over, or `stop_fd` became readable.
  bool Wait(std::chrono::milliseconds quiet, std::chrono::milliseconds patience, int stop_fd = -1);

 private:
  explicit FolderWatch(int fd) : fd_(fd) {}
  bool Ready(std::chrono::milliseconds patience, int stop_fd) const;
  void Drain();

  int fd_;
  std::map<std::string, int> watches_;  // by absolute path
};

}  // namespace perdure
