#include "engine/base/canonical.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "support/status_matchers.h"

namespace perdure {
namespace {

using ::perdure::testing::FailsWith;
using ::perdure::testing::IsOk;
using ::testing::HasSubstr;

std::string Canon(std::string_view text) {
  const auto canonical = Canonical(text);
  EXPECT_THAT(canonical, IsOk()) << text;
  return canonical.value_or("?");
}

std::string Utf8(char32_t c) {
  std::string out;
  const auto push = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    push(c);
  } else if (c < 0x800) {
    push(0xc0 | c >> 6), push(0x80 | (c & 63));
  } else if (c < 0x10000) {
    push(0xe0 | c >> 12), push(0x80 | (c >> 6 & 63)), push(0x80 | (c & 63));
  } else {
    push(0xf0 | c >> 18), push(0x80 | (c >> 12 & 63)), push(0x80 | (c >> 6 & 63));
    push(0x80 | (c & 63));
  }
  return out;
}

TEST(Canonical, TextsThatLookTheSameAreOne) {
  for (const char* text : {
           "milk",
           "MILK ",
           "\tMilk\n",
           "ＭＩＬＫ",
           "ｍｉｌｋ",
           "𝓶𝓲𝓵𝓴",
           "ⓜⓘⓛⓚ",
           "m\u0456lk",  // Cyrillic i
           "mi\u217Ck",  // Roman numeral fifty
           "mil\u043A",  // Cyrillic ka
           "mi\u200Dlk",
           "\u200Bmilk",  // zero-width joiner and space
           "m\u00ADilk",
           "milk\uFEFF",  // soft hyphen, byte order mark
           "\u202Emilk\u202C",
           "mi\u2066lk\u2069",  // bidi overrides and isolates
           "mil\u2060k",
           "milk\uFE0F",
           "\u2800milk",
           "\u3164milk",
           "mi\x01lk",
       }) {
    EXPECT_EQ(Canon(text), "milk") << text;
  }
  EXPECT_EQ(Canon("раураl"), "paypal");   // all but the last letter Cyrillic
  EXPECT_EQ(Canon("ΟΡΑ"), Canon("opa"));  // Greek capitals fold first
}

TEST(Canonical, SpacesAndDashesOfAllKindsAreOne) {
  for (const char* text :
       {"team alpha", "  team \t alpha", "team\u00A0alpha", "team\u2003\u3000alpha",
        "team\u2028alpha", "team\r\nalpha", "team\u1680alpha"}) {
    EXPECT_EQ(Canon(text), "team alpha") << text;
  }
  for (const char* text : {"a-b", "a--b", "a\u2010b", "a\u2013b", "a\u2014b", "a\u2212b",
                           "a\u2014\u2014b", "a\uFF0Db", "a\uFE58b"}) {
    EXPECT_EQ(Canon(text), "a-b") << text;
  }
  EXPECT_EQ(Canon("-5"), "-5");
}

TEST(Canonical, CaseAndCompositionAreFolded) {
  EXPECT_EQ(Canon("STRASSE"), Canon("straße"));
  EXPECT_EQ(Canon("CAF\u00C9"), Canon("cafe\u0301"));
  EXPECT_EQ(Canon("ΣΊΣΥΦΟΣ"), Canon("σίσυφος"));
  EXPECT_EQ(Canon("ﬁne"), "fine");
  EXPECT_EQ(Canon("x²"), "x2");
}

TEST(Canonical, DifferentValuesStayDifferent) {
  const std::vector<const char*> values = {
      "milk", "milks", "m ilk", "mílk",   "modern", "modem",        "10",           "lo",
      "l0",   "corn",  "com",   "5",      "-5",     "她喜欢喝绿茶", "她喜欢喝红茶", "东京",
      "京东", "牛奶",  "東京",  "ミルク", "みるく", "우유",         "молоко",       "кефир",
      "γάλα", "حليب",  "لبن",   "דג",     "חלב",    "दूध",           "दही",          "นม",
      "🥛",   "🧀",    "a-b",   "a b",    "ab",     "a_b",          "c++",          "c#",
      "c",    "1.0",   "10.",   ""};
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(Canon(values[i]), Canon(values[j])) << values[i] << " and " << values[j];
    }
  }
}

TEST(Canonical, NothingVisibleIsEmptyAndInvalidUtf8IsRefused) {
  for (const char* text : {"", " ", "\u200B", "\u202E\u200D \u2060", "\u3000\n"}) {
    EXPECT_EQ(Canon(text), "");
  }
  EXPECT_THAT(Canonical("ab\xffmilk"), FailsWith(Code::kInvalidArgument, HasSubstr("byte 2")));
  EXPECT_THAT(Canonical("\xed\xa0\x80"), FailsWith(Code::kInvalidArgument, HasSubstr("byte 0")));
}

TEST(Canonical, EveryCharacterIsCanonicalAfterOnce) {
  for (char32_t c = 0; c < 0x30000; ++c) {
    if (c >= 0xd800 && c < 0xe000) continue;
    const std::string once = Canon("x" + Utf8(c) + "y");
    ASSERT_EQ(Canon(once), once) << std::hex << static_cast<std::uint32_t>(c);
  }
}

TEST(Canonical, TextsOfMixedScriptsAreCanonicalAfterOnce) {
  std::mt19937_64 generator(11);
  const auto pick = [&]() -> char32_t {
    constexpr char32_t kStarts[] = {0x20,   0xa0,   0x300,  0x370,   0x400,  0x590,  0x620,
                                    0x900,  0xe00,  0x1100, 0x1e00,  0x2000, 0x2100, 0x3040,
                                    0x4e00, 0xac00, 0xff00, 0x1d400, 0x1f600};
    return kStarts[generator() % std::size(kStarts)] + static_cast<char32_t>(generator() % 96);
  };
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::size_t n = generator() % 8; n-- > 0;) text += Utf8(pick());
    const std::string once = Canon(text);
    ASSERT_EQ(Canon(once), once) << text;
    ASSERT_EQ(Canon(" " + text + "\u200B\n"), once) << text;
  }
}

TEST(Canonical, TheShortcutForAsciiAgreesWithTheWholeProcedure) {
  std::mt19937_64 generator(12);
  for (int i = 0; i < 5'000; ++i) {
    std::string text;
    for (std::size_t n = generator() % 20; n-- > 0;) text += static_cast<char>(generator() % 128);
    // A zero-width space forces the long way and adds nothing.
    ASSERT_EQ(Canon(text + "\u200B"), Canon(text)) << ::testing::PrintToString(text);
  }
}

}  // namespace
}  // namespace perdure
