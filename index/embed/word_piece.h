// WordPiece tokens (Schuster and Nakajima 2012; as in BERT): each word is cut greedily into the
// longest pieces that the vocabulary has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/result.h"
#include "index/embed/bert_words.h"

namespace perdure {

class WordPiece {
 public:
  // From the text of a tokenizer.json. Its truncation and padding are not for us and ignored.
  // Fails with kCorrupt, naming what is malformed or differs from an uncased BERT's tokenizer.
  static Result<WordPiece> Parse(std::string_view tokenizer_json);

  // [CLS], the text's tokens, [SEP]: at most tokens_max (2 or more), the text's end left out. A
  // special token's name within the text is plain text: it cannot pose as the token itself.
  std::vector<std::uint32_t> Encode(std::string_view text, std::size_t tokens_max) const;

  // Tokens of the whole text, without [CLS] and [SEP].
  std::size_t CountTokens(std::string_view text) const;

  std::size_t size() const { return pieces_.size(); }  // every token is below it

 private:
  struct StringHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  using Pieces = std::unordered_map<std::string, std::uint32_t, StringHash, std::equal_to<>>;

  Result<std::uint32_t> Special(const std::string& name) const;
  void AppendWord(const BertWord& word, std::vector<std::uint32_t>& tokens) const;

  Pieces pieces_;
  std::size_t piece_bytes_max_ = 0;
  std::uint32_t begin_ = 0;
  std::uint32_t end_ = 0;
  std::uint32_t unknown_ = 0;
};

}  // namespace perdure
