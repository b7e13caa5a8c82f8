// A store comes back from a backup: its files, and then an entry in each log that says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/base/result.h"
#include "engine/transfer/tombstones.h"

namespace perdure {

struct RestoreOptions {
  std::string backups;                  // the directory that BackUp wrote to
  std::optional<std::uint32_t> number;  // which of them; absent: the last
  std::string keys;                     // a directory with the key files of the spaces
  std::string directory;                // the new data directory: not there yet, or empty
  // Every space but `system` as it was then; its log is cut there. At most one of the two.
  std::optional<Micros> as_of;
  std::optional<Seq> as_of_seq;        // of the space main alone
  std::vector<Tombstones> tombstones;  // of newer stores
};

struct RestoredLog {
  std::string name;
  Seq backup_seq = 0;    // where the backup's log ended
  Seq restored_seq = 0;  // the LogRestored entry: the log before it is the backup's
  std::string origin;    // of tree heads from now on
};

struct RestoreReport {
  std::uint32_t number = 0;
  std::vector<RestoredLog> logs;
  std::vector<CarryReport> carried;  // of what a cut left out, by space; then of each bundle
};

// All or nothing: the directory gets its name when everything in it was checked, tombstones taken
// over included. What the log said of values and texts that have to stay out, between the cut and
// the end of the backup, is taken over too. kConflict when the directory is not empty. Cost: reads
// the whole backup three times; with a cut, folds all logs anew.
Result<RestoreReport> RestoreStore(const RestoreOptions& options, Clock& clock, Random& random);

}  // namespace perdure
