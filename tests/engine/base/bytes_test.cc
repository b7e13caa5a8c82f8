#include "engine/base/bytes.h"

#include <gtest/gtest.h>

namespace perdure {
namespace {

TEST(Bytes, EncodingsComeBackExactlyAndRefuseWhatTheyNeverWrite) {
  std::string all;
  for (int i = 0; i < 256; ++i) all.push_back(static_cast<char>(i));
  for (std::size_t length : {0u, 1u, 2u, 3u, 4u, 255u, 256u}) {
    const std::string bytes = all.substr(0, length);
    EXPECT_EQ(HexDecode(HexEncode(bytes)), bytes);
    EXPECT_EQ(Base64Decode(Base64Encode(bytes)), bytes);
    EXPECT_EQ(Base64UrlDecode(Base64UrlEncode(bytes)), bytes);
  }
  EXPECT_EQ(Base64Encode("ab"), "YWI=");
  EXPECT_FALSE(HexDecode("abc"));
  EXPECT_FALSE(HexDecode("zz"));
  EXPECT_FALSE(Base64Decode("YWI"));
  EXPECT_FALSE(Base64UrlDecode("YWJ"));  // a bit set that no encoder sets
  EXPECT_FALSE(Base64UrlDecode("Y+I"));
}

TEST(Bytes, InvalidUtf8IsNamedByItsOffset) {
  EXPECT_FALSE(FirstInvalidUtf8(std::string("a\0b\xF0\x9F\x98\x80", 7)));
  EXPECT_EQ(FirstInvalidUtf8("abc\xff"), 3u);
  EXPECT_EQ(FirstInvalidUtf8("ab\xC0\x80"), 2u);     // overlong
  EXPECT_EQ(FirstInvalidUtf8("\xED\xA0\x80"), 0u);   // surrogate
  EXPECT_EQ(FirstInvalidUtf8("x\xF0\x9F\x98"), 1u);  // cut short
}

TEST(Bytes, ACutNeverSplitsAGrapheme) {
  const std::string family = "\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9";  // joined emoji
  const std::string text = "ab" + family + "c";
  for (std::size_t max = 0; max <= text.size(); ++max) {
    const std::string_view cut = CutAtGrapheme(text, max);
    EXPECT_LE(cut.size(), max);
    EXPECT_TRUE(cut.size() <= 2 || cut.size() >= 2 + family.size()) << max;
    EXPECT_FALSE(FirstInvalidUtf8(cut));
  }
  EXPECT_EQ(CutAtGrapheme(family, 5), family.substr(0, 4));  // falls back to a code point
}

}  // namespace
}  // namespace perdure
