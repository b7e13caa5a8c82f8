// A clock that a test sets.
#pragma once

#include <atomic>

#include "engine/base/clock.h"

namespace perdure::testing {

class FakeClock final : public Clock {
 public:
  explicit FakeClock(Micros now = 1'700'000'000'000'000) : now_(now) {}  // 2023-11-14
  Micros Now() override { return now_; }
  void Set(Micros now) { now_ = now; }
  void Advance(Micros by) { now_ += by; }

 private:
  std::atomic<Micros> now_;
};

}  // namespace perdure::testing
