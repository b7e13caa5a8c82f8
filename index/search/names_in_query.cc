#include "index/search/names_in_query.h"

#include <algorithm>

namespace perdure {
namespace {

struct Word {
  std::size_t begin;
  std::size_t end;   // of the whole
  std::size_t stem;  // of what stands before "'s"
};

bool IsWordByte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= 'a' && byte <= 'z') || c == '\'' || c == '-' || c == '_';
}

bool MayBeginName(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || (c >= 'A' && c <= 'Z');
}

std::size_t StemEnd(std::string_view query, std::size_t begin, std::size_t end) {
  for (const std::string_view ending : {"'s", "\xE2\x80\x99s", "'", "\xE2\x80\x99"}) {
    if (query.substr(begin, end - begin).ends_with(ending)) return end - ending.size();
  }
  return end;
}

std::vector<Word> WordsOf(std::string_view query) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < query.size();) {
    if (!IsWordByte(query[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < query.size() && IsWordByte(query[at])) ++at;
    words.push_back({begin, at, StemEnd(query, begin, at)});
  }
  return words;
}

}  // namespace

std::vector<NameInQuery> NamesInQuery(std::string_view query) {
  const std::vector<Word> words = WordsOf(query);
  std::vector<NameInQuery> names;
  for (std::size_t first = 0; first < words.size(); ++first) {
    if (!MayBeginName(query[words[first].begin])) continue;
    for (std::size_t count = 1; count <= kNameWordsMax && first + count <= words.size(); ++count) {
      const Word& last = words[first + count - 1];
      const std::size_t begin = words[first].begin;
      if (names.size() == kNamesMax) return names;
      if (last.stem > begin) {
        names.push_back({std::string(query.substr(begin, last.stem - begin)), begin, last.end});
      }
    }
  }
  return names;
}

std::string WithoutNames(std::string_view query, std::span<const NameInQuery> names) {
  std::string rest;
  std::size_t at = 0;
  for (const NameInQuery& name : names) {
    if (name.begin < at) continue;
    rest += query.substr(at, name.begin - at);
    at = name.end;
  }
  rest += query.substr(at);
  return WordsOf(rest).empty() ? std::string(query) : rest;
}

}  // namespace perdure
