#include "engine/write/refusal_meter.h"

#include <utility>

#include "engine/base/limits.h"

namespace perdure {

std::uint32_t RefusalMeter::Count(const Uuid& principal, Micros now) {
  constexpr Micros kSecond = 1'000'000;
  Window& window = windows_[principal];
  if (now < window.start || now - window.start >= kSecond) {
    window.start = now;
    window.written = 0;
  }
  if (window.written >= limits::kRefusalsPerSecondMax) {
    ++window.excess;
    return 0;
  }
  ++window.written;
  return 1 + std::exchange(window.excess, 0);
}

}  // namespace perdure
