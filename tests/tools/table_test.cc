#include "tools/table.h"

#include <gtest/gtest.h>

namespace perdure {
namespace {

using Json = nlohmann::json;

TEST(TableTest, StoredTextCannotSteerATerminal) {
  EXPECT_EQ(OneLine("a\x1b[31mb\r\nc\x7f", 100), "a [31mb  c ");
  EXPECT_EQ(OneLine("a\xc2\x9b"
                    "31mb",
                    100),
            "a 31mb");
  EXPECT_EQ(OneLine("naïve ©", 100), "naïve ©");
}

TEST(TableTest, LongCellsAreCutBetweenCodePoints) {
  EXPECT_EQ(OneLine("äöü", 3), "äöü");
  EXPECT_EQ(OneLine("äöüß", 3), "äöü…");
}

TEST(TableTest, PrintsOnlyColumnsWithContents) {
  Table table({"id", "empty", "title"});
  table.Add({"1", "", "ä"});
  table.Add({"22", "", "b"});
  ::testing::internal::CaptureStdout();
  table.Print();
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "id  title\n1   ä\n22  b\n");
}

TEST(TableTest, ListsAreJoinedAndAbsentMembersEmpty) {
  const Json object = {{"tags", {"a", "b"}}, {"seq", 7}};
  EXPECT_EQ(TextAt(object, "tags"), "a, b");
  EXPECT_EQ(TextAt(object, "seq"), "7");
  EXPECT_EQ(TextAt(object, "none"), "");
}

}  // namespace
}  // namespace perdure
