// The part of an argument "filter" that asks of more than records and labels. The rest: requests.h.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/base/result.h"
#include "engine/read/description.h"

namespace perdure {

// "happened_from", "happened_until", "source" and "metadata" of `arguments["filter"]`.
Result<DescriptionFilter> DescribedOf(const nlohmann::json& arguments);

}  // namespace perdure
