// The block structure of a Markdown text (CommonMark 0.29, by cmark-gfm).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace perdure {

struct MarkdownBlock {
  std::size_t begin = 0;     // byte offset, always at the start of a line
  std::size_t end = 0;       // the next block's begin, or the end of the text
  bool is_verbatim = false;  // code or a table: cut at lines, not at sentences
  int heading_level = 0;     // 1..6 for a heading outside lists and quotes, else 0
  std::string heading;       // its text, cut at kHeadingBytesMax
};

inline constexpr std::size_t kHeadingBytesMax = 128;

// The leaf blocks, in order. They tile the text: the first begins at 0. Empty for an empty text.
// Any bytes are allowed; linear in the text whatever it holds.
std::vector<MarkdownBlock> ParseMarkdownBlocks(std::string_view text);

}  // namespace perdure
