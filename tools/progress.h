// Signs of life during long work, on standard error and only when that is a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "engine/base/mutex.h"

namespace perdure {

// A bar for work whose length is known. Clears itself at the end.
class ProgressBar {
 public:
  ProgressBar(std::string label, std::uint64_t total);
  ~ProgressBar();
  void Update(std::uint64_t done);  // cheap to call often

 private:
  const std::string label_;
  const std::uint64_t total_;
  const bool is_shown_;
  std::chrono::steady_clock::time_point last_shown_;
  bool is_drawn_ = false;
};

// Counts the seconds of work whose length is not known.
class Stopwatch {
 public:
  explicit Stopwatch(std::string label);
  ~Stopwatch();

 private:
  void Run(const std::stop_token& stop);

  const std::string label_;
  Mutex mutex_;
  StoppableCondVar ended_;
  std::jthread thread_;
};

}  // namespace perdure
