// What changed between two texts, for people: unified by line, and by word.
#pragma once

#include <string>
#include <string_view>

namespace perdure {

// The unified format of diff(1) with three lines of context, as patch(1) reads it: empty when the
// texts are equal.
//
//   diff := "--- " old_name LF "+++ " new_name LF hunk+
//   hunk := "@@ -" range " +" range " @@" LF line+
//   line := (" " | "-" | "+") text LF ["\ No newline at end of file" LF]
struct DiffNames {
  std::string old_name;
  std::string new_name;
};
std::string UnifiedDiff(std::string_view old_text, std::string_view new_text,
                        const DiffNames& names);

// The lines that changed, in the way of `git diff --word-diff`: what went stands in [-...-], what
// came in {+...+}, what stays between them as it is; "@@ line N @@" (of the new text) opens each
// place. For reading only: a text that holds such brackets is shown as it is.
std::string WordDiff(std::string_view old_text, std::string_view new_text);

}  // namespace perdure
