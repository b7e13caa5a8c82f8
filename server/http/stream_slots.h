// A cap on responses that stay open, so that they never take every thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

namespace perdure {

class StreamSlots {
 public:
  explicit StreamSlots(std::size_t max) : max_(max) {}

  // A place that is given back when the last copy of the pointer goes, or null when all are taken.
  // This must outlive the place.
  std::shared_ptr<void> TryAcquire() {
    std::size_t used = used_.load();
    while (used < max_) {
      if (used_.compare_exchange_weak(used, used + 1)) {
        return {this, [](StreamSlots* slots) { slots->used_.fetch_sub(1); }};
      }
    }
    return nullptr;
  }

  std::size_t used() const { return used_.load(); }

 private:
  const std::size_t max_;
  std::atomic<std::size_t> used_ = 0;
};

}  // namespace perdure
