// A walk over all projections of a store in one canonical order, for comparing two of them.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/base/time.h"
#include "engine/storage/store.h"

namespace perdure {

// Calls `visit` with a label of each record version or row and its value. Versions that no read at
// or above `horizon` can see are passed over; so is the time of the oldest one kept, which
// compaction zeroes and the record itself holds.
Status WalkProjections(
    const Store& store, Micros horizon,
    const std::function<void(std::string_view label, std::string_view value)>& visit);

}  // namespace perdure
