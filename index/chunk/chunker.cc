#include "index/chunk/chunker.h"

#include <algorithm>

#include "index/chunk/markdown_blocks.h"
#include "index/chunk/text_splitter.h"

namespace perdure {
namespace {

constexpr std::string_view kSpace = " \t\r\n\f\v";

bool IsSpace(char c) { return kSpace.contains(c); }

using HeadingPath = std::vector<std::string>;

struct Piece {
  TextPiece range;
  bool is_heading = false;
  std::size_t path = 0;  // index into Outline::paths
};

struct Outline {
  std::vector<Piece> pieces;
  std::vector<HeadingPath> paths = {{}};
};

// Follows the headings: a heading of level n closes those of level n and deeper.
class PathTracker {
 public:
  explicit PathTracker(std::string_view title) : title_(title) {}

  HeadingPath Enter(int level, const std::string& heading) {
    std::erase_if(open_, [&](const auto& entry) { return entry.first >= level; });
    open_.emplace_back(level, heading);
    HeadingPath path;
    for (const auto& [open_level, text] : open_) {
      const bool is_title = open_level == 1 && text == title_;
      if (!text.empty() && !is_title) path.push_back(text);
    }
    return path;
  }

 private:
  std::string_view title_;
  std::vector<std::pair<int, std::string>> open_;
};

Outline MakeOutline(std::string_view title, std::string_view text, const TextSplitter& splitter) {
  Outline outline;
  PathTracker tracker(title);
  std::vector<TextPiece> ranges;
  for (const auto& block : ParseMarkdownBlocks(text)) {
    if (block.heading_level > 0) {
      outline.paths.push_back(tracker.Enter(block.heading_level, block.heading));
    }
    ranges.clear();
    splitter.Split(text, block.begin, block.end, block.is_verbatim, ranges);
    for (const auto& range : ranges) {
      outline.pieces.push_back({range, block.heading_level > 0, outline.paths.size() - 1});
    }
  }
  return outline;
}

class Packer {
 public:
  Packer(std::string_view text, const Outline& outline, const TokenCounter& count_tokens,
         const ChunkOptions& options)
      : text_(text), outline_(outline), count_tokens_(count_tokens), options_(options) {}

  std::vector<Chunk> Pack() const {
    std::vector<Chunk> chunks;
    for (std::size_t first = 0; first < outline_.pieces.size();) {
      const std::size_t last = EndOfChunk(first);
      Chunk chunk = Trimmed(first, last);
      if (chunk.begin < chunk.end) chunks.push_back(std::move(chunk));
      first = last;
    }
    return chunks;
  }

 private:
  // One past the last piece of the chunk that begins with piece `first`.
  std::size_t EndOfChunk(std::size_t first) const {
    const auto& pieces = outline_.pieces;
    std::size_t tokens = pieces[first].range.tokens;
    bool has_seam = false;  // a cut that is not at white space, where tokens may not add up
    std::size_t last = first + 1;
    for (; last < pieces.size(); ++last) {
      const Piece& next = pieces[last];
      if (next.is_heading && !pieces[last - 1].is_heading && tokens >= options_.tokens_max / 4) {
        break;
      }
      if (tokens + next.range.tokens > options_.tokens_max) break;
      if (next.range.end - pieces[first].range.begin > options_.bytes_max) break;
      tokens += next.range.tokens;
      has_seam = has_seam || !IsSpace(text_[next.range.begin - 1]);
    }
    while (has_seam && last > first + 1 && Count(first, last) > options_.tokens_max) --last;
    if (last == pieces.size()) return last;
    std::size_t without_headings = last;
    while (without_headings > first && pieces[without_headings - 1].is_heading) --without_headings;
    return without_headings > first ? without_headings : last;
  }

  std::size_t Count(std::size_t first, std::size_t last) const {
    const std::size_t begin = outline_.pieces[first].range.begin;
    return count_tokens_(text_.substr(begin, outline_.pieces[last - 1].range.end - begin));
  }

  Chunk Trimmed(std::size_t first, std::size_t last) const {
    Chunk chunk{PathOf(first, last), outline_.pieces[first].range.begin,
                outline_.pieces[last - 1].range.end};
    while (chunk.begin < chunk.end && IsSpace(text_[chunk.begin])) ++chunk.begin;
    while (chunk.begin < chunk.end && IsSpace(text_[chunk.end - 1])) --chunk.end;
    return chunk;
  }

  // What the paths of the chunk's sections have in common; headings alone give the last one's.
  std::string PathOf(std::size_t first, std::size_t last) const {
    const HeadingPath* common = nullptr;
    std::size_t depth = 0;
    for (std::size_t i = first; i < last; ++i) {
      if (outline_.pieces[i].is_heading && i + 1 < last) continue;
      const HeadingPath& path = outline_.paths[outline_.pieces[i].path];
      if (common == nullptr) {
        common = &path;
        depth = path.size();
      }
      const auto mismatch = std::ranges::mismatch(*common, path).in1 - common->begin();
      depth = std::min(depth, static_cast<std::size_t>(mismatch));
    }
    std::string joined;
    for (std::size_t i = 0; i < depth; ++i) {
      if (i > 0) joined += " > ";
      joined += (*common)[i];
    }
    return joined;
  }

  std::string_view text_;
  const Outline& outline_;
  const TokenCounter& count_tokens_;
  const ChunkOptions& options_;
};

}  // namespace

std::vector<Chunk> ChunkMarkdown(std::string_view title, std::string_view text,
                                 const TokenCounter& count_tokens, const ChunkOptions& options) {
  const auto begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {Chunk{}};  // a title alone is findable too
  const auto end = text.find_last_not_of(kSpace) + 1;
  if (end - begin <= options.bytes_max &&
      count_tokens(text.substr(begin, end - begin)) <= options.tokens_max) {
    return {Chunk{{}, begin, end}};
  }
  const TextSplitter splitter(count_tokens, options);
  const Outline outline = MakeOutline(title, text, splitter);
  return Packer(text, outline, count_tokens, options).Pack();
}

}  // namespace perdure
