// A shared mutex that starves nobody: whoever waits holds the gate that all others pass first.
// std::shared_mutex lets readers overtake a waiting writer for ever.
#pragma once

#include <mutex>
#include <shared_mutex>

namespace perdure {

class FairSharedMutex {
 public:
  void lock() {
    const std::lock_guard gate(gate_);
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }
  void lock_shared() {
    const std::lock_guard gate(gate_);
    mutex_.lock_shared();
  }
  void unlock_shared() { mutex_.unlock_shared(); }

 private:
  std::mutex gate_;
  std::shared_mutex mutex_;
};

}  // namespace perdure
