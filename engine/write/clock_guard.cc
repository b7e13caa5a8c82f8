#include "engine/write/clock_guard.h"

#include <fmt/format.h>

#include "engine/base/limits.h"

namespace perdure {
namespace {

constexpr Micros kHour = 3'600'000'000;
constexpr Micros kDay = 24 * kHour;

}  // namespace

ClockGuard::ClockGuard(Clock& clock) : clock_(clock), offset_(clock.Now() - clock.SinceBoot()) {}

Micros ClockGuard::Now() {
  const Micros now = clock_.Now();
  const MutexLock lock(mutex_);
  const Micros expected = clock_.SinceBoot() + offset_;
  return now - expected > limits::kClockAheadMaxMicros ? expected : now;
}

Status ClockGuard::Check() const {
  const Micros now = clock_.Now();
  const MutexLock lock(mutex_);
  const Micros expected = clock_.SinceBoot() + offset_;
  if (now - expected <= limits::kClockAheadMaxMicros) return {};
  return Fail(
      Code::kUnavailable,
      fmt::format("The wall clock says {}, {} hours more than has passed since the start, so "
                  "nothing is written. Set it right, or if it is right now, run `perdure "
                  "doctor --confirm-clock`. Reads go on.",
                  FormatTime(now), (now - expected) / kHour));
}

void ClockGuard::Confirm() {
  const MutexLock lock(mutex_);
  offset_ = clock_.Now() - clock_.SinceBoot();
}

std::string ClockWarning(Micros last_entry, Micros now) {
  if (last_entry - now > limits::kClockAheadMaxMicros) {
    return fmt::format(
        "The log ends at {}, {} days after this machine's clock. New entries are dated from there "
        "on, a microsecond each, until the clock has passed it.",
        FormatTime(last_entry), (last_entry - now) / kDay);
  }
  if (last_entry > 0 && now - last_entry > limits::kClockRestMaxMicros) {
    return fmt::format(
        "The log ends {} days before this machine's clock. If it did not rest that long, set the "
        "clock right before anything is written.",
        (now - last_entry) / kDay);
  }
  return {};
}

}  // namespace perdure
