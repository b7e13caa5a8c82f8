// Offline repair: what the log and the payloads still say is built into a new store, which then
// takes the place of the old one in one step. Nothing is deleted: the old store stays beside it.
//
// The caller holds the directory: nobody else may have it open.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/uuid.h"
#include "engine/log/entry.h"
#include "engine/storage/store.h"

namespace perdure {

// How far the log of one space can be trusted: each entry in place, chained, with the payload that
// was written, and under the tree heads that were signed.
struct LogHealth {
  SpaceId space = 0;
  std::string name;
  Seq last_good = 0;
  Seq last = 0;         // where the log ends, or once ended
  std::string problem;  // of entry last_good + 1; empty when all entries are good
  // The first entry whose payload is missing although no entry says that it went; 0 for none. It
  // keeps nothing from being rebuilt: erasing its memory settles it.
  Seq unexplained = 0;
};

// Looks at every log from its beginning; projections, tree and indexes are not needed for it. An
// error means that the store itself cannot be opened. Cost: reads all entries and payloads.
Result<std::vector<LogHealth>> ExamineLogs(const std::string& directory);

struct Truncation {
  SpaceId space = 0;
  Seq to = 0;  // has to be the last good entry
};

struct RepairReport {
  Seq entries = 0;  // in the new store
  // Of a truncation: the acknowledged writes that are lost.
  Seq lost_entries = 0;
  Micros lost_from = 0;  // record times of the first and last that can still be read
  Micros lost_until = 0;
  std::vector<Uuid> lost_erasures;  // of memories that have to be erased again
  std::string cut_file;             // holds what of them can be read; see docs/FORMAT.md
  std::string old_store;            // where the old store stands now
};

// Rebuilds all projections, the tree and the heads from the logs. Refuses with kCorrupt, naming the
// entry, when a log is not whole; with `truncation` that log is cut there first, and refuses with
// kConflict when there is nothing wrong with it or `to` is not its last good entry.
// `progress` gets the number of entries done so far.
Result<RepairReport> RebuildStore(const std::string& directory,
                                  const std::optional<Truncation>& truncation,
                                  const std::function<void(Seq)>& progress = {});

// Rebuilds the store with each log cut after its entry in `ends`, and keeps nothing of the old one:
// for files that are a copy. Those not named stay whole.
Status CutLogs(const std::string& directory, const std::map<SpaceId, Seq>& ends);

}  // namespace perdure
