// RocksDB's diary, LOG in the store's directory. RocksDB's own logger cannot be used: after one
// failed write to LOG (a full disk) the next line aborts the process, as Debian builds it.
#pragma once

#include <rocksdb/env.h>

#include <memory>
#include <string>

namespace perdure {

// Starts a new LOG in `directory` and keeps the one before as LOG.old.1. A line that cannot be
// written is dropped.
std::shared_ptr<rocksdb::Logger> OpenInfoLog(const std::string& directory);

}  // namespace perdure
