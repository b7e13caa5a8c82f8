#include "engine/write/refusal_meter.h"

#include <algorithm>
#include <utility>

#include "engine/base/limits.h"

namespace perdure {

RefusalMeter::Window& RefusalMeter::WindowAt(const Uuid& principal, Micros now) {
  constexpr Micros kSecond = 1'000'000;
  Window& window = windows_[principal];
  if (now < window.start || now - window.start >= kSecond) {
    window.start = now;
    window.written = 0;
  }
  return window;
}

std::uint32_t RefusalMeter::Left(const Uuid& principal, Micros now) {
  const std::uint32_t written = WindowAt(principal, now).written;
  return limits::kRefusalsPerSecondMax - std::min(written, limits::kRefusalsPerSecondMax);
}

void RefusalMeter::Add(const Uuid& principal, Micros now, std::uint32_t written) {
  if (written != 0) WindowAt(principal, now).written += written;
}

std::uint32_t RefusalMeter::Count(const Uuid& principal, Micros now) {
  Window& window = WindowAt(principal, now);
  if (window.written >= limits::kRefusalsPerSecondMax) {
    ++window.excess;
    return 0;
  }
  ++window.written;
  return 1 + std::exchange(window.excess, 0);
}

}  // namespace perdure
