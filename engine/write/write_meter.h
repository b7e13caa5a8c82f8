// How many writes of each principal were done in the minute that is running, for the policies that
// limit them. Minutes begin with a principal's first write; one thread.
#pragma once

#include <cstdint>
#include <map>

#include "engine/base/time.h"
#include "engine/base/uuid.h"

namespace perdure {

class WriteMeter {
 public:
  std::uint32_t OfMinute(const Uuid& principal, Micros now) const {
    const auto found = minutes_.find(principal);
    return found == minutes_.end() || IsOver(found->second, now) ? 0 : found->second.writes;
  }
  void Add(const Uuid& principal, Micros now) {
    Minute& minute = minutes_[principal];
    if (IsOver(minute, now)) minute = {now, 0};
    ++minute.writes;
  }

 private:
  struct Minute {
    Micros start = 0;
    std::uint32_t writes = 0;
  };
  static bool IsOver(const Minute& minute, Micros now) {
    constexpr Micros kMinute = 60'000'000;
    return now < minute.start || now - minute.start >= kMinute;
  }

  std::map<Uuid, Minute> minutes_;
};

}  // namespace perdure
