#include "tools/data_dir.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "engine/engine.h"
#include "support/status_matchers.h"
#include "support/temp_dir.h"
#include "tools/program.h"

namespace perdure {
namespace {

using ::perdure::testing::FailsWith;
using ::perdure::testing::IsOk;
using ::perdure::testing::TempDir;
using ::testing::HasSubstr;

mode_t ModeOf(const std::string& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 ? info.st_mode & 0777 : 0;
}

class DataDirTest : public ::testing::Test {
 protected:
  TempDir home_;
  std::string data_ = home_ / "deep/down";
  SystemClock clock_;
  SystemRandom random_;
};

TEST_F(DataDirTest, IsForItsOwnerAloneWithTokensInForce) {
  ASSERT_THAT(MakeDataDir(data_), IsOk());
  EXPECT_EQ(ModeOf(data_), 0700);
  const auto made = FillDataDir(data_, clock_, random_);
  ASSERT_THAT(made, IsOk());
  EXPECT_TRUE(*made);
  const auto engine = Engine::Open({.directory = data_}, clock_, random_);
  ASSERT_THAT(engine, IsOk());
  for (const auto& [path, role] :
       {std::pair(AgentTokenFile(data_), kAgent), std::pair(OperatorTokenFile(data_), kOperator)}) {
    EXPECT_EQ(ModeOf(path), 0600);
    const auto token = ReadTokenFile(path);
    ASSERT_THAT(token, IsOk());
    const auto principal = (*engine)->Authenticate(*token);
    ASSERT_THAT(principal, IsOk());
    EXPECT_EQ(principal->roles, role);
  }
}

TEST_F(DataDirTest, FilledAgainKeepsWhatIsThereAndMakesWhatIsMissing) {
  ASSERT_THAT(MakeDataDir(data_), IsOk());
  ASSERT_THAT(FillDataDir(data_, clock_, random_), IsOk());
  const auto kept = ReadTokenFile(OperatorTokenFile(data_));
  std::filesystem::remove(AgentTokenFile(data_));
  const auto again = FillDataDir(data_, clock_, random_);
  ASSERT_THAT(again, IsOk());
  EXPECT_FALSE(*again);
  EXPECT_EQ(ReadTokenFile(OperatorTokenFile(data_)).value(), kept.value());
  EXPECT_THAT(ReadTokenFile(AgentTokenFile(data_)), IsOk());
}

TEST_F(DataDirTest, ATokenThatOthersMayReadIsNotUsed) {
  const std::string path = home_ / "token";
  std::ofstream(path) << "perdure_x_y\n";
  std::filesystem::permissions(path, std::filesystem::perms(0640));
  EXPECT_THAT(ReadTokenFile(path), FailsWith(Code::kForbidden, HasSubstr("chmod 600")));
  std::filesystem::permissions(path, std::filesystem::perms(0600));
  EXPECT_EQ(ReadTokenFile(path).value(), "perdure_x_y");
}

TEST_F(DataDirTest, IsWhereTheOptionSaysBeforeTheEnvironment) {
  setenv("PERDURE_DATA", (home_ / "by_variable").c_str(), 1);
  EXPECT_EQ(DataDirOf({.data = data_}).value(), data_);
  EXPECT_EQ(DataDirOf({}).value(), home_ / "by_variable");
  unsetenv("PERDURE_DATA");
  setenv("XDG_DATA_HOME", home_.path().c_str(), 1);
  EXPECT_EQ(DataDirOf({}).value(), home_ / "perdure");
  unsetenv("XDG_DATA_HOME");
  EXPECT_EQ(DataDirOf({.data = "/a/b/../c/"}).value(), "/a/c");
}

}  // namespace
}  // namespace perdure
