// Splits text into words as BERT does: BertNormalizer and BertPreTokenizer of the Hugging Face
// tokenizers library, with lowercase, strip_accents, clean_text and handle_chinese_chars.
//
// Control, format, unassigned and private-use characters and non-spacing marks vanish; white space
// parts words; each punctuation mark and each Chinese character is a word of its own. What is not
// well-formed UTF-8 is skipped, byte by byte.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace perdure {

// The model knows no longer word. A longer one is read to its end and kept to one character more.
inline constexpr std::size_t kWordCharactersMax = 100;

struct BertWord {
  std::string_view text;   // normalised UTF-8; valid until the next call of Next
  std::size_t characters;  // at least 1, at most kWordCharactersMax + 1
};

class BertWordReader {
 public:
  explicit BertWordReader(std::string_view text) : text_(text) {}  // which must outlive the reader

  std::optional<BertWord> Next();

 private:
  enum class Kind : std::uint8_t { kEnd, kSpace, kAlone, kLetter };
  struct Symbol {
    Kind kind;
    std::int32_t character;
  };

  Symbol Read();
  std::int32_t ReadCharacter();
  void Decompose(std::int32_t character);
  void Append(std::int32_t character);

  std::string_view text_;
  std::array<std::int32_t, 32> decomposed_{};  // longer than any canonical decomposition
  std::size_t decomposed_at_ = 0;
  std::size_t decomposed_count_ = 0;
  bool decomposed_alone_ = false;
  std::optional<Symbol> pending_;  // ended the last word and is one itself
  std::string word_;
  std::size_t characters_ = 0;
};

}  // namespace perdure
