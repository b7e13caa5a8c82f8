// Bytes as a pattern and a path: the same answer as a matcher that simply tries everything.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/bytes.h"
#include "engine/base/check.h"
#include "tools/source/patterns.h"

namespace perdure {
namespace {

constexpr std::size_t kPathBytesMax = 24;  // what tries everything takes exponential time
constexpr std::size_t kTriedBytesMax = 12;

// The grammar of patterns.h, read as it is written: ASCII alone.
bool Naive(std::string_view pattern, std::string_view path, bool at_part) {
  if (pattern.empty()) return path.empty();
  if (at_part && pattern.starts_with("**/")) {
    if (Naive(pattern.substr(3), path, true)) return true;
    const std::size_t slash = path.find('/');
    return slash != path.npos && Naive(pattern, path.substr(slash + 1), true);
  }
  if (at_part && pattern == "**") return !path.empty();
  if (pattern.front() == '*') {
    if (Naive(pattern.substr(1), path, false)) return true;
    return !path.empty() && path.front() != '/' && Naive(pattern, path.substr(1), false);
  }
  if (path.empty()) return false;
  const bool fits = pattern.front() == '?' ? path.front() != '/' : pattern.front() == path.front();
  return fits && Naive(pattern.substr(1), path.substr(1), path.front() == '/');
}

bool IsPlain(std::string_view text) {
  for (const char letter : text) {
    if (letter <= 0 || letter == '!') return false;
  }
  return !text.empty() && !text.contains("//") && !text.starts_with('/') && !text.ends_with('/');
}

}  // namespace
}  // namespace perdure

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = std::min(bytes.find('\n'), bytes.size());
  const std::string_view pattern = bytes.substr(0, cut);
  const std::string_view path = bytes.substr(std::min(bytes.size(), cut + 1));
  const auto list = perdure::PatternList::Of({std::string(pattern)});
  if (list) static_cast<void>(list->Admits(path));
  const bool is_small = pattern.size() <= perdure::kTriedBytesMax &&
                        path.size() <= perdure::kPathBytesMax && perdure::IsPlain(pattern) &&
                        perdure::IsPlain(path);
  if (!list || !is_small) return 0;
  const std::string anchored = "/" + std::string(pattern);
  PERDURE_CHECK(perdure::MatchesPattern(anchored, path) == perdure::Naive(pattern, path, true));
  PERDURE_CHECK(perdure::MatchesPattern(pattern, path) ==
                perdure::Naive("**/" + std::string(pattern), path, true));
  return 0;
}
