#include "index/text/marks.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace perdure {
namespace {

// Sorted.
constexpr auto kTimeWords = std::to_array<std::string_view>(
    {"ago",       "april",    "august",   "day",      "days",     "december",  "evening",
     "february",  "friday",   "january",  "july",     "june",     "just",      "last",
     "march",     "may",      "monday",   "month",    "months",   "morning",   "next",
     "night",     "november", "october",  "recently", "saturday", "september", "since",
     "soon",      "sunday",   "thursday", "today",    "tomorrow", "tonight",   "tuesday",
     "wednesday", "week",     "weekend",  "weeks",    "year",     "years",     "yesterday"});
static_assert(std::ranges::is_sorted(kTimeWords));

constexpr auto kTimesAskedFor =
    std::to_array<std::string_view>({"date", "day", "month", "time", "week", "year"});

bool IsYear(std::string_view word) {
  return word.size() == 4 && (word.starts_with("19") || word.starts_with("20")) &&
         std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool EndsWithQuestion(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n\"'`)]*_");
  if (last == std::string_view::npos) return false;
  text = text.substr(0, last + 1);
  return text.ends_with("?") || text.ends_with("\uFF1F") || text.ends_with("\u061F");
}

bool SaysWhen(std::span<const Token> tokens) {
  return std::ranges::any_of(tokens, [](const Token& token) {
    return token.kind == TokenKind::kWord &&
           (IsYear(token.text) || std::ranges::binary_search(kTimeWords, token.text));
  });
}

bool AsksWhen(std::string_view query) {
  std::vector<std::string> words;
  for (Token& token : Tokenize(query)) {
    if (token.kind == TokenKind::kWord) words.push_back(std::move(token.text));
    if (words.size() == 3) break;
  }
  words.resize(3);
  if (words[0] == "when" || words[1] == "when") return true;
  if (words[0] == "how" && words[1] == "long") return true;
  const bool is_which = words[0] == "what" || words[0] == "which";
  return is_which && std::ranges::find(kTimesAskedFor, words[1]) != kTimesAskedFor.end();
}

}  // namespace perdure
