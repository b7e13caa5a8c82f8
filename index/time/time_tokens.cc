#include "index/time/time_tokens.h"

#include <algorithm>
#include <array>
#include <utility>

#include "index/text/words.h"

namespace perdure {
namespace {

// The letters with marks of the languages that are known, without their marks.
constexpr auto kPlain =
    std::to_array<std::pair<std::u32string_view, char32_t>>({{U"àáâãäåÀÁÂÃÄÅ", U'a'},
                                                             {U"çÇ", U'c'},
                                                             {U"èéêëÈÉÊË", U'e'},
                                                             {U"ìíîïÌÍÎÏ", U'i'},
                                                             {U"ñÑ", U'n'},
                                                             {U"òóôõöÒÓÔÕÖ", U'o'},
                                                             {U"ùúûüÙÚÛÜ", U'u'},
                                                             {U"’ʼ", U'\''},
                                                             {U"–—−", U'-'},
                                                             {U"～〜", U'~'}});

// 0: nothing is left.
char32_t Fold(char32_t c) {
  if (c >= 0xff01 && c <= 0xff5e && c != U'～') c -= 0xfee0;  // full width
  if (c >= U'A' && c <= U'Z') return c - U'A' + U'a';
  if (c < 0x80) return c;
  if (c >= 0x300 && c <= 0x36f) return 0;  // combining marks
  for (const auto& [marked, plain] : kPlain) {
    if (marked.find(c) != std::u32string_view::npos) return plain;
  }
  return c;
}

bool IsDigit(char32_t c) { return c >= U'0' && c <= U'9'; }
bool IsLetter(char32_t c) { return c >= U'a' && c <= U'z'; }
bool IsSpace(char32_t c) { return c <= U' ' || c == 0xa0 || c == 0x3000; }

void AppendUtf8(std::string& text, char32_t c) {
  const auto put = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xc0 | (c >> 6));
  } else {
    if (c < 0x10000) {
      put(0xe0 | (c >> 12));
    } else {
      put(0xf0 | (c >> 18));
      put(0x80 | ((c >> 12) & 0x3f));
    }
    put(0x80 | ((c >> 6) & 0x3f));
  }
  put(0x80 | (c & 0x3f));
}

}  // namespace

TimeTokens::TimeTokens(std::string_view query) : query_(DecodeUtf8(query)) {
  const auto is_run = [](char32_t c) { return IsDigit(c) || IsLetter(c); };
  bool open = false;  // whether the last token may go on
  for (std::size_t i = 0; i < query_.size(); ++i) {
    const char32_t c = Fold(query_[i]);
    if (c == 0) continue;
    if (IsSpace(c)) {
      open = false;
      continue;
    }
    if (open && is_run(c) && tokens_.back().is_number == IsDigit(c)) {
      AppendUtf8(tokens_.back().text, c);
      tokens_.back().end = i + 1;
      continue;
    }
    TimeToken& token = tokens_.emplace_back();
    token.is_number = IsDigit(c);
    token.begin = i;
    token.end = i + 1;
    AppendUtf8(token.text, c);
    open = is_run(c);
  }
}

std::string TimeTokens::WordsOf(std::size_t first, std::size_t count) const {
  std::string words;
  for (std::size_t i = tokens_[first].begin; i < tokens_[first + count - 1].end; ++i) {
    AppendUtf8(words, query_[i]);
  }
  return words;
}

}  // namespace perdure
