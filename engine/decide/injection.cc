#include "engine/decide/injection.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "engine/base/canonical.h"
#include "engine/decide/glyph.h"
#include "engine/decide/injection_words.h"

namespace perdure {
namespace {

using injection::CannotBegin;
using injection::kNodes;
using injection::kStates;
using injection::Walk;

// The ASCII letter that a Greek or Cyrillic one looks like, or 0.
char LookAlike(char32_t code) {
  constexpr char32_t kFirst = 0x370;
  constexpr char32_t kEnd = 0x530;
  using Table = std::array<char, kEnd - kFirst>;
  static const Table table = [] {
    Table made{};
    for (char32_t c = kFirst; c < kEnd; ++c) {
      const std::array<char, 2> utf8 = {static_cast<char>(0xc0 | (c >> 6)),
                                        static_cast<char>(0x80 | (c & 0x3f))};
      const auto canonical = Canonical({utf8.data(), utf8.size()});
      if (canonical && canonical->size() == 1) made[c - kFirst] = canonical->front();
    }
    return made;
  }();
  return code >= kFirst && code < kEnd ? table[code - kFirst] : '\0';
}

// A word of characters outside ASCII, or with such that show nothing between its own.
struct FoldedWord {
  std::array<char, injection::kWordBytesMax> bytes{};
  std::size_t size = 0;
  bool is_cut = false;  // longer than that

  void Append(std::string_view folded) {
    is_cut = is_cut || folded.size() > bytes.size() - size;
    if (is_cut) return;
    std::ranges::copy(folded, bytes.data() + size);
    size += folded.size();
  }
  [[nodiscard]] std::string_view View() const { return {bytes.data(), size}; }
};

// Runs all patterns at once over the text's words, which are numbered from 1: one window a state,
// from which to which word its next element is awaited. A word that stands in no pattern costs only
// its number, and the end of a sentence jumps further than any window reaches.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<std::string_view> Run() {
    while (at_ < text_.size() && !found_) {
      switch (KindAt(at_)) {
        case GlyphKind::kLetter:
          ReadAsciiWord();
          break;
        case GlyphKind::kSymbol:
          ReadSymbol(static_cast<unsigned char>(text_[at_]), 1);
          break;
        case GlyphKind::kIdeograph:
          ReadOther();
          break;
        default:
          ++at_;
      }
    }
    return found_;
  }

 private:
  struct Window {
    std::size_t from = 0;
    std::size_t until = 0;
  };

  // What stands at `at`; kIdeograph for everything outside ASCII.
  [[nodiscard]] GlyphKind KindAt(std::size_t at) const {
    static constexpr auto kKinds = [] {
      std::array<GlyphKind, 0x100> kinds{};
      kinds.fill(GlyphKind::kIdeograph);
      for (unsigned char c = 0; c < 0x80; ++c) kinds[c] = KindOfAscii(c);
      return kinds;
    }();
    return kKinds[static_cast<unsigned char>(text_[at])];
  }

  // Goes the short way as long as the word is ASCII.
  void ReadAsciiWord() {
    const std::size_t begin = at_;
    const bool is_strange = CannotBegin(text_.substr(begin));
    Walk walk;
    for (; at_ < text_.size(); ++at_) {
      GlyphKind kind = KindAt(at_);
      if (kind == GlyphKind::kLetter && !is_strange) {
        walk.Step(LowerAscii(text_[at_]));
        continue;
      }
      while (kind == GlyphKind::kLetter && ++at_ < text_.size()) kind = KindAt(at_);
      if (at_ == text_.size()) break;
      if (text_[at_] == '\'') continue;
      if (kind == GlyphKind::kIdeograph || kind == GlyphKind::kNothing) return ReadWord(begin);
      break;
    }
    ++words_;
    if (!is_strange) TakeWord(walk, true);
  }

  void ReadWord(std::size_t begin) {
    FoldedWord plain;  // as it is
    FoldedWord alike;  // with look-alikes replaced
    bool has_ascii = false;
    bool has_alike = false;
    for (at_ = begin; at_ < text_.size();) {
      const Glyph glyph = ReadGlyph(text_, at_);
      if (glyph.kind != GlyphKind::kLetter && glyph.kind != GlyphKind::kNothing) break;
      at_ += glyph.bytes;
      if (glyph.kind == GlyphKind::kNothing) continue;
      plain.Append(glyph.Folded());
      const char look = LookAlike(glyph.code);
      alike.Append(look == '\0' ? glyph.Folded() : std::string_view(&look, 1));
      has_ascii = has_ascii || glyph.code < 0x80;
      has_alike = has_alike || look != '\0';
    }
    const FoldedWord& word = has_ascii && has_alike ? alike : plain;
    Walk walk;
    walk.Step(word.View());
    ++words_;
    TakeWord(walk, !word.is_cut);
  }

  void ReadOther() {
    const Glyph glyph = ReadGlyph(text_, at_);
    switch (glyph.kind) {
      case GlyphKind::kLetter:
        ReadWord(at_);
        return;
      case GlyphKind::kIdeograph:
        ++words_;
        ReadIdeographs(glyph);
        break;
      case GlyphKind::kSymbol:
        ReadSymbol(glyph.code, glyph.bytes);
        return;
      default:
        break;
    }
    at_ += glyph.bytes;
  }

  void ReadSymbol(char32_t code, std::size_t bytes) {
    const std::size_t literal_end = BeginsALiteral(code) ? ReadLiteral() : at_;
    ReadMark(code, at_ + bytes);
    at_ = std::max(at_ + bytes, literal_end);
  }

  static bool BeginsALiteral(char32_t code) {
    static constexpr auto kBegins = [] {
      std::array<bool, 0x80> begins{};
      for (std::size_t i = kNodes->children; i != (kNodes + 1)->children; ++i) {
        if (kNodes[i].label < begins.size()) begins[kNodes[i].label] = true;
      }
      return begins;
    }();
    return code < kBegins.size() && kBegins[code];
  }

  // Every run of ideographs that begins with `first`, here; each of them is a word.
  void ReadIdeographs(const Glyph& first) {
    Walk walk;
    walk.Step(first.Folded());
    Take(walk.ExactSteps(), words_, words_);
    std::size_t end = words_;
    for (std::size_t at = at_ + first.bytes; at < text_.size() && !walk.IsLost();) {
      const Glyph glyph = ReadGlyph(text_, at);
      at += glyph.bytes;
      if (glyph.kind == GlyphKind::kNothing || glyph.kind == GlyphKind::kBlank) continue;
      walk.Step(glyph.Folded());
      Take(walk.ExactSteps(), words_, ++end);
    }
  }

  // The literal that begins here stands between two words and is none. Returns where it ends.
  std::size_t ReadLiteral() {
    Walk walk;
    std::size_t literal_end = at_;
    for (std::size_t at = at_; at < text_.size() && !walk.IsLost();) {
      const Glyph glyph = ReadGlyph(text_, at);
      at += glyph.bytes;
      if (glyph.kind == GlyphKind::kNothing) continue;
      walk.Step(glyph.Folded());
      if (walk.ExactSteps().empty()) continue;
      Take(walk.ExactSteps(), words_ + 1, words_);
      literal_end = at;
    }
    return literal_end;
  }

  // What parts sentences, and what parts clauses. `next` is the byte behind it.
  void ReadMark(char32_t code, std::size_t next) {
    switch (code) {
      case '.':
      case '!':
      case '?':
        if (next < text_.size() && ReadGlyph(text_, next).kind == GlyphKind::kLetter) return;
        [[fallthrough]];
      case 0x3002:  // ideographic full stop
      case 0x061f:  // Arabic question mark
        words_ += injection::kGapMax + 2;
        [[fallthrough]];
      case ',':
      case ':':
      case ';':
      case '(':
      case 0x3001:  // ideographic comma
        clause_ = words_;
        break;
      default:
        break;
    }
  }

  void TakeWord(const Walk& walk, bool is_whole) {
    if (is_whole) Take(walk.ExactSteps(), words_, words_);
    Take(walk.PrefixSteps(), words_, words_);
  }

  // The words `begin` to `end` are an element: of these states, or a guard's.
  void Take(std::span<const std::uint16_t> steps, std::size_t begin, std::size_t end) {
    for (const std::uint16_t step : steps) {
      if (step >= std::size(kStates)) {
        guards_[step - std::size(kStates)] = end;
      } else if (IsAwaited(step, begin)) {
        Advance(step, end);
      }
    }
  }

  [[nodiscard]] bool IsAwaited(std::uint16_t step, std::size_t begin) const {
    const auto& state = kStates[step];
    if (!state.first) return windows_[step].from <= begin && begin <= windows_[step].until;
    if (state.guard < 0) return true;
    const std::size_t guard = guards_[static_cast<std::size_t>(state.guard)];
    return guard + 1 != begin || guard <= clause_;
  }

  // Where the next state still waits from before, both windows become one; the words between them,
  // if any, are fewer than a run of ideographs has.
  void Advance(std::uint16_t step, std::size_t end) {
    const auto& state = kStates[step];
    if (state.last) {
      if (!found_) found_ = injection::kNames[state.pattern];
      return;
    }
    Window& next = windows_[step + 1U];
    if (next.until < end) next.from = end + 1;
    next.until = std::max(next.until, end + 1 + state.gap);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t words_ = 0;   // the number of the word that was read last
  std::size_t clause_ = 0;  // and of the last one before this clause
  std::array<Window, std::size(kStates)> windows_{};
  std::array<std::size_t, injection::kGuards> guards_{};  // the last word of each
  std::optional<std::string_view> found_;
};

}  // namespace

std::optional<std::string_view> FindInjection(std::string_view text) { return Scanner(text).Run(); }

}  // namespace perdure
