#include "tools/side_by_side.h"

#include <gtest/gtest.h>

namespace perdure {
namespace {

TEST(SideBySideTest, BreaksBothSidesBetweenWordsIntoLinesOfOneWidth) {
  EXPECT_EQ(
      SideBySide({{"id", "1", "2"}, {"text", "Alice drinks green tea", "Alice drinks milk"}}, 44),
      "id    1                   2\n"
      "text  Alice drinks green  Alice drinks milk\n"
      "      tea\n");
}

TEST(SideBySideTest, KeepsLinesOfATextAndBreaksLongWordsBetweenCodePoints) {
  EXPECT_EQ(SideBySide({{"t", "one\ntwo", "ööööööööööööööööööö"}}, 38),
            "t  one               öööööööööööööööö\n"
            "   two               ööö\n");
}

TEST(SideBySideTest, StoredTextCannotSteerATerminal) {
  EXPECT_EQ(SideBySide({{"t", "a\x1b[31mb", "c\rd"}}, 60).find_first_of("\x1b\r"),
            std::string::npos);
}

TEST(SideBySideTest, ShowsOneSideAlone) {
  EXPECT_EQ(SideBySide({{"title", "Tea", ""}}, 60), "title  Tea\n");
}

}  // namespace
}  // namespace perdure
