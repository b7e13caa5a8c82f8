// Cuts a block of text that is too long into pieces that fit.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "index/chunk/chunker.h"

namespace perdure {

struct TextPiece {
  std::size_t begin = 0;  // byte range; consecutive pieces tile the text
  std::size_t end = 0;
  std::size_t tokens = 0;
};

class TextSplitter {
 public:
  // Both must outlive the splitter.
  TextSplitter(const TokenCounter& count_tokens, const ChunkOptions& options)
      : count_tokens_(count_tokens), options_(options) {}

  // Appends the pieces of text[begin, end): one if it fits, else sentences (lines if `verbatim`),
  // else pieces between line-break opportunities, else runs of code points.
  void Split(std::string_view text, std::size_t begin, std::size_t end, bool verbatim,
             std::vector<TextPiece>& pieces) const;

 private:
  enum class Level { kBlock, kSentences, kLines, kWords, kCodePoints };

  bool AppendIfFits(std::string_view text, std::size_t begin, std::size_t end,
                    std::vector<TextPiece>& pieces) const;
  void SplitAt(Level level, std::string_view text, std::size_t begin, std::size_t end,
               std::vector<TextPiece>& pieces) const;
  void SplitCodePoints(std::string_view text, std::size_t begin, std::size_t end,
                       std::vector<TextPiece>& pieces) const;

  const TokenCounter& count_tokens_;
  const ChunkOptions& options_;
};

}  // namespace perdure
