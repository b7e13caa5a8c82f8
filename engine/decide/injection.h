// Texts that give orders to whoever reads them: "ignore all previous instructions" and its like.
#pragma once

#include <optional>
#include <string_view>

namespace perdure {

// The name of the pattern by which `text` gives orders to the model that reads it, or nullopt. The
// patterns, their sources and their examples stand in injection_patterns.txt.
//
// Pure and total: any bytes are a text; what is not UTF-8 parts words. Nothing is allocated. Case,
// compatibility and full-width forms, accents, characters that show nothing, tag characters, white
// space, marks between words, and Greek or Cyrillic letters in a Latin word hide nothing. What is
// told instead of ordered ("they ignore previous instructions") is let pass. Not seen: paraphrase,
// misspelling, letters set apart, encodings, patterns across a sentence's end, other languages.
//
// Cost: linear. On a busy machine 4 to 7 us for a KB of English, 15 to 40 us for one of another
// script, 13 us for one of nothing but words of patterns. Ends at what it finds.
std::optional<std::string_view> FindInjection(std::string_view text);

}  // namespace perdure
