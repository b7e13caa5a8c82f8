// Named snapshots, and who knows them.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/time.h"
#include "engine/decide/command.h"
#include "engine/log/entry.h"
#include "engine/storage/state.h"

namespace perdure {

struct Snapshot {
  Seq seq = 0;  // of the entry that named it
  std::string name;
  Micros at = 0;
  Micros record_time = 0;
};

// A narrowed token knows the snapshots that tokens inside its scope have named; to it, all others
// are not there. Any other token knows all of its space.
Result<bool> KnowsSnapshot(const StateReader& reader, const Principal& principal, Seq seq);

// Those that the principal knows, oldest first.
Result<std::vector<Snapshot>> ReadSnapshots(const StateReader& reader, const Principal& principal);

}  // namespace perdure
