#include "engine/base/clock.h"

#include <chrono>

namespace perdure {

Micros SystemClock::Now() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count();
}

}  // namespace perdure
