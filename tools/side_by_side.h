// Two memories next to each other, as whoever decides between them reads them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace perdure {

struct SideBySideRow {
  std::string label;
  std::string left;
  std::string right;
};

// One block a row, both sides broken into lines of the same width; at most `columns` code points a
// line where that leaves room for words. Control characters become spaces, as in a Table.
std::string SideBySide(const std::vector<SideBySideRow>& rows, std::size_t columns);

// Of the terminal behind standard output, or 100.
std::size_t TerminalColumns();

}  // namespace perdure
