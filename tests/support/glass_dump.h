// The decompressed contents of a Xapian table file.
#pragma once

#include <string>
#include <string_view>

namespace perdure::testing {

// Whatever inflates in the blocks of a `.glass` file, one piece after another: pieces of items that
// no directory names any more included, as far as a block still has their place.
std::string InflateGlass(std::string_view file);

}  // namespace perdure::testing
