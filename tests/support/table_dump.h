// The decompressed contents of a RocksDB table file.
#pragma once

#include <optional>
#include <string>

namespace perdure::testing {

// Every key and value, deletions and overwritten versions included, one after another. Aborts the
// test when the file cannot be read: a scan that saw nothing must not pass.
std::string DumpTable(const std::string& path);
// nullopt when it cannot be read, say because it is still being written.
std::optional<std::string> TryDumpTable(const std::string& path);

}  // namespace perdure::testing
