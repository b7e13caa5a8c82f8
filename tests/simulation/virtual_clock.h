// Time that passes when the simulation says so. The wall clock jumps; the boot clock does not.
#pragma once

#include <chrono>

#include "engine/base/clock.h"
#include "engine/write/write_queue.h"

namespace perdure::simulation {

class VirtualClock final : public Clock {
 public:
  Micros Now() override { return elapsed_ + offset_; }
  Micros SinceBoot() override { return elapsed_; }
  WriteQueue::Time Steady() const { return WriteQueue::Time(std::chrono::microseconds(elapsed_)); }

  void Advance(Micros by) { elapsed_ += by; }
  void Jump(Micros by) { offset_ += by; }

 private:
  Micros elapsed_ = 0;
  Micros offset_ = 1'700'000'000'000'000;  // 2023-11-14
};

}  // namespace perdure::simulation
