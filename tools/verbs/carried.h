// Tombstone bundles as the verbs read and tell of them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/transfer/tombstones.h"

namespace perdure {

Result<Tombstones> ReadBundle(const std::string& path);

nlohmann::json JsonOf(const CarryReport& report);
std::string TextOf(const CarryReport& report);  // a line

// Failed when something could not be kept out that was rejected.
int ExitCodeOf(const std::vector<CarryReport>& reports);

}  // namespace perdure
