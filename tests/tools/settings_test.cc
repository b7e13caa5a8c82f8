#include "tools/settings/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/status_matchers.h"
#include "support/temp_dir.h"
#include "tools/settings/effective.h"

namespace perdure {
namespace {

using ::perdure::testing::FailsWith;
using ::perdure::testing::IsOk;
using ::perdure::testing::TempDir;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(SettingsTest, TheLaterOfDefaultFileEnvironmentAndFlagWins) {
  const auto file = ReadSettingsText(
      "[server]\nport = 7500\nwrites = \"stdio\"\n\n[search]\nmodel_dir = \"/of/file\"\n", "P");
  ASSERT_THAT(file, IsOk());
  const auto settings =
      Settings::Of(*file, {{"search.model_dir", "/of/variable"}}, {{"server.port", 7600}});
  ASSERT_THAT(settings, IsOk());
  EXPECT_EQ(settings->Integer("server.port"), 7600);
  EXPECT_EQ(settings->All().at("server.port").origin, "--port");
  EXPECT_EQ(settings->Text("server.writes"), "stdio");
  EXPECT_EQ(settings->All().at("server.writes").origin, "P:3");
  EXPECT_EQ(settings->Text("search.model_dir"), "/of/variable");
  EXPECT_EQ(settings->All().at("search.model_dir").origin, "PERDURE_MODEL_DIR");
  EXPECT_EQ(settings->Text("server.host"), "127.0.0.1");
  EXPECT_EQ(settings->All().at("server.host").origin, "default");
}

TEST(SettingsTest, EveryDefaultIsAValueOfItsSetting) {
  const auto settings = Settings::Of({}, {}, {});
  ASSERT_THAT(settings, IsOk());
  for (const auto& [key, value] : settings->All()) {
    EXPECT_THAT(CheckSetting(*FindSetting(key), value.value), IsOk()) << key;
  }
}

TEST(SettingsTest, AFileSaysEveryTypeInTablesOrWithDots) {
  const auto file = ReadSettingsText(
      "store.scrub_days = 0\nserver.public_hosts = [\"a.example\", \"b.example\"]\n", "P");
  ASSERT_THAT(file, IsOk());
  const auto settings = Settings::Of(*file, {}, {});
  EXPECT_EQ(settings->Integer("store.scrub_days"), 0);
  EXPECT_THAT(settings->Texts("server.public_hosts"), ElementsAre("a.example", "b.example"));
}

TEST(SettingsTest, WhatIsWrongIsNamedWithItsLine) {
  const auto says = [](const char* text, const char* line, const char* why) {
    EXPECT_THAT(ReadSettingsText(text, "P"),
                FailsWith(Code::kInvalidArgument, AllOf(StartsWith(line), HasSubstr(why))))
        << text;
  };
  says("[server]\nport = 1\nprot = 7411\n", "P:3: ", "no setting server.prot");
  says("\nport = 7411\n", "P:2: ", "no setting port");
  says("[server]\nport = 70000\n", "P:2: ", "from 0 to 65535");
  says("[server]\nport = \"7411\"\n", "P:2: ", "whole number");
  says("[server]\n\nwrites = \"sometimes\"\n", "P:3: ", "always, stdio, never");
  says("[server]\npublic_hosts = [1]\n", "P:2: ", "array of texts");
  says("[server.port]\nx = 1\n", "P:1: ", "server.port");
  says("[server]\nport = \n", "P:2: ", "");
  says("server = 1\n", "P:1: ", "no setting server");
  EXPECT_THAT(ReadSettingsText("[server]\nport = 65535\n", "P"), IsOk());
}

TEST(SettingsTest, AFileIsReadFromTheDataDirectoryAndMayBeMissing) {
  const TempDir data;
  EXPECT_TRUE(ReadSettingsFile(data.path()).value().empty());
  std::ofstream(SettingsFile(data.path())) << "[server]\nerase = \"never\"\n";
  EXPECT_EQ(ReadSettingsFile(data.path()).value().at("server.erase").origin,
            SettingsFile(data.path()) + ":2");
  const auto settings = SettingsOf({}, data.path());
  ASSERT_THAT(settings, IsOk());
  EXPECT_EQ(HouseOptionsOf(*settings, data.path()).erase, WritePolicy::kNever);
  constexpr std::size_t kMax = 64 * 1024;
  std::ofstream(SettingsFile(data.path())) << std::string(kMax, '\n');
  EXPECT_THAT(ReadSettingsFile(data.path()), IsOk());
  std::ofstream(SettingsFile(data.path())) << std::string(kMax + 1, '\n');
  EXPECT_THAT(ReadSettingsFile(data.path()),
              FailsWith(Code::kInvalidArgument, HasSubstr("65536 bytes")));
}

TEST(SettingsTest, ThePageOfSettingsHasTheTable) {
  std::ifstream page(std::string(PERDURE_SOURCE_DIR) + "/docs/SETTINGS.md");
  std::stringstream text;
  text << page.rdbuf();
  EXPECT_THAT(text.str(), HasSubstr(SettingsMarkdown()));
}

}  // namespace
}  // namespace perdure
