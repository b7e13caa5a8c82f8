#include "index/text/words.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>

namespace perdure {
namespace {

enum class CharClass { kSpace, kWord, kUnspaced, kSymbol, kJoiner, kIgnored };

bool IsAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool IsAsciiDigit(char32_t c) { return c >= '0' && c <= '9'; }
bool IsAsciiUpper(char32_t c) { return c >= 'A' && c <= 'Z'; }
bool IsAsciiLower(char32_t c) { return c >= 'a' && c <= 'z'; }

bool IsUnspacedScript(char32_t c) {
  if (c < 0x0E00) return false;
  if (c < 0x0F00)
    return c != 0x0E3F && (c <= 0x0E4E || (c >= 0x0E80 && (c <= 0x0ECF || c >= 0x0EDC)));
  if (c < 0x1780) {
    return (c >= 0x1000 && c <= 0x109F && (c < 0x1040 || c > 0x104F)) ||
           (c >= 0x1100 && c <= 0x11FF);
  }
  if (c < 0x2E80) return c <= 0x17D3 || c == 0x17D7 || c == 0x17DC || c == 0x17DD;
  if (c < 0x3040)
    return c <= 0x2FDF || (c >= 0x3005 && c <= 0x3007) || (c >= 0x3021 && c <= 0x3029);
  if (c < 0xA4D0) return c != 0x30A0 && c != 0x30FB && (c < 0x3200 || c >= 0x3400) && c != 0x4DC0;
  if (c < 0xAC00) return c >= 0xA960 && c <= 0xA97F;
  if (c < 0x1B000) return c <= 0xD7FF || (c >= 0xF900 && c <= 0xFAFF);
  return c <= 0x1B16F || (c >= 0x20000 && c <= 0x3FFFF);
}

CharClass ClassOf(char32_t c) {
  if (c < 0x80) {
    if (IsAsciiLower(c) || IsAsciiUpper(c) || IsAsciiDigit(c)) return CharClass::kWord;
    return std::u32string_view(U"-_./:@+#~=\\'&,").contains(c) ? CharClass::kJoiner
                                                               : CharClass::kSpace;
  }
  if (c == 0x2010 || c == 0x2019) return CharClass::kJoiner;  // hyphen, apostrophe
  if (c == 0x200B) return CharClass::kSpace;
  const auto type = u_charType(static_cast<UChar32>(c));
  const auto mask = U_MASK(type);
  if ((mask & (U_GC_L_MASK | U_GC_M_MASK | U_GC_N_MASK)) != 0) {
    if (u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_VARIATION_SELECTOR) != 0) {
      return CharClass::kIgnored;
    }
    return IsUnspacedScript(c) ? CharClass::kUnspaced : CharClass::kWord;
  }
  if (type == U_FORMAT_CHAR) return CharClass::kIgnored;
  return type == U_OTHER_SYMBOL && c != 0xFFFD ? CharClass::kSymbol : CharClass::kSpace;
}

using NormalizerGetter = const icu::Normalizer2* (*)(UErrorCode&);

std::string Normalize(NormalizerGetter get, std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* const normalizer = get(status);
  std::string normal;
  if (U_FAILURE(status)) return normal;
  icu::StringByteSink<std::string> sink(&normal, static_cast<int32_t>(text.size()));
  normalizer->normalizeUTF8(0, {text.data(), static_cast<int32_t>(text.size())}, sink, nullptr,
                            status);
  return normal;
}

void AppendUtf8(char32_t c, std::string& text) {
  char buffer[U8_MAX_LENGTH];
  int32_t size = 0;
  U8_APPEND_UNSAFE(buffer, size, static_cast<UChar32>(c));
  text.append(buffer, static_cast<std::size_t>(size));
}

// What is folded without regard to language: any script's digits, vowel points of Arabic and
// Hebrew, the Arabic elongation, Cyrillic stress and io.
void AppendFolded(char32_t c, std::string& text) {
  if ((c >= 0x064B && c <= 0x065F) || c == 0x0670 || c == 0x0640) return;
  if (c >= 0x0591 && c <= 0x05C7) return;
  if (c >= 0x0622 && c <= 0x0627 && c != 0x0624 && c != 0x0626)
    c = 0x0627;  // alef with hamza, madda
  if (c == 0x0451) c = 0x0435;
  if (u_charType(static_cast<UChar32>(c)) == U_DECIMAL_DIGIT_NUMBER) {
    c = U'0' + static_cast<char32_t>(u_charDigitValue(static_cast<UChar32>(c)));
  }
  AppendUtf8(c, text);
}

std::string FoldCase(std::u32string_view word) {
  std::string folded;
  if (std::ranges::all_of(word, [](char32_t c) { return c < 0x80; })) {
    for (const char32_t c : word) {
      folded.push_back(static_cast<char>(IsAsciiUpper(c) ? c + ('a' - 'A') : c));
    }
    return folded;
  }
  std::string utf8;
  for (const char32_t c : word) AppendUtf8(c == 0x2019 ? U'\'' : c == 0x2010 ? U'-' : c, utf8);
  const auto cased = DecodeUtf8(Normalize(icu::Normalizer2::getNFKCCasefoldInstance, utf8));
  for (std::size_t i = 0; i < cased.size(); ++i) {
    const bool is_cyrillic = i > 0 && cased[i - 1] >= 0x0400 && cased[i - 1] <= 0x052F;
    if (is_cyrillic && cased[i] == 0x0301) continue;
    AppendFolded(cased[i], folded);
  }
  return folded;
}

class Tokenizer {
 public:
  explicit Tokenizer(std::u32string_view text) : text_(text) {}

  std::vector<Token> Run() {
    while (at_ < text_.size()) {
      switch (ClassOf(text_[at_])) {
        case CharClass::kWord:
          ReadCompound();
          break;
        case CharClass::kUnspaced:
          Add(TokenKind::kUnspaced, at_, EndOfRun(at_, CharClass::kUnspaced));
          at_ = EndOfRun(at_, CharClass::kUnspaced);
          break;
        case CharClass::kSymbol:
          Add(TokenKind::kSymbol, at_, at_ + 1);
          [[fallthrough]];
        default:
          ++at_;
      }
    }
    return std::move(tokens_);
  }

 private:
  std::size_t EndOfRun(std::size_t from, CharClass char_class) const {
    std::size_t end = from;
    while (end < text_.size()) {
      const auto found = ClassOf(text_[end]);
      if (found != char_class && found != CharClass::kIgnored) break;
      ++end;
    }
    return end;
  }

  bool Add(TokenKind kind, std::size_t begin, std::size_t end) {
    std::string word = FoldCase(text_.substr(begin, end - begin));
    if (word.empty()) return false;
    tokens_.push_back({kind, std::move(word)});
    return true;
  }

  // Words joined by up to three punctuation marks.
  void ReadCompound() {
    const std::size_t begin = at_;
    std::size_t words = 0;
    while (true) {
      const std::size_t word_begin = at_;
      at_ = EndOfRun(at_, CharClass::kWord);
      if (!SkipContraction(word_begin)) {
        AddWord(word_begin, at_);
        ++words;
      }
      std::size_t next = at_;
      while (next < text_.size() && next - at_ < 3 && ClassOf(text_[next]) == CharClass::kJoiner) {
        ++next;
      }
      const bool joins = next > at_ && next < text_.size() &&
                         ClassOf(text_[next]) == CharClass::kWord && JoinsAt(at_, next);
      if (!joins) break;
      at_ = next;
    }
    if (words > 1 && HasJoiner(begin, at_)) AddCompounds(begin, at_);
    if (words == 1) AddLanguageName(begin, at_);
  }

  bool JoinsAt(std::size_t mark, std::size_t next) const {
    if (text_[mark] != ',') return true;
    return next == mark + 1 && IsAsciiDigit(text_[mark - 1]) && IsAsciiDigit(text_[next]);
  }

  bool IsApostrophe(std::size_t i) const { return text_[i] == '\'' || text_[i] == 0x2019; }

  // "user's" and "we'll" are user and we, "don't" is dont.
  bool SkipContraction(std::size_t begin) {
    if (begin < 2 || tokens_.empty() || !IsApostrophe(begin - 1)) return false;
    const std::string suffix = FoldCase(text_.substr(begin, at_ - begin));
    if (suffix == "t" && tokens_.back().text.ends_with('n')) {
      tokens_.back().text += 't';
      return true;
    }
    constexpr std::string_view kSuffixes[] = {"s", "re", "ve", "ll", "d", "m"};
    return std::ranges::find(kSuffixes, suffix) != std::end(kSuffixes);
  }

  void AddWord(std::size_t begin, std::size_t end) {
    if (!Add(TokenKind::kWord, begin, end)) return;
    std::size_t part = begin;
    for (std::size_t i = begin + 1; i < end; ++i) {
      const bool rises = IsAsciiLower(text_[i - 1]) && IsAsciiUpper(text_[i]);
      const bool starts = IsAsciiUpper(text_[i - 1]) && IsAsciiUpper(text_[i]) && i + 1 < end &&
                          IsAsciiLower(text_[i + 1]);
      if (!rises && !starts) continue;
      Add(TokenKind::kPart, part, i);
      part = i;
    }
    if (part > begin) Add(TokenKind::kPart, part, end);
  }

  // The whole, and each stretch of it between the marks that separate names in paths and addresses.
  void AddCompounds(std::size_t begin, std::size_t end) {
    const auto is_separator = [this](std::size_t i) {
      return std::u32string_view(U"/\\:@=~&").contains(text_[i]);
    };
    const auto kind_of = [this](std::size_t from, std::size_t to) {
      const auto part = text_.substr(from, to - from);
      const bool is_identifier =
          part.find_first_of(U"_.\\@0123456789") != std::u32string_view::npos;
      return is_identifier ? TokenKind::kExact : TokenKind::kCompound;
    };
    Add(kind_of(begin, end), begin, end);
    for (std::size_t from = begin, i = begin; i <= end; ++i) {
      if (i < end && !is_separator(i)) continue;
      const bool has_joiner = HasJoiner(from, i);
      if (has_joiner && i - from < end - begin) Add(kind_of(from, i), from, i);
      from = i + 1;
    }
  }

  bool HasJoiner(std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin + 1; i + 1 < end; ++i) {
      if (ClassOf(text_[i]) == CharClass::kJoiner && !IsApostrophe(i)) return true;
    }
    return false;
  }

  // C++, C#, F#.
  void AddLanguageName(std::size_t begin, std::size_t end) {
    if (end - begin > 2) return;
    const auto rest = text_.substr(end);
    const std::size_t size = rest.starts_with(U"++") ? 2 : rest.starts_with(U'#') ? 1 : 0;
    if (size == 0) return;
    if (rest.size() > size && ClassOf(rest[size]) == CharClass::kWord) return;
    Add(TokenKind::kExact, begin, end + size);
  }

  std::u32string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::u32string DecodeUtf8(std::string_view text) {
  std::u32string decoded;
  decoded.reserve(text.size());
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const auto size = static_cast<int32_t>(text.size());
  for (int32_t i = 0; i < size;) {
    UChar32 c = 0;
    // NOLINTNEXTLINE(bugprone-inc-dec-in-conditions): the macro is ICU's
    U8_NEXT_OR_FFFD(bytes, i, size, c);
    decoded.push_back(static_cast<char32_t>(c));
  }
  return decoded;
}

std::vector<std::string_view> Characters(std::string_view text) {
  std::vector<std::string_view> characters;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const auto size = static_cast<int32_t>(text.size());
  for (int32_t i = 0; i < size;) {
    const auto begin = static_cast<std::size_t>(i);
    UChar32 c = 0;
    // NOLINTNEXTLINE(bugprone-inc-dec-in-conditions): the macro is ICU's
    U8_NEXT_OR_FFFD(bytes, i, size, c);
    const auto end = static_cast<std::size_t>(i);
    if (!characters.empty() && (U_GET_GC_MASK(c) & U_GC_M_MASK) != 0) {
      auto& last = characters.back();
      last = {last.data(), last.size() + end - begin};
    } else {
      characters.push_back(text.substr(begin, end - begin));
    }
  }
  return characters;
}

std::vector<Token> Tokenize(std::string_view text) {
  const auto decoded = DecodeUtf8(
      IsAscii(text) ? std::string(text) : Normalize(icu::Normalizer2::getNFKCInstance, text));
  return Tokenizer(decoded).Run();
}

std::string FoldAccents(std::string_view word) {
  if (IsAscii(word)) return std::string(word);
  std::u32string kept;
  bool has_base = false;  // a base letter of Latin or Greek
  for (const char32_t c : DecodeUtf8(Normalize(icu::Normalizer2::getNFDInstance, word))) {
    const bool is_mark = c >= 0x0300 && c <= 0x036F;
    if (is_mark && has_base) continue;
    if (!is_mark)
      has_base = c < 0x0250 || (c >= 0x0370 && c < 0x0400) || (c >= 0x1E00 && c < 0x2000);
    kept.push_back(c);
  }
  std::string folded;
  for (const char32_t c : kept) {
    switch (c) {
      case 0x00E6:
        folded += "ae";
        break;
      case 0x0153:
        folded += "oe";
        break;
      case 0x00F8:
        folded += 'o';
        break;
      case 0x0111:
      case 0x00F0:
        folded += 'd';
        break;
      case 0x0142:
        folded += 'l';
        break;
      case 0x0131:
        folded += 'i';
        break;
      case 0x00FE:
        folded += "th";
        break;
      default:
        AppendUtf8(c, folded);
    }
  }
  return Normalize(icu::Normalizer2::getNFCInstance, folded);
}

}  // namespace perdure
