// The part of a page that a command writes.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace perdure::eval {

// Puts `text` between the lines
//   <!-- perdure eval NAME: begin -->   and   <!-- perdure eval NAME: end -->
// of the page, which keeps the rest. kInvalidArgument when it has no such lines.
Status WriteBetweenMarks(const std::string& page, std::string_view name, std::string_view text);

}  // namespace perdure::eval
