// How the store's RocksDB is opened, and what becomes of its errors. Part of the store.
#pragma once

#include <rocksdb/db.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/storage/store.h"

namespace perdure {

inline constexpr std::array<const char*, kFamilies> kFamilyNames = {"default", "log",  "payload",
                                                                    "tree",    "rows", "state"};

struct RocksFiles {
  const rocksdb::Comparator* timestamped = nullptr;
  std::unique_ptr<rocksdb::DB> db;
  std::array<rocksdb::ColumnFamilyHandle*, kFamilies> handles{};

  ~RocksFiles();
  rocksdb::ColumnFamilyHandle* handle(Family family) const {
    return handles[static_cast<std::size_t>(family)];
  }
};

// Errors of background work are noted in `trouble` as they come.
Result<std::unique_ptr<RocksFiles>> OpenRocks(
    const std::string& directory, const StoreOptions& options,
    const std::shared_ptr<std::atomic<StoreTrouble>>& trouble);

// The first trouble stays: whatever follows from it may look otherwise.
void NoteTrouble(std::atomic<StoreTrouble>& trouble, const rocksdb::Status& status);

// The error that a caller gets for what RocksDB said while `doing`.
std::unexpected<Error> FromRocks(const rocksdb::Status& status, std::string_view doing);

}  // namespace perdure
