// Keeps a wall clock that runs away from dating entries: record times only grow, so one entry of
// the year 2094 would date all that follow.
#pragma once

#include <string>

#include "engine/base/clock.h"
#include "engine/base/mutex.h"
#include "engine/base/result.h"

namespace perdure {

// A clock over another one. Thread-safe.
class ClockGuard final : public Clock {
 public:
  // `clock` must outlive it, and is believed as it is now.
  explicit ClockGuard(Clock& clock);

  // The wall clock; while it has run away, where it should stand by the boot clock.
  Micros Now() override;
  Micros SinceBoot() override { return clock_.SinceBoot(); }

  // kUnavailable while the wall clock is over limits::kClockAheadMax further than the boot clock
  // says, counted from the start or the last Confirm; fine again once it is set back.
  Status Check() const;
  // The wall clock is right as it stands.
  void Confirm();

 private:
  Clock& clock_;
  mutable Mutex mutex_;
  Micros offset_ GUARDED_BY(mutex_);  // of the wall clock over the boot clock
};

// What is odd about a wall clock beside a log whose last entry has that time, or nothing.
std::string ClockWarning(Micros last_entry, Micros now);

}  // namespace perdure
