#include "tools/source/patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "engine/base/bytes.h"
#include "well_known_generated.h"

namespace perdure {
namespace {

// Both sides as sequences: `is_any(p)` elements of the pattern stand for any number of elements,
// the others for one each. Going back to the last such element alone is enough.
template <typename IsAny, typename Fits>
bool MatchSequence(std::size_t pattern_size, std::size_t size, IsAny is_any, Fits fits) {
  std::size_t p = 0;
  std::size_t at = 0;
  std::size_t after_any = pattern_size + 1;  // where to go back to; beyond the end: nowhere
  std::size_t taken = 0;                     // elements up to where the last "any" reaches
  while (at < size) {
    if (p < pattern_size && is_any(p)) {
      after_any = ++p;
      taken = at;
    } else if (p < pattern_size && fits(p, at)) {
      ++p;
      ++at;
    } else if (after_any <= pattern_size) {
      p = after_any;
      at = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern_size && is_any(p)) ++p;
  return p == pattern_size;
}

// Code points, so that "?" is a letter of any language; bytes that are no UTF-8 one each.
std::vector<std::string_view> LettersOf(std::string_view text) {
  std::vector<std::string_view> letters;
  while (!text.empty()) {
    std::size_t size = 1;
    while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) ++size;
    letters.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return letters;
}

bool MatchesPart(std::string_view pattern, std::string_view part) {
  const auto wanted = LettersOf(pattern);
  const auto letters = LettersOf(part);
  return MatchSequence(
      wanted.size(), letters.size(), [&](std::size_t p) { return wanted[p] == "*"; },
      [&](std::size_t p, std::size_t at) { return wanted[p] == "?" || wanted[p] == letters[at]; });
}

std::vector<std::string_view> PartsOf(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t slash = text.find('/');
    parts.push_back(text.substr(0, slash));
    if (slash == text.npos) return parts;
    text.remove_prefix(slash + 1);
  }
}

Status CheckPattern(const std::string& pattern) {
  const auto refuse = [&](std::string_view why) {
    return Fail(Code::kInvalidArgument,
                fmt::format("The pattern \"{}\" {}.", CutAtGrapheme(pattern, 80), why), "patterns");
  };
  if (pattern.size() > kPatternBytesMax) {
    return refuse(fmt::format("has more than {} bytes", kPatternBytesMax));
  }
  if (FirstInvalidUtf8(pattern)) return refuse("is not UTF-8");
  std::string_view rest = pattern;
  if (rest.starts_with('!')) rest.remove_prefix(1);
  if (rest.starts_with('/')) rest.remove_prefix(1);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  for (const std::string_view part : PartsOf(rest)) {
    if (part.empty()) return refuse("has an empty part");
    if (part == "." || part == "..")
      return refuse("leads elsewhere: \".\" and \"..\" match nothing");
  }
  return {};
}

}  // namespace

bool MatchesPattern(std::string_view pattern, std::string_view path) {
  std::vector<std::string_view> wanted;
  if (pattern.starts_with('/')) {
    pattern.remove_prefix(1);
  } else {
    wanted.emplace_back("**");
  }
  for (const std::string_view part : PartsOf(pattern)) wanted.push_back(part);
  if (wanted.back().empty()) wanted.back() = "**";
  // What is below a folder is not the folder itself.
  if (wanted.size() > 1 && wanted.back() == "**") wanted.insert(wanted.end() - 1, "*");
  const auto parts = PartsOf(path);
  return MatchSequence(
      wanted.size(), parts.size(), [&](std::size_t p) { return wanted[p] == "**"; },
      [&](std::size_t p, std::size_t at) { return MatchesPart(wanted[p], parts[at]); });
}

const std::vector<std::string>& WellKnownNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> read;
    std::istringstream lines(kWellKnownText);
    for (std::string line; std::getline(lines, line);) {
      if (!line.empty() && !line.starts_with('#')) read.push_back(line);
    }
    return read;
  }();
  return names;
}

Result<PatternList> PatternList::Of(std::vector<std::string> patterns) {
  if (patterns.size() > kPatternsMax) {
    return Fail(Code::kInvalidArgument,
                fmt::format("A source has at most {} patterns.", kPatternsMax), "patterns");
  }
  for (const std::string& pattern : patterns) RETURN_IF_ERROR(CheckPattern(pattern));
  PatternList list;
  list.patterns_ = std::move(patterns);
  return list;
}

bool PatternList::Admits(std::string_view path) const {
  for (auto at = patterns_.rbegin(); at != patterns_.rend(); ++at) {
    const bool takes_away = at->starts_with('!');
    if (MatchesPattern(std::string_view(*at).substr(takes_away ? 1 : 0), path)) return !takes_away;
  }
  return std::ranges::any_of(WellKnownNames(),
                             [&](const std::string& name) { return MatchesPattern(name, path); });
}

}  // namespace perdure
