// What an import brings, row by row, whatever form it had: calls of memory_store and fact_assert.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/result.h"

namespace perdure {

struct ImportRow {
  std::uint64_t line = 0;  // where it begins in its file, or its number
  bool is_fact = false;
  nlohmann::json arguments;  // of memory_store, or of fact_assert
  std::string problem;       // why it can be no call; the rest is empty then
  std::string skipped;       // why it is none on purpose
};

// Takes one row; an error ends the reading.
using TakeRow = std::function<Status(ImportRow row)>;

}  // namespace perdure
