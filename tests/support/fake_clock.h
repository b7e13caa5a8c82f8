// A clock that a test sets.
#pragma once

#include <atomic>

#include "engine/base/clock.h"

namespace perdure::testing {

class FakeClock final : public Clock {
 public:
  explicit FakeClock(Micros now = 1'700'000'000'000'000) : now_(now) {}  // 2023-11-14
  Micros Now() override { return now_; }
  Micros SinceBoot() override { return since_boot_; }
  void Set(Micros now) { now_ = now; }  // the wall clock alone
  void Advance(Micros by) {
    since_boot_ += by;
    now_ += by;
  }

 private:
  std::atomic<Micros> now_;
  std::atomic<Micros> since_boot_ = 0;
};

}  // namespace perdure::testing
