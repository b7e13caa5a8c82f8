// Files that an evaluation reads and writes, among them pages of which it writes a part.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace perdure::eval {

Result<std::string> ReadFile(const std::string& path);
Status WriteFile(const std::string& path, const std::string& text);

// Puts `text` between the lines
//   <!-- perdure eval NAME: begin -->   and   <!-- perdure eval NAME: end -->
// of the page, which keeps the rest. kInvalidArgument when it has no such lines.
Status WriteIntoPage(const std::string& page, std::string_view name, const std::string& text);

}  // namespace perdure::eval
