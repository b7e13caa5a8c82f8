// Rebuilds every projection from the log into a scratch store, and compares it with the live one
// bit by bit: each kept version of each record at or above the history horizon, and every row.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "engine/base/result.h"
#include "engine/engine.h"

namespace perdure {

struct ReplayReport {
  Seq entries = 0;
  std::uint64_t records = 0;  // versions of records compared
  std::uint64_t rows = 0;
  Hash live{};  // digests of the projections
  Hash replayed{};
  std::string difference;  // the first one, empty when the two are byte-identical
};

// `scratch` is made for the replay and removed after it. The engine should be open read-only or
// idle. `progress` gets the number of entries done so far.
Result<ReplayReport> Replay(const Engine& engine, const std::string& scratch,
                            const std::function<void(Seq)>& progress = {});

}  // namespace perdure
