// An entry as a person reads it.
#pragma once

#include "engine/read/read_view.h"

namespace perdure {

Result<LogLine> DescribeEntry(const StateReader& reader, const fb::Entry& entry);

}  // namespace perdure
