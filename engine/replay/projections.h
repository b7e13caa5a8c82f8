// A walk over all projections of a store in one canonical order, for comparing two of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "engine/base/bytes.h"
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

// SHA-256 over that walk: equal projections have equal digests, however they came to be, on any
// machine and with any compiler.
struct ProjectionDigest {
  Hash hash{};
  std::uint64_t records = 0;  // versions of records
  std::uint64_t rows = 0;
};
Result<ProjectionDigest> DigestOfProjections(const Store& store, Micros horizon);

}  // namespace perdure
