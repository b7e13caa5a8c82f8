#include "index/search/preview.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/bytes.h"

namespace perdure {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\n";
constexpr std::size_t kWordBytesMin = 3;
constexpr std::size_t kWordsMax = 32;

std::string LowerAscii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::vector<std::string> WordsByLength(std::string_view query) {
  std::vector<std::string> words;
  while (words.size() < kWordsMax) {
    const std::size_t begin = query.find_first_not_of(kWhiteSpace);
    if (begin == std::string_view::npos) break;
    query.remove_prefix(begin);
    const std::string_view word = query.substr(0, query.find_first_of(kWhiteSpace));
    query.remove_prefix(word.size());
    if (word.size() >= kWordBytesMin) words.push_back(LowerAscii(word));
  }
  std::ranges::stable_sort(words, std::ranges::greater(), &std::string::size);
  return words;
}

}  // namespace

std::string_view PreviewOf(std::string_view text, std::string_view query, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  const std::string lower = LowerAscii(text);
  std::size_t found = 0;
  for (const std::string& word : WordsByLength(query)) {
    found = lower.find(word);
    if (found != std::string::npos) break;
    found = 0;
  }
  std::size_t begin = 0;
  if (found > bytes_max * 2 / 3) {
    const std::size_t lead = found - bytes_max / 4;
    const std::size_t space = text.find_first_of(kWhiteSpace, lead);
    begin = space < found ? text.find_first_not_of(kWhiteSpace, space) : found;
  }
  return CutAtGrapheme(text.substr(begin), bytes_max);
}

}  // namespace perdure
