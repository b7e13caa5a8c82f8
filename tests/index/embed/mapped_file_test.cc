#include "index/embed/mapped_file.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "support/status_matchers.h"

namespace perdure {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;

class MappedFileTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& bytes) {
    const std::string path = ::testing::TempDir() + "mapped_file_test_" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
};

TEST_F(MappedFileTest, ShowsTheFilesBytesAlsoAfterAMove) {
  const std::string path = Write("some", std::string("a\0b", 3));
  auto first = MappedFile::Open(path);
  ASSERT_THAT(first, IsOk());
  auto second = MappedFile::Open(Write("empty", ""));
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(second->bytes(), "");
  *second = std::move(*first);
  EXPECT_EQ(second->bytes(), std::string_view("a\0b", 3));
  const MappedFile third = std::move(*second);
  EXPECT_EQ(third.bytes(), std::string_view("a\0b", 3));
}

TEST_F(MappedFileTest, TellsAMissingFileFromOneThatCannotBeRead) {
  EXPECT_THAT(MappedFile::Open(::testing::TempDir() + "no such file"),
              FailsWith(Code::kNotFound, HasSubstr("no such file")));
  EXPECT_THAT(MappedFile::Open(::testing::TempDir()),
              FailsWith(Code::kUnavailable, HasSubstr("not a regular file")));
}

}  // namespace
}  // namespace perdure
