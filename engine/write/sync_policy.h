// How soon an answered write is on disk.
#pragma once

namespace perdure {

// When an answered write is on disk: always; within interval_ms; or whenever the kernel likes.
enum class SyncMode { kAlways, kInterval, kNever };
struct SyncPolicy {
  SyncMode mode = SyncMode::kAlways;
  int interval_ms = 1000;  // of kInterval
};

}  // namespace perdure
