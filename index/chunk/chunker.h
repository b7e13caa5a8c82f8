// Cuts a Markdown text into chunks that fit an embedding model. Pure: the same arguments give the
// same chunks on any machine.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/limits.h"

namespace perdure {

struct Chunk {
  std::string heading_path;  // "Setup > Linux"; empty for a text that is one chunk
  std::size_t begin = 0;     // byte range of the text, white space trimmed at both ends
  std::size_t end = 0;

  friend bool operator==(const Chunk&, const Chunk&) = default;
};

struct ChunkOptions {
  std::size_t tokens_max = limits::kChunkTokensMax;
  // A chunk ends here too, whatever it counts: a tokenizer may read 1 MiB of base64 as one token.
  std::size_t bytes_max = 8192;
};

// Tokens of a piece of text, without the model's special tokens. Texts joined at white space must
// count at most the sum of their parts, as WordPiece does.
using TokenCounter = std::function<std::size_t(std::string_view)>;

// At least one chunk; in the order of the text, disjoint, with nothing but white space between
// them, each within both maxima (a single code point excepted). A text that fits is one chunk and
// is not parsed. Otherwise cuts fall at block boundaries, else at sentences (code and tables:
// lines), else at line-break opportunities (UAX #14), else between code points; code blocks that
// fit stay whole; a heading stays with what follows it and opens a new chunk unless the open one is
// still small, in which case the path is what the sections have in common. A first-level heading
// that repeats `title` is left out of the paths. Any bytes are allowed. Linear in the text.
std::vector<Chunk> ChunkMarkdown(std::string_view title, std::string_view text,
                                 const TokenCounter& count_tokens,
                                 const ChunkOptions& options = {});

}  // namespace perdure
