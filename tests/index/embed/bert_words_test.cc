#include "index/embed/bert_words.h"

#include <gmock/gmock.h>
#include <utf8proc.h>

#include <random>
#include <string>
#include <vector>

namespace perdure {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  BertWordReader reader(text);
  while (const auto word = reader.Next()) words.emplace_back(word->text);
  return words;
}

TEST(BertWordsTest, LowersPartsAndIsolatesPunctuation) {
  EXPECT_THAT(Words("Hello,  World!\n\tIt's C++20."),
              ElementsAre("hello", ",", "world", "!", "it", "'", "s", "c", "+", "+", "20", "."));
  EXPECT_THAT(Words("«fin»…"), ElementsAre("«", "fin", "»", "…"));
  EXPECT_THAT(Words("5€ x²"), ElementsAre("5€", "x²"));  // symbols and numbers are no punctuation
}

TEST(BertWordsTest, StripsAccentsComposedOrNot) {
  EXPECT_THAT(Words("Café naïve Ångström İstanbul"),
              ElementsAre("cafe", "naive", "angstrom", "istanbul"));
  EXPECT_THAT(Words("Cafe\u0301"), ElementsAre("cafe"));
  EXPECT_THAT(Words("ПРИВЕТ ЁЛКА"), ElementsAre("привет", "елка"));
  EXPECT_THAT(Words("한"), ElementsAre("\u1112\u1161\u11ab"));  // as NFD has it
}

TEST(BertWordsTest, MakesEachChineseCharacterAWordButNotKana) {
  EXPECT_THAT(Words("日本語のテキスト"), ElementsAre("日", "本", "語", "のテキスト"));
  EXPECT_THAT(Words("a\uF900b"), ElementsAre("a", "\u8c48", "b"));  // a compatibility ideograph
}

TEST(BertWordsTest, DropsWhatIsNotText) {
  EXPECT_THAT(Words(std::string_view("a\0b\x7f\x01"
                                     "c",
                                     6)),
              ElementsAre("abc"));
  EXPECT_THAT(Words("zero\u200bwidth \ufeffsoft\u00adhyphen \ue000"),
              ElementsAre("zerowidth", "softhyphen"));
  EXPECT_THAT(Words("a\u00a0b\u3000c\u2028d\u2029e"), ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_THAT(Words("\u0301\u0302 \u0303"), IsEmpty());
  EXPECT_THAT(Words(""), IsEmpty());
}

TEST(BertWordsTest, SkipsBytesThatAreNotUtf8AndReadsOn) {
  EXPECT_THAT(Words("a\xff"
                    "b \xc3("
                    "c \xed\xa0\x80"
                    "d \xf0\x9f\x98"),
              ElementsAre("ab", "(", "c", "d"));
  EXPECT_THAT(Words("\xc0\xaf\xf8\x88\x80\x80\x80"), IsEmpty());
}

TEST(BertWordsTest, KeepsALongWordToOneCharacterPastTheMaximum) {
  for (const std::size_t size : {kWordCharactersMax - 1, kWordCharactersMax, kWordCharactersMax + 1,
                                 std::size_t{1} << 20U}) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text += "ж";
    text += " end";
    BertWordReader reader(text);
    const auto word = reader.Next();
    ASSERT_TRUE(word.has_value());
    EXPECT_EQ(word->characters, std::min(size, kWordCharactersMax + 1));
    EXPECT_EQ(word->text.size(), 2 * word->characters);
    EXPECT_EQ(reader.Next()->text, "end");
    EXPECT_FALSE(reader.Next().has_value());
  }
}

// The same rules as passes over the whole text, as the reference states them.
class Oracle {
 public:
  static std::vector<std::string> Words(const std::u32string& text) {
    std::vector<std::string> words(1);
    for (const char32_t c : Fold(Space(text))) {
      if (IsSpace(c)) {
        words.emplace_back();
      } else if (IsPunctuation(c)) {
        words.insert(words.end(), {Utf8(c), ""});
      } else {
        words.back() += Utf8(c);
      }
    }
    std::erase(words, "");
    return words;
  }

  static std::string Utf8(char32_t c) {
    utf8proc_uint8_t bytes[4];
    const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), bytes);
    return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)};
  }

 private:
  static std::string_view Category(char32_t c) {
    return utf8proc_category_string(static_cast<utf8proc_int32_t>(c));
  }
  static bool IsSpace(char32_t c) {
    return c == '\t' || c == '\n' || c == '\r' || Category(c)[0] == 'Z';
  }
  static bool IsPunctuation(char32_t c) {
    return std::u32string_view(U"$+<=>^`|~").find(c) != std::u32string_view::npos ||
           Category(c)[0] == 'P';
  }
  static bool IsChinese(char32_t c) {
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
           (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
           (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
  }

  static std::u32string Space(const std::u32string& text) {
    std::u32string spaced;
    for (const char32_t c : text) {
      if (c == 0xFFFD || (Category(c)[0] == 'C' && !IsSpace(c))) continue;
      if (IsChinese(c)) {
        spaced.append({U' ', c, U' '});
      } else {
        spaced += c;
      }
    }
    return spaced;
  }

  static std::u32string Fold(const std::u32string& text) {
    std::u32string folded;
    std::string utf8;
    for (const char32_t c : text) utf8 += Utf8(c);
    std::vector<utf8proc_int32_t> parts(utf8.size() * 8 + 8);
    const auto count =
        utf8proc_decompose(reinterpret_cast<const utf8proc_uint8_t*>(utf8.data()),
                           static_cast<utf8proc_ssize_t>(utf8.size()), parts.data(),
                           static_cast<utf8proc_ssize_t>(parts.size()), UTF8PROC_DECOMPOSE);
    for (utf8proc_ssize_t i = 0; i < count; ++i) {
      const utf8proc_int32_t part = parts[static_cast<std::size_t>(i)];
      if (Category(static_cast<char32_t>(part)) == "Mn") continue;
      folded += static_cast<char32_t>(utf8proc_tolower(part));
    }
    return folded;
  }
};

TEST(BertWordsTest, AgreesWithTheRulesAppliedOneByOneToAnyText) {
  static constexpr std::pair<char32_t, char32_t> kRanges[] = {
      {0, 0x7f},          {0x80, 0x24f},    {0x300, 0x36f},     {0x370, 0x6ff},
      {0x900, 0xe7f},     {0x1100, 0x11ff}, {0x2000, 0x206f},   {0x3000, 0x9fff},
      {0xac00, 0xd7a3},   {0xf900, 0xffff}, {0x1f300, 0x1faff}, {0x20000, 0x2fa1f},
      {0xe0000, 0x10ffff}};
  std::mt19937_64 random(7);
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  for (int i = 0; i < 3000; ++i) {
    std::u32string text;
    std::string utf8;
    for (std::uint64_t length = below(40); length > 0; --length) {
      const auto& [first, last] = kRanges[below(std::size(kRanges))];
      const auto c = static_cast<char32_t>(first + below(last - first + 1));
      text += c;
      utf8 += Oracle::Utf8(c);
    }
    ASSERT_EQ(Words(utf8), Oracle::Words(text)) << "text " << i;
  }
}

}  // namespace
}  // namespace perdure
