// The background scrub: reads each log and its payloads again and again, slowly, as `perdure log
// verify` does, so that a damaged entry is found while backups from before it still exist.
//
// A thread of its own at the lowest priority. Writers and readers never wait for it, and it holds
// no view of the store between two steps. It repairs nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/base/result.h"
#include "engine/engine.h"

namespace perdure {

struct ScrubOptions {
  int days = 7;  // one pass over everything in so many days; at least 1
  // The pace where `days` leaves time; a pass that needs more to be done in time takes more.
  double entries_per_second = 100;
  double bytes_per_second = 1 << 20;
  // Called from the scrub's thread with the space's name and what is wrong, once for each finding.
  std::function<void(const std::string& space, const std::string& problem)> on_finding;
};

struct ScrubStatus {
  std::uint64_t entries = 0;                    // checked since the start, of all passes
  std::uint64_t findings = 0;                   // since the start
  std::uint64_t passes = 0;                     // completed
  Micros last_pass = 0;                         // when the last one ended; 0: none yet
  std::map<std::string, std::string> problems;  // as of the last look, by the name of the space
};

class Scrub {
 public:
  // `engine` must outlive it.
  Scrub(const Engine& engine, ScrubOptions options);
  ~Scrub();  // at once, wherever it is

  ScrubStatus Status() const;

  Scrub(const Scrub&) = delete;
  Scrub& operator=(const Scrub&) = delete;

 private:
  void Run();
  void CheckSpace(const SpaceInfo& space);
  void Report(const SpaceInfo& space, const std::string& problem);
  bool Pause(std::chrono::duration<double> time);  // false when stopping

  const Engine& engine_;
  const ScrubOptions options_;
  double entries_per_second_ = 0;  // of the pass under way
  double bytes_per_second_ = 0;

  mutable Mutex mutex_;
  CondVar stopped_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  ScrubStatus status_ GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace perdure
