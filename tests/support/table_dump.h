// The decompressed contents of a RocksDB table file.
#pragma once

#include <string>

namespace perdure::testing {

// Every key and value, deletions and overwritten versions included, one after another. Aborts the
// test when the file cannot be read: a scan that saw nothing must not pass.
std::string DumpTable(const std::string& path);

}  // namespace perdure::testing
