// Bugs that the simulation can plant, to show that it would see them.
#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace perdure::simulation {

enum class Plant {
  kNone,
  kSyncNever,         // groups are written without sync
  kAnswerEarly,       // a group is answered when its writing begins
  kWatermarkEarly,    // the watermark moves when the writing begins
  kOutOfOrder,        // a group overtakes the one before it
  kTornGroup,         // a power cut leaves a part of a group
  kLostWake,          // a writer is not woken now and then
  kSkippingFollower,  // a follower leaves an entry out now and then
  kAddressInTrace,    // the run depends on where its memory lies
  kClockInTrace,      // the run depends on the real clock
};

inline constexpr std::array kPlantNames = {
    std::pair(Plant::kNone, std::string_view("none")),
    std::pair(Plant::kSyncNever, std::string_view("sync-never")),
    std::pair(Plant::kAnswerEarly, std::string_view("answer-early")),
    std::pair(Plant::kWatermarkEarly, std::string_view("watermark-early")),
    std::pair(Plant::kOutOfOrder, std::string_view("out-of-order")),
    std::pair(Plant::kTornGroup, std::string_view("torn-group")),
    std::pair(Plant::kLostWake, std::string_view("lost-wake")),
    std::pair(Plant::kSkippingFollower, std::string_view("skipping-follower")),
    std::pair(Plant::kAddressInTrace, std::string_view("address-in-trace")),
    std::pair(Plant::kClockInTrace, std::string_view("clock-in-trace")),
};

}  // namespace perdure::simulation
