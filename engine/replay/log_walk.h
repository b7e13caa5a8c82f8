// A walk over the log of one space that trusts nothing but the log, its payloads and the keys.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "engine/base/result.h"
#include "engine/engine.h"
#include "engine/log/chain.h"
#include "engine/proof/merkle.h"
#include "engine/replay/repair.h"

namespace perdure {

struct WalkedEntry {
  const Entry& entry;
  const std::optional<std::string>& payload_row;
  const std::vector<Tile>& tiles;  // that it completes
  const LogHead& head;             // of the log up to it
  const TreeState& tree;
  const std::string& origin;  // of tree heads of the log up to it
};

// Calls `visit` with each good entry, in order, up to the first bad one or `until`.
using EntryVisitor = std::function<Status(const WalkedEntry&)>;
Result<LogHealth> WalkLog(const Store& store, const SpaceInfo& space, const SigningKey& key,
                          Seq until, const EntryVisitor& visit);

// The spaces that the log of the space system names, itself first. Those after a bad entry are not
// among them.
Result<std::vector<SpaceInfo>> SpacesOfLog(const Store& store);

// Where the log of `space` ends: its last entry, or the stored head if that lies beyond.
Result<Seq> EndOfLog(const Store& store, SpaceId space);

}  // namespace perdure
