#include "index/chunk/text_splitter.h"

#include <unicode/ubrk.h>
#include <unicode/utext.h>

#include <algorithm>
#include <memory>

namespace perdure {
namespace {

std::vector<std::size_t> LineEnds(std::string_view text) {
  std::vector<std::size_t> ends;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    ends.push_back(at + 1);
  }
  if (ends.empty() || ends.back() != text.size()) ends.push_back(text.size());
  return ends;
}

// The ends of the segments that ICU sees in `text`; the whole text as one should ICU fail.
std::vector<std::size_t> SegmentEnds(UBreakIteratorType type, std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  UText utext = UTEXT_INITIALIZER;
  utext_openUTF8(&utext, text.data(), static_cast<int64_t>(text.size()), &status);
  const std::unique_ptr<UBreakIterator, decltype(&ubrk_close)> segments(
      ubrk_open(type, "", nullptr, 0, &status), &ubrk_close);
  std::vector<std::size_t> ends;
  if (U_SUCCESS(status)) ubrk_setUText(segments.get(), &utext, &status);
  if (U_SUCCESS(status)) {
    for (auto at = ubrk_next(segments.get()); at != UBRK_DONE; at = ubrk_next(segments.get())) {
      ends.push_back(static_cast<std::size_t>(at));
    }
  }
  utext_close(&utext);
  if (ends.empty() || ends.back() != text.size()) ends.push_back(text.size());
  return ends;
}

// The largest code point boundary of `text` at or below `at`, above 0.
std::size_t CodePointBoundary(std::string_view text, std::size_t at) {
  const auto is_inside = [&](std::size_t i) {
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
  };
  std::size_t lower = at;
  while (lower > 0 && at - lower < 3 && is_inside(lower)) --lower;
  if (lower > 0 && !is_inside(lower)) return lower;
  if (lower > 0) return at;  // not UTF-8: any byte will do
  std::size_t upper = std::max<std::size_t>(at, 1);
  while (upper < 4 && is_inside(upper)) ++upper;
  return std::min(upper, text.size());
}

}  // namespace

void TextSplitter::Split(std::string_view text, std::size_t begin, std::size_t end, bool verbatim,
                         std::vector<TextPiece>& pieces) const {
  if (AppendIfFits(text, begin, end, pieces)) return;
  SplitAt(verbatim ? Level::kLines : Level::kSentences, text, begin, end, pieces);
}

bool TextSplitter::AppendIfFits(std::string_view text, std::size_t begin, std::size_t end,
                                std::vector<TextPiece>& pieces) const {
  if (end - begin > options_.bytes_max) return false;
  const std::size_t tokens = count_tokens_(text.substr(begin, end - begin));
  if (tokens > options_.tokens_max) return false;
  pieces.push_back({begin, end, tokens});
  return true;
}

void TextSplitter::SplitAt(Level level, std::string_view text, std::size_t begin, std::size_t end,
                           std::vector<TextPiece>& pieces) const {
  if (level == Level::kCodePoints) return SplitCodePoints(text, begin, end, pieces);
  const auto range = text.substr(begin, end - begin);
  const auto ends = level == Level::kLines       ? LineEnds(range)
                    : level == Level::kSentences ? SegmentEnds(UBRK_SENTENCE, range)
                                                 : SegmentEnds(UBRK_LINE, range);
  const auto finer = level == Level::kWords ? Level::kCodePoints : Level::kWords;
  std::size_t from = begin;
  for (const std::size_t segment_end : ends) {
    const std::size_t to = begin + segment_end;
    if (!AppendIfFits(text, from, to, pieces)) SplitAt(finer, text, from, to, pieces);
    from = to;
  }
}

void TextSplitter::SplitCodePoints(std::string_view text, std::size_t begin, std::size_t end,
                                   std::vector<TextPiece>& pieces) const {
  std::size_t fitting = options_.tokens_max;  // a guess at first, then the size before
  while (begin < end) {
    const auto rest = text.substr(begin, end - begin);
    const std::size_t size_max =
        std::min(rest.size(), std::max<std::size_t>(options_.bytes_max, 1));
    // Doubles or halves to bracket the longest prefix that fits, then bisects a little.
    std::size_t low = 0;
    std::size_t high = size_max + 1;
    std::size_t probe = std::clamp<std::size_t>(fitting, 1, size_max);
    for (int step = 0; low + 1 < high && (low == 0 || step < 6); ++step) {
      (count_tokens_(rest.substr(0, probe)) <= options_.tokens_max ? low : high) = probe;
      probe = high > size_max ? std::min(low * 2, size_max)
              : low == 0      ? high / 2
                              : low + (high - low) / 2;
      if (probe == 0) break;
    }
    fitting = CodePointBoundary(rest, low);
    pieces.push_back({begin, begin + fitting, count_tokens_(rest.substr(0, fitting))});
    begin += fitting;
  }
}

}  // namespace perdure
