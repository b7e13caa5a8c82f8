// Threads for connections: as many as are busy, never more than a maximum.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <thread>

#include "engine/base/mutex.h"

namespace perdure {

// A task that finds every thread busy gets a new one until `threads_max` run; then it waits its
// turn, and Submit blocks while `waiting_max` tasks wait already, so that pressure goes back to
// whoever submits. A thread without work for `idle` ends. Thread-safe.
class ElasticPool {
 public:
  struct Options {
    std::size_t threads_max = 1;
    std::size_t waiting_max = 1;
    std::chrono::milliseconds idle{10'000};
  };

  explicit ElasticPool(Options options) : options_(options) {}
  ~ElasticPool() { Shutdown(); }
  ElasticPool(const ElasticPool&) = delete;
  ElasticPool& operator=(const ElasticPool&) = delete;

  // Not to be called after Shutdown.
  void Submit(std::function<void()> task);

  // Runs what was submitted and returns when every thread has ended.
  void Shutdown();

  bool HasWaiting() const;  // a task waits although every thread runs one
  std::size_t Threads() const;

 private:
  void Work(std::list<std::jthread>::iterator self);
  void JoinFinished() REQUIRES(mutex_);  // which is let go meanwhile

  const Options options_;
  mutable Mutex mutex_;
  CondVar work_;   // a task came, or the end
  CondVar space_;  // a task was taken, or a thread ended
  std::deque<std::function<void()>> waiting_ GUARDED_BY(mutex_);
  std::list<std::jthread> threads_ GUARDED_BY(mutex_);  // running
  // About to return, to be joined by another thread.
  std::list<std::jthread> finished_ GUARDED_BY(mutex_);
  std::size_t idle_threads_ GUARDED_BY(mutex_) = 0;
  bool ending_ GUARDED_BY(mutex_) = false;
};

}  // namespace perdure
