// Calls a function every so often, on a thread of its own, until it goes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace perdure {

class Ticker {
 public:
  Ticker(std::chrono::milliseconds every, std::function<void()> call)
      : every_(every), call_(std::move(call)), thread_([this] { Run(); }) {}
  // Waits for a call under way.
  ~Ticker() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    stopped_.notify_all();
    thread_.join();
  }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  void Run() {
    std::unique_lock lock(mutex_);
    while (!stopped_.wait_for(lock, every_, [this] { return stopping_; })) {
      lock.unlock();
      call_();
      lock.lock();
    }
  }

  const std::chrono::milliseconds every_;
  const std::function<void()> call_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace perdure
