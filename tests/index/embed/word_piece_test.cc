#include "index/embed/word_piece.h"

#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "engine/base/limits.h"
#include "support/status_matchers.h"

namespace perdure {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using Json = nlohmann::json;

Json TokenizerOf(const std::vector<std::string>& pieces) {
  Json vocabulary = Json::object();
  for (const std::string& piece : pieces) vocabulary[piece] = vocabulary.size();
  return {{"truncation", {{"max_length", 3}}},
          {"padding", {{"strategy", {{"Fixed", 128}}}}},
          {"normalizer",
           {{"type", "BertNormalizer"},
            {"clean_text", true},
            {"handle_chinese_chars", true},
            {"strip_accents", nullptr},
            {"lowercase", true}}},
          {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
          {"model",
           {{"type", "WordPiece"},
            {"continuing_subword_prefix", "##"},
            {"max_input_chars_per_word", 100},
            {"vocab", vocabulary}}}};
}

// [UNK] 0, [CLS] 1, [SEP] 2, [MASK] 3, then:
const std::vector<std::string> kPieces = {"[UNK]",  "[CLS]", "[SEP]", "[MASK]",   "un",  "##aff",
                                          "##able", "a",     "##a",   "[",        "]",   "mask",
                                          "cls",    "##s",   "é",     "##able##", "##un"};

WordPiece Small() { return WordPiece::Parse(TokenizerOf(kPieces).dump()).value(); }

TEST(WordPieceTest, CutsAWordIntoItsLongestPieces) {
  EXPECT_THAT(Small().Encode("Unaffable a", 256), ElementsAre(1, 4, 5, 6, 7, 2));
  EXPECT_EQ(Small().CountTokens("Unaffable a"), 4U);
}

TEST(WordPieceTest, MakesAWordWithAnUnknownPartUnknownAsAWhole) {
  EXPECT_THAT(Small().Encode("unaffq a", 256), ElementsAre(1, 0, 7, 2));
}

TEST(WordPieceTest, ReadsTheNameOfASpecialTokenAsPlainText) {
  EXPECT_THAT(Small().Encode("[MASK]", 256), ElementsAre(1, 9, 11, 10, 2));
  EXPECT_THAT(Small().Encode("[CLS]", 256), ElementsAre(1, 9, 12, 10, 2));
}

TEST(WordPieceTest, IgnoresTheFilesOwnTruncationAndPadding) {
  EXPECT_THAT(Small().Encode("a a a a a", 256), ElementsAre(1, 7, 7, 7, 7, 7, 2));
}

TEST(WordPieceTest, CutsATextAtTheMaximumButCountsAllOfIt) {
  constexpr std::size_t kMax = limits::kEmbedTokensMax;
  for (const std::size_t words : {kMax - 3, kMax - 2, kMax - 1, kMax, std::size_t{1000}}) {
    std::string text;
    for (std::size_t i = 0; i < words; ++i) text += "a ";
    const auto tokens = Small().Encode(text, kMax);
    EXPECT_EQ(tokens.size(), std::min(words + 2, kMax));
    EXPECT_EQ(tokens.front(), 1U);
    EXPECT_EQ(tokens.back(), 2U);
    EXPECT_EQ(Small().CountTokens(text), words);
  }
  EXPECT_THAT(Small().Encode("unaffable", 4), ElementsAre(1, 4, 5, 2));  // within a word
  EXPECT_THAT(Small().Encode("unaffable", 2), ElementsAre(1, 2));
}

TEST(WordPieceTest, KnowsWordsOfAHundredCharactersAndNoLongerOnes) {
  EXPECT_EQ(Small().CountTokens(std::string(99, 'a')), 99U);
  EXPECT_EQ(Small().CountTokens(std::string(100, 'a')), 100U);
  EXPECT_THAT(Small().Encode(std::string(101, 'a'), 256), ElementsAre(1, 0, 2));
  EXPECT_THAT(Small().Encode(std::string(1 << 20, 'a'), 256), ElementsAre(1, 0, 2));
}

TEST(WordPieceTest, TakesAnyBytes) {
  std::mt19937_64 random(11);
  const WordPiece tokenizer = Small();
  for (int i = 0; i < 2000; ++i) {
    std::string text(random() % 300, '\0');
    for (char& byte : text) byte = static_cast<char>(random());
    const auto tokens = tokenizer.Encode(text, 64);
    ASSERT_GE(tokens.size(), 2U);
    ASSERT_LE(tokens.size(), 64U);
    for (const std::uint32_t token : tokens) ASSERT_LT(token, tokenizer.size());
    ASSERT_GE(tokenizer.CountTokens(text) + 2, tokens.size());
  }
}

// Tries every prefix from the longest down, with no bound on a piece's length.
std::vector<std::uint32_t> GreedyOracle(const std::map<std::string, std::uint32_t>& vocabulary,
                                        const std::string& word) {
  std::vector<std::uint32_t> tokens;
  for (std::size_t at = 0; at < word.size();) {
    std::size_t size = word.size() - at;
    while (size > 0 && !vocabulary.contains((at > 0 ? "##" : "") + word.substr(at, size))) --size;
    if (size == 0) return {0};
    tokens.push_back(vocabulary.at((at > 0 ? "##" : "") + word.substr(at, size)));
    at += size;
  }
  return tokens;
}

TEST(WordPieceTest, AgreesWithAPlainGreedySearchOverRandomVocabularies) {
  std::mt19937_64 random(13);
  const auto letters = [&](std::size_t max) {
    std::string text;
    for (std::size_t size = 1 + random() % max; size > 0; --size) {
      text += static_cast<char>('a' + random() % 3);
    }
    return text;
  };
  for (int round = 0; round < 100; ++round) {
    std::vector<std::string> pieces = {"[UNK]", "[CLS]", "[SEP]"};
    std::map<std::string, std::uint32_t> vocabulary;
    for (int i = 0; i < 25; ++i) {
      const std::string piece = (random() % 2 == 0 ? "##" : "") + letters(4);
      if (vocabulary.emplace(piece, pieces.size()).second) pieces.push_back(piece);
    }
    const auto tokenizer = WordPiece::Parse(TokenizerOf(pieces).dump());
    ASSERT_THAT(tokenizer, IsOk());
    for (int i = 0; i < 50; ++i) {
      const std::string word = letters(12);
      std::vector<std::uint32_t> expected = GreedyOracle(vocabulary, word);
      expected.insert(expected.begin(), 1);
      expected.push_back(2);
      ASSERT_EQ(tokenizer->Encode(word, 256), expected) << word;
    }
  }
}

TEST(WordPieceTest, RefusesATokenizerOfAnotherKindByNamingTheDifference) {
  const Json right = TokenizerOf(kPieces);
  EXPECT_THAT(WordPiece::Parse(right.dump()), IsOk());
  const std::pair<const char*, Json> changes[] = {
      {"/model/type", "BPE"},
      {"/model/continuing_subword_prefix", "@@"},
      {"/model/max_input_chars_per_word", 200},
      {"/normalizer/lowercase", false},
      {"/normalizer/strip_accents", false},
      {"/normalizer/type", "NFC"},
      {"/pre_tokenizer/type", "ByteLevel"},
      {"/model/vocab", Json::array()},
  };
  for (const auto& [path, value] : changes) {
    Json changed = right;
    changed[Json::json_pointer(path)] = value;
    EXPECT_THAT(WordPiece::Parse(changed.dump()), FailsWith(Code::kCorrupt, HasSubstr(path)));
  }
}

TEST(WordPieceTest, RefusesAMalformedVocabulary) {
  const auto with = [](const std::string& piece, const Json& id) {
    Json tokenizer = TokenizerOf(kPieces);
    tokenizer["model"]["vocab"][piece] = id;
    return tokenizer.dump();
  };
  EXPECT_THAT(WordPiece::Parse(with("new", kPieces.size())), IsOk());
  EXPECT_THAT(WordPiece::Parse(with("new", kPieces.size() + 1)),
              FailsWith(Code::kCorrupt, HasSubstr("not dense")));
  EXPECT_THAT(WordPiece::Parse(with("new", 0)), FailsWith(Code::kCorrupt, HasSubstr("one number")));
  EXPECT_THAT(WordPiece::Parse(with("new", -1)),
              FailsWith(Code::kCorrupt, HasSubstr("not a whole number")));
  EXPECT_THAT(WordPiece::Parse(TokenizerOf({"[UNK]", "[CLS]"}).dump()),
              FailsWith(Code::kCorrupt, HasSubstr("no [SEP]")));
  EXPECT_THAT(WordPiece::Parse("{"), FailsWith(Code::kCorrupt, HasSubstr("not JSON")));
  EXPECT_THAT(WordPiece::Parse("[]"), FailsWith(Code::kCorrupt, HasSubstr("/model/type")));
}

TEST(WordPieceTest, NoChangeOfTheFilesBytesBreaksTheReader) {
  const std::string whole = TokenizerOf(kPieces).dump();
  std::mt19937_64 random(17);
  int refused = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string file = whole;
    for (int change = 0; change < 3; ++change) {
      file[random() % file.size()] = static_cast<char>(random());
    }
    const auto tokenizer = WordPiece::Parse(file);
    if (!tokenizer) {
      ++refused;
      continue;
    }
    for (const std::uint32_t token : tokenizer->Encode("unaffable [MASK] é", 16)) {
      ASSERT_LT(token, tokenizer->size());
    }
  }
  EXPECT_GT(refused, 2500);
}

}  // namespace
}  // namespace perdure
