#include "engine/base/clock.h"

#include <time.h>

#include <chrono>

namespace perdure {

Micros SystemClock::Now() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count();
}

Micros SystemClock::SinceBoot() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return Micros{now.tv_sec} * 1'000'000 + now.tv_nsec / 1'000;
}

}  // namespace perdure
