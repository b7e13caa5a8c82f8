// Backups of a store: a directory of RocksDB's backup engine, in which files that did not change
// since the backup before are kept once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/storage/store.h"

namespace perdure {

struct BackupInfo {
  std::uint32_t number = 0;  // 1, 2, ...
  std::uint64_t bytes = 0;   // that a restore writes
  std::uint64_t files = 0;
};

// Adds a backup of what is durable in `store`, which is written to meanwhile, and compares the
// checksums of all its files as they were written. What a crash leaves half done is cleaned up by
// the next one. Cost: reads and writes what is new since the backup before, reads all of it.
Result<BackupInfo> BackUp(const Store& store, const std::string& directory);

// Oldest first. kNotFound when `directory` has none.
Result<std::vector<BackupInfo>> BackupsIn(const std::string& directory);

// Puts the files of backup `number` into `store_directory`, which is empty, comparing checksums.
Status RestoreBackup(const std::string& directory, std::uint32_t number,
                     const std::string& store_directory);

}  // namespace perdure
