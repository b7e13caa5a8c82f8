// Threads for connections: as many as are busy, never more than a maximum.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

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
  void JoinFinished(std::unique_lock<std::mutex>& lock);

  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable work_;   // a task came, or the end
  std::condition_variable space_;  // a task was taken, or a thread ended
  std::deque<std::function<void()>> waiting_;
  std::list<std::jthread> threads_;   // running
  std::list<std::jthread> finished_;  // about to return, to be joined by another thread
  std::size_t idle_threads_ = 0;
  bool ending_ = false;
};

}  // namespace perdure
