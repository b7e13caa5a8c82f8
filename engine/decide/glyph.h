// A text read character by character, each folded to what a reader takes it for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace perdure {

enum class GlyphKind : std::uint8_t {
  kNothing,  // shows nothing or only marks what is before it; apostrophes too
  kBlank,
  kSymbol,
  kLetter,     // part of a word: letters, digits, '_'
  kIdeograph,  // a word of its own: Han and Kana
};

struct Glyph {
  GlyphKind kind = GlyphKind::kSymbol;
  char32_t code = 0;              // the first code point of the folded form; 0 when there is none
  std::size_t bytes = 1;          // that it takes in the text
  std::array<char, 40> folded{};  // U+FDFA needs 33, and none more
  std::size_t folded_bytes = 0;

  [[nodiscard]] std::string_view Folded() const { return {folded.data(), folded_bytes}; }
};

// The character of `text` that begins at byte `at`, which must be one of the text's. NFKD with case
// folded, without marks and default ignorable code points; tag characters (U+E0020 to U+E007E) are
// the ASCII that they hide. A byte that begins no well-formed UTF-8 is a symbol. Cost: 40 ns, or 2
// ns for ASCII.
Glyph ReadGlyph(std::string_view text, std::size_t at);

// What an ASCII character is. Control characters other than white space show nothing.
constexpr GlyphKind KindOfAscii(unsigned char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  if (letter || c == '_') return GlyphKind::kLetter;
  if (c == ' ' || (c >= '\t' && c <= '\r')) return GlyphKind::kBlank;
  return c < ' ' || c == 0x7f || c == '\'' ? GlyphKind::kNothing : GlyphKind::kSymbol;
}

constexpr char LowerAscii(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

}  // namespace perdure
