#include "index/chunk/markdown_blocks.h"

#include <cmark-gfm.h>

#include <algorithm>
#include <memory>

#include "engine/base/bytes.h"

namespace perdure {
namespace {

constexpr std::size_t kMarkerBytesMax = 64;

bool IsLineEnd(char c) { return c == '\n' || c == '\r'; }

bool IsBlockMarker(char c) { return std::string_view(" \t>#*+-`~=_|:.)0123456789").contains(c); }

// A copy of the same length without what only inline parsing looks at, because cmark-gfm 0.29 has
// inputs (deep nesting, brackets, autolinks, wide tables) that take quadratic time, and only the
// blocks matter here. Markers that nest blocks stand at the start of a line and are kept up to
// kMarkerBytesMax, which bounds the depth. For the same reason the table extension stays off.
std::string BlockSkeleton(std::string_view text) {
  constexpr std::string_view kInline = "`*_[]<>!&\\~^$\"'@:/";
  std::string skeleton(text);
  std::size_t line_begin = 0;
  bool in_markers = true;
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    char& c = skeleton[i];
    if (IsLineEnd(c)) {
      line_begin = i + 1;
      in_markers = true;
      continue;
    }
    in_markers = in_markers && i - line_begin < kMarkerBytesMax && IsBlockMarker(c);
    if (!in_markers && (c == '\0' || kInline.contains(c))) c = 'x';
  }
  return skeleton;
}

// Offsets of the line starts, by cmark's idea of a line end: LF, CR or CRLF.
std::vector<std::size_t> LineStarts(std::string_view text) {
  std::vector<std::size_t> starts = {0};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!IsLineEnd(text[i])) continue;
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') ++i;
    starts.push_back(i + 1);
  }
  return starts;
}

std::string_view Trim(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::string HeadingText(std::string_view line) {
  line = Trim(line);
  if (line.starts_with('#')) {
    line.remove_prefix(std::min(line.find_first_not_of('#'), line.size()));
    const auto last = line.find_last_not_of('#');
    line = Trim(last == std::string_view::npos ? std::string_view{} : line.substr(0, last + 1));
  }
  std::string heading(CutAtGrapheme(line, kHeadingBytesMax));
  std::erase_if(heading, [](char c) { return c == '*' || c == '`' || c == '\0'; });
  return heading;
}

bool IsTable(std::string_view block) {
  const auto first_line = block.substr(0, block.find('\n'));
  return Trim(first_line).starts_with('|') && block.contains("\n|");
}

}  // namespace

std::vector<MarkdownBlock> ParseMarkdownBlocks(std::string_view text) {
  if (text.empty()) return {};
  const std::string skeleton = BlockSkeleton(text);
  const auto lines = LineStarts(text);
  const std::unique_ptr<cmark_node, decltype(&cmark_node_free)> document(
      cmark_parse_document(skeleton.data(), skeleton.size(), CMARK_OPT_DEFAULT), &cmark_node_free);
  const std::unique_ptr<cmark_iter, decltype(&cmark_iter_free)> iterator(
      cmark_iter_new(document.get()), &cmark_iter_free);

  std::vector<MarkdownBlock> blocks;
  while (cmark_iter_next(iterator.get()) != CMARK_EVENT_DONE) {
    cmark_node* const node = cmark_iter_get_node(iterator.get());
    const auto type = cmark_node_get_type(node);
    if (type != CMARK_NODE_PARAGRAPH && type != CMARK_NODE_HEADING &&
        type != CMARK_NODE_CODE_BLOCK && type != CMARK_NODE_HTML_BLOCK &&
        type != CMARK_NODE_THEMATIC_BREAK) {
      continue;
    }
    const auto line = static_cast<std::size_t>(std::max(cmark_node_get_start_line(node), 1)) - 1;
    if (line >= lines.size()) continue;
    MarkdownBlock block;
    block.begin = blocks.empty() ? 0 : lines[line];
    if (!blocks.empty() && block.begin <= blocks.back().begin) continue;  // two on one line
    block.is_verbatim = type == CMARK_NODE_CODE_BLOCK;
    if (type == CMARK_NODE_HEADING && cmark_node_parent(node) == document.get()) {
      const auto line_end = line + 1 < lines.size() ? lines[line + 1] : text.size();
      block.heading_level = cmark_node_get_heading_level(node);
      block.heading = HeadingText(text.substr(lines[line], line_end - lines[line]));
    }
    blocks.push_back(std::move(block));
  }
  if (blocks.empty()) blocks.emplace_back();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    auto& block = blocks[i];
    block.end = i + 1 < blocks.size() ? blocks[i + 1].begin : text.size();
    block.is_verbatim |= IsTable(text.substr(block.begin, block.end - block.begin));
  }
  return blocks;
}

}  // namespace perdure
