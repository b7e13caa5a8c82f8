// Finds the words of a text: what terms.h builds terms from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace perdure {

enum class TokenKind {
  kWord,      // letters, marks and digits
  kUnspaced,  // a run of a script without spaces, to be read as character bigrams
  kSymbol,    // an emoji or other pictograph
  kPart,      // a part of the camelCase word before it
  kCompound,  // words joined by punctuation; those words are tokens of their own too
  kExact,     // a compound that looks like an identifier, a path, a version
};

struct Token {
  TokenKind kind = TokenKind::kWord;
  std::string text;  // NFKC, case-folded; never empty
};

// Any bytes are allowed; what is not UTF-8 separates words. Linear in the text.
std::vector<Token> Tokenize(std::string_view text);

// What is not UTF-8 becomes U+FFFD.
std::u32string DecodeUtf8(std::string_view text);

// Splits a text into characters as a reader sees them: a code point with the marks upon it.
std::vector<std::string_view> Characters(std::string_view text);

// The word without accents (Latin, Greek); the word itself where there are none.
std::string FoldAccents(std::string_view word);

}  // namespace perdure
