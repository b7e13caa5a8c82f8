#include "engine/decide/glyph.h"

#include <utf8proc.h>

#include <algorithm>

namespace perdure {
namespace {

constexpr auto kFold =
    static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD |
                                   UTF8PROC_IGNORE | UTF8PROC_STRIPMARK);
constexpr std::size_t kFoldedCodesMax = 18;  // of U+FDFA, the longest

constexpr bool IsBetween(utf8proc_int32_t code, utf8proc_int32_t first, utf8proc_int32_t last) {
  return code >= first && code <= last;
}

bool IsIdeograph(utf8proc_int32_t code) {
  return (IsBetween(code, 0x3041, 0x30ff) && code != 0x30fb) || IsBetween(code, 0x31f0, 0x31ff) ||
         IsBetween(code, 0x3400, 0x4dbf) || IsBetween(code, 0x4e00, 0x9fff) ||
         IsBetween(code, 0x20000, 0x323af);
}

bool IsApostrophe(utf8proc_int32_t code) {
  return code == 0x2018 || code == 0x2019 || code == 0x2bc;
}

GlyphKind KindOf(utf8proc_int32_t code) {
  if (code < 0x80) return KindOfAscii(static_cast<unsigned char>(code));
  if (IsIdeograph(code)) return GlyphKind::kIdeograph;
  if (IsApostrophe(code)) return GlyphKind::kNothing;
  switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return GlyphKind::kLetter;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return GlyphKind::kBlank;
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
      return GlyphKind::kNothing;
    default:
      return GlyphKind::kSymbol;
  }
}

Glyph AsciiGlyph(char c) {
  Glyph glyph;
  glyph.kind = KindOfAscii(static_cast<unsigned char>(c));
  glyph.folded[0] = LowerAscii(c);
  glyph.folded_bytes = 1;
  glyph.code = static_cast<char32_t>(glyph.folded[0]);
  return glyph;
}

// Han of the basic block are what they are folded to.
Glyph HanGlyph(std::string_view utf8, utf8proc_int32_t code) {
  Glyph glyph;
  glyph.kind = GlyphKind::kIdeograph;
  glyph.code = static_cast<char32_t>(code);
  std::ranges::copy(utf8, glyph.folded.data());
  glyph.folded_bytes = utf8.size();
  return glyph;
}

Glyph FoldedGlyph(utf8proc_int32_t code) {
  std::array<utf8proc_int32_t, kFoldedCodesMax> codes{};
  int boundary_class = 0;
  const auto written =
      utf8proc_decompose_char(code, codes.data(), codes.size(), kFold, &boundary_class);
  Glyph glyph;
  if (written <= 0 || static_cast<std::size_t>(written) > codes.size()) {
    if (written == 0) glyph.kind = GlyphKind::kNothing;
    return glyph;
  }
  glyph.kind = KindOf(codes[0]);
  glyph.code = static_cast<char32_t>(codes[0]);
  for (std::size_t i = 0; i < static_cast<std::size_t>(written); ++i) {
    std::array<utf8proc_uint8_t, 4> utf8{};
    const auto bytes = static_cast<std::size_t>(utf8proc_encode_char(codes[i], utf8.data()));
    if (glyph.folded_bytes + bytes > glyph.folded.size()) break;
    std::copy_n(utf8.data(), bytes, glyph.folded.data() + glyph.folded_bytes);
    glyph.folded_bytes += bytes;
  }
  return glyph;
}

}  // namespace

Glyph ReadGlyph(std::string_view text, std::size_t at) {
  if ((text[at] & 0x80) == 0) return AsciiGlyph(text[at]);
  utf8proc_int32_t code = 0;
  const auto bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                                      static_cast<utf8proc_ssize_t>(text.size() - at), &code);
  if (bytes <= 0) return {};
  constexpr utf8proc_int32_t kTags = 0xe0000;
  Glyph glyph;
  if (IsBetween(code, 0x4e00, 0x9fff)) {
    glyph = HanGlyph(text.substr(at, static_cast<std::size_t>(bytes)), code);
  } else if (IsBetween(code, kTags + 0x20, kTags + 0x7e)) {
    glyph = AsciiGlyph(static_cast<char>(code - kTags));
  } else {
    glyph = FoldedGlyph(code);
  }
  glyph.bytes = static_cast<std::size_t>(bytes);
  return glyph;
}

}  // namespace perdure
