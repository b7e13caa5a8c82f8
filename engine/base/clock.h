// The time, handed in, so that tests and replays decide what it is.
#pragma once

#include "engine/base/time.h"

namespace perdure {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Micros Now() = 0;  // may step back, as wall clocks do; callable from any thread
  // Time since the machine started, its sleep included; nobody can set it.
  virtual Micros SinceBoot() = 0;
};

class SystemClock final : public Clock {
 public:
  Micros Now() override;
  Micros SinceBoot() override;
};

}  // namespace perdure
