// SQLite with synchronous=FULL and an FTS5 table: what a careful small memory server would use.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/result.h"

namespace perdure::bench {

// Notes a second, one transaction each.
Result<double> SqliteRate(const std::string& directory, std::uint64_t first, std::size_t count,
                          std::size_t words);

}  // namespace perdure::bench
