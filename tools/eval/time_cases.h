// Cases of what a query says of time, and how many of them are read as they should be:
//
//   cases.jsonl  {"now", "text", "range": [first, last] | null}
//
// one JSON object a line; times are RFC 3339, the zone may be absent and is UTC then; both ends of
// the range belong to it, to the microsecond.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/time.h"

namespace perdure::eval {

struct TimeCase {
  Micros now = 0;
  std::string text;
  std::optional<std::pair<Micros, Micros>> range;  // half-open
};

// Of every cases.jsonl below `directory`. kNotFound without one; kInvalidArgument names file and
// line of what is malformed.
Result<std::vector<TimeCase>> LoadTimeCases(const std::string& directory);

// {"cases", "ascii": {"n", "exact"}, "all": {"n", "exact"}, "none": {"n", "kept"}, "wrong": [...]}:
// of the cases with a range, those in ASCII and all, how many are read exactly; of those without,
// how many have none. "wrong" says what was read instead, once for each text.
nlohmann::json TimeReport(const std::vector<TimeCase>& cases);

void PrintTimeReport(const nlohmann::json& report);
std::string TimeTable(const nlohmann::json& report);  // Markdown

}  // namespace perdure::eval
