// Calls a function every so often, on a thread of its own, until it goes.
#pragma once

#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "engine/base/mutex.h"

namespace perdure {

class Ticker {
 public:
  Ticker(std::chrono::milliseconds every, std::function<void()> call)
      : every_(every), call_(std::move(call)), thread_([this] { Run(); }) {}
  // Waits for a call under way.
  ~Ticker() {
    {
      const MutexLock lock(mutex_);
      stopping_ = true;
    }
    stopped_.NotifyAll();
    thread_.join();
  }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  void Run() {
    const MutexLock lock(mutex_);
    while (!stopped_.WaitFor(mutex_, every_, [this]() REQUIRES(mutex_) { return stopping_; })) {
      const MutexUnlock unlocked(mutex_);
      call_();
    }
  }

  const std::chrono::milliseconds every_;
  const std::function<void()> call_;
  Mutex mutex_;
  CondVar stopped_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace perdure
