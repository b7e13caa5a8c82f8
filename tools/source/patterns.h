// Which files of a folder are memories.
//
//   pattern = ["!"] ["/"] part {"/" part} ["/"]
//   part    = "**"              any number of folders, none too; at the end: whatever is below
//           | { "*" | "?" | c } any letters, one letter, this letter; never a "/"
//
// A pattern matches a path from the folder's root, with "/" between its parts. One that does not
// begin with "/" matches at any depth; one that ends with "/" matches whatever is below.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace perdure {

inline constexpr std::size_t kPatternBytesMax = 256;
inline constexpr std::size_t kPatternsMax = 64;  // of one source, the well-known names apart

// Whether `path` is one that `pattern`, without a "!", means. Takes at most the product of their
// lengths.
bool MatchesPattern(std::string_view pattern, std::string_view path);

// The names of well_known.txt.
const std::vector<std::string>& WellKnownNames();

class PatternList {
 public:
  // The well-known names, then `patterns` in turn: of those that match a path the last one decides,
  // and one with "!" says no. ["notes/"] adds, ["!AGENTS.md"] takes away, ["!**", "notes/"] is all
  // that is below folders called notes.
  static Result<PatternList> Of(std::vector<std::string> patterns);

  bool Admits(std::string_view path) const;

 private:
  std::vector<std::string> patterns_;
};

}  // namespace perdure
