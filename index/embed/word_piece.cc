#include "index/embed/word_piece.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "engine/base/check.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kContinuation = "##";

std::unexpected<Error> Corrupt(std::string_view message) {
  return Fail(Code::kCorrupt, fmt::format("tokenizer.json: {}", message));
}

// Each (pointer, value) is what the code of this room does, whatever the file says.
Status CheckMethod(const Json& tokenizer) {
  const std::pair<const char*, Json> expectations[] = {
      {"/model/type", "WordPiece"},
      {"/model/continuing_subword_prefix", kContinuation},
      {"/model/max_input_chars_per_word", kWordCharactersMax},
      {"/normalizer/type", "BertNormalizer"},
      {"/normalizer/clean_text", true},
      {"/normalizer/handle_chinese_chars", true},
      {"/normalizer/strip_accents", nullptr},  // as lowercase says
      {"/normalizer/lowercase", true},
      {"/pre_tokenizer/type", "BertPreTokenizer"},
  };
  for (const auto& [path, expected] : expectations) {
    const Json::json_pointer pointer(path);
    if (!tokenizer.contains(pointer) || tokenizer.at(pointer) != expected) {
      return Corrupt(fmt::format("{} is not {}", path, expected.dump()));
    }
  }
  return {};
}

}  // namespace

Result<WordPiece> WordPiece::Parse(std::string_view tokenizer_json) {
  const Json tokenizer = Json::parse(tokenizer_json, nullptr, /*allow_exceptions=*/false);
  if (tokenizer.is_discarded()) return Corrupt("not JSON");
  RETURN_IF_ERROR(CheckMethod(tokenizer));
  const Json::json_pointer vocabulary("/model/vocab");
  if (!tokenizer.contains(vocabulary) || !tokenizer.at(vocabulary).is_object()) {
    return Corrupt("/model/vocab is not an object");
  }
  const Json& entries = tokenizer.at(vocabulary);
  WordPiece result;
  result.pieces_.reserve(entries.size());
  std::vector<bool> seen(entries.size());
  for (const auto& [piece, id] : entries.items()) {
    if (!id.is_number_unsigned()) return Corrupt("a token's number is not a whole number");
    const auto token = id.get<std::uint64_t>();
    if (token >= seen.size()) return Corrupt("the tokens' numbers are not dense");
    if (seen[token]) return Corrupt("two tokens have one number");
    seen[token] = true;
    result.pieces_.emplace(piece, static_cast<std::uint32_t>(token));
    result.piece_bytes_max_ = std::max(result.piece_bytes_max_, piece.size());
  }
  ASSIGN_OR_RETURN(result.begin_, result.Special("[CLS]"));
  ASSIGN_OR_RETURN(result.end_, result.Special("[SEP]"));
  ASSIGN_OR_RETURN(result.unknown_, result.Special("[UNK]"));
  return result;
}

Result<std::uint32_t> WordPiece::Special(const std::string& name) const {
  const auto found = pieces_.find(name);
  if (found == pieces_.end()) return Corrupt(fmt::format("/model/vocab has no {}", name));
  return found->second;
}

std::vector<std::uint32_t> WordPiece::Encode(std::string_view text, std::size_t tokens_max) const {
  PERDURE_CHECK(tokens_max >= 2);
  std::vector<std::uint32_t> tokens = {begin_};
  BertWordReader words(text);
  while (tokens.size() < tokens_max - 1) {
    const auto word = words.Next();
    if (!word) break;
    AppendWord(*word, tokens);
  }
  tokens.resize(std::min(tokens.size(), tokens_max - 1));
  tokens.push_back(end_);
  return tokens;
}

std::size_t WordPiece::CountTokens(std::string_view text) const {
  std::size_t count = 0;
  std::vector<std::uint32_t> tokens;
  BertWordReader words(text);
  while (const auto word = words.Next()) {
    tokens.clear();
    AppendWord(*word, tokens);
    count += tokens.size();
  }
  return count;
}

// A word of which some part fits no piece is unknown as a whole.
void WordPiece::AppendWord(const BertWord& word, std::vector<std::uint32_t>& tokens) const {
  const std::size_t tokens_before = tokens.size();
  std::string continued(kContinuation);
  std::string_view rest = word.characters > kWordCharactersMax ? std::string_view{} : word.text;
  bool known = !rest.empty();
  for (bool first = true; known && !rest.empty(); first = false) {
    known = false;
    for (std::size_t bytes = std::min(rest.size(), piece_bytes_max_); bytes > 0; --bytes) {
      std::string_view piece = rest.substr(0, bytes);
      if (!first) {
        continued.resize(kContinuation.size());
        continued += piece;
        piece = continued;
      }
      const auto found = pieces_.find(piece);
      if (found == pieces_.end()) continue;
      tokens.push_back(found->second);
      rest.remove_prefix(bytes);
      known = true;
      break;
    }
  }
  if (known) return;
  tokens.resize(tokens_before);
  tokens.push_back(unknown_);
}

}  // namespace perdure
