#include "tools/source/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "engine/base/limits.h"
#include "support/status_matchers.h"
#include "support/temp_dir.h"

namespace perdure {
namespace {

namespace fs = std::filesystem;
using ::perdure::testing::FailsWith;
using ::perdure::testing::IsOk;
using ::perdure::testing::TempDir;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class FolderTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << text;
  }
  FolderListing List(std::vector<std::string> patterns = {}) const {
    return ListFolder(root_.path(), PatternList::Of(std::move(patterns)).value()).value();
  }

  TempDir root_;
};

TEST_F(FolderTest, WellKnownNamesAreFoundAtAnyDepthInHiddenFoldersToo) {
  for (const char* path : {"CLAUDE.md", "src/deep/AGENTS.md", ".cursor/rules/style.mdc",
                           ".cursor/rules/web/css.mdc", ".github/copilot-instructions.md",
                           "a/.claude/projects/p/memory/topic.md", ".windsurfrules"}) {
    Write(path, "text");
  }
  for (const char* path : {"README.md", "src/main.cc", ".cursor/settings.json", "claude.md"}) {
    Write(path, "text");
  }
  EXPECT_THAT(List().paths,
              ElementsAre(".cursor/rules/style.mdc", ".cursor/rules/web/css.mdc",
                          ".github/copilot-instructions.md", ".windsurfrules", "CLAUDE.md",
                          "a/.claude/projects/p/memory/topic.md", "src/deep/AGENTS.md"));
}

TEST_F(FolderTest, FoldersOfDependenciesAreNotWalked) {
  Write("AGENTS.md", "text");
  for (const char* folder : {".git", "node_modules", "web/node_modules", "vendor", ".venv"}) {
    Write(std::string(folder) + "/pkg/AGENTS.md", "text");
  }
  const FolderListing listing = List();
  EXPECT_THAT(listing.paths, ElementsAre("AGENTS.md"));
  EXPECT_THAT(listing.folders, ElementsAre("", "web"));
}

TEST_F(FolderTest, PatternsAddAndTakeAway) {
  for (const char* path : {"AGENTS.md", "notes/a.md", "notes/old/b.md", "x/notes/c.txt"}) {
    Write(path, "text");
  }
  EXPECT_THAT(List({"notes/"}).paths,
              ElementsAre("AGENTS.md", "notes/a.md", "notes/old/b.md", "x/notes/c.txt"));
  EXPECT_THAT(List({"!**", "/notes/"}).paths, ElementsAre("notes/a.md", "notes/old/b.md"));
  EXPECT_THAT(List({"/notes/*.md", "!AGENTS.md"}).paths, ElementsAre("notes/a.md"));
}

TEST_F(FolderTest, WhatCannotBeListedIsNamedAndStopsNothing) {
  Write("AGENTS.md", "text");
  Write("no\xff/AGENTS.md", "text");
  fs::create_directories(root_ / "shut");
  std::string deep;
  for (std::size_t i = 0; i < kFolderDepthMax; ++i) deep += "d/";
  Write(deep + "AGENTS.md", "text");
  Write(deep + "d/AGENTS.md", "text");
  const FolderListing listing = List();
  EXPECT_THAT(listing.paths, ElementsAre("AGENTS.md", deep + "AGENTS.md"));
  ASSERT_EQ(listing.problems.size(), 2);
  EXPECT_EQ(listing.problems[0].path, deep + "d");
  EXPECT_THAT(listing.problems[0].why, HasSubstr("deeper than 64"));
  EXPECT_EQ(listing.problems[1].path, "no?/AGENTS.md");
  EXPECT_THAT(ListFolder(root_ / "gone", PatternList::Of({}).value()),
              FailsWith(Code::kNotFound, HasSubstr("gone")));
}

TEST_F(FolderTest, LinksAreFollowedWithinTheRootOnlyAndNeverToFolders) {
  const TempDir outside;
  std::ofstream(outside / "secret.md") << "secret";
  fs::create_directories(outside / "folder");
  std::ofstream(outside / "folder/AGENTS.md") << "secret";
  Write("docs/rules.md", "rules");
  fs::create_symlink("docs/rules.md", root_ / "CLAUDE.md");
  fs::create_symlink(outside / "secret.md", root_ / "AGENTS.md");
  fs::create_symlink("/proc/self/environ", root_ / "GEMINI.md");
  fs::create_symlink(outside / "folder", root_ / "linked");
  fs::create_symlink("..", root_ / "docs/up");
  EXPECT_THAT(List().paths, ElementsAre("AGENTS.md", "CLAUDE.md", "GEMINI.md"));
  EXPECT_EQ(ReadListed(root_.path(), "CLAUDE.md").value(), "rules");
  for (const char* out : {"AGENTS.md", "GEMINI.md", "linked/AGENTS.md"}) {
    EXPECT_THAT(ReadListed(root_.path(), out),
                FailsWith(Code::kForbidden, HasSubstr("out of the folder")));
  }
}

TEST_F(FolderTest, FilesThatCanBeNoMemoryAreRefusedOneByOne) {
  Write("latin1.md", "caf\xe9");
  Write("empty.md", "");
  Write("blank.md", " \n\t\r\n");
  Write("max.md", std::string(limits::kTextBytesMax, 'a'));
  Write("more.md", std::string(limits::kTextBytesMax + 1, 'a'));
  ASSERT_EQ(mkfifo((root_ / "pipe.md").c_str(), 0600), 0);
  const auto read = [&](const char* path) { return ReadListed(root_.path(), path); };
  EXPECT_THAT(read("latin1.md"), FailsWith(Code::kInvalidArgument, HasSubstr("offset 3")));
  EXPECT_THAT(read("empty.md"), FailsWith(Code::kInvalidArgument, HasSubstr("no text")));
  EXPECT_THAT(read("blank.md"), FailsWith(Code::kInvalidArgument, HasSubstr("no text")));
  EXPECT_THAT(read("max.md"), IsOk());
  EXPECT_THAT(read("more.md"), FailsWith(Code::kInvalidArgument, HasSubstr("2097152")));
  EXPECT_THAT(read("pipe.md"), FailsWith(Code::kInvalidArgument, HasSubstr("no file")));
  EXPECT_THAT(read("gone.md"), FailsWith(Code::kNotFound, HasSubstr("not there")));
  EXPECT_THAT(List({"*.md"}).paths, Not(Contains("pipe.md")));
}

TEST(TitleOfFileTest, IsTheFirstHeadingElseThePath) {
  EXPECT_EQ(TitleOfFile("intro\n\n## Style *guide*\n\n# Later\n", "p.md"), "Style guide");
  EXPECT_EQ(TitleOfFile("Old way\n=======\n", "p.md"), "Old way");
  EXPECT_EQ(TitleOfFile("---\ntitle: x\n---\n# Real\n", "p.md"), "Real");
  EXPECT_EQ(TitleOfFile("---\ntitle: x\n---\ntext\n", "a/p.md"), "a/p.md");
  EXPECT_EQ(TitleOfFile("```\n# no heading\n```\n", "p.md"), "p.md");
}

TEST(PatternTest, MatchesPartsFromTheRootOrAtAnyDepth) {
  const auto fits = [](const char* pattern, const char* path) {
    return MatchesPattern(pattern, path);
  };
  EXPECT_TRUE(fits("a.md", "a.md"));
  EXPECT_TRUE(fits("a.md", "x/y/a.md"));
  EXPECT_FALSE(fits("a.md", "x/ba.md"));
  EXPECT_TRUE(fits("/a.md", "a.md"));
  EXPECT_FALSE(fits("/a.md", "x/a.md"));
  EXPECT_TRUE(fits("r/**/*.md", "r/a.md"));
  EXPECT_TRUE(fits("r/**/*.md", "x/r/p/q/a.md"));
  EXPECT_FALSE(fits("r/*.md", "r/p/a.md"));
  EXPECT_TRUE(fits("r/", "r/p/a"));
  EXPECT_FALSE(fits("r/", "r"));
  EXPECT_FALSE(fits("r/**", "r"));
  EXPECT_TRUE(fits("**", "x"));
  EXPECT_TRUE(fits("?.md", "\xc3\xa9.md"));
  EXPECT_FALSE(fits("?.md", "ab.md"));
  EXPECT_TRUE(fits("*a*b*", "xaybz"));
  EXPECT_FALSE(fits("*a*b*", "xbya"));
}

TEST(PatternTest, LongPatternsOfStarsAreMatchedQuickly) {
  std::string pattern;
  std::string path;
  for (int i = 0; i < 80; ++i) pattern += "*a";
  for (int i = 0; i < 20'000; ++i) path += "a/";
  EXPECT_FALSE(MatchesPattern(pattern + "b", path + std::string(20'000, 'a')));
}

TEST(PatternTest, BadPatternsAreRefusedByName) {
  for (const char* bad : {"", "!", "/", "a//b", "../x", "a/./b", "\xff"}) {
    EXPECT_THAT(PatternList::Of({bad}), FailsWith(Code::kInvalidArgument, HasSubstr("pattern")))
        << bad;
  }
  EXPECT_THAT(PatternList::Of({std::string(kPatternBytesMax, 'a')}), IsOk());
  EXPECT_THAT(PatternList::Of({std::string(kPatternBytesMax + 1, 'a')}),
              FailsWith(Code::kInvalidArgument, HasSubstr("256 bytes")));
  EXPECT_THAT(PatternList::Of(std::vector<std::string>(kPatternsMax, "a")), IsOk());
  EXPECT_THAT(PatternList::Of(std::vector<std::string>(kPatternsMax + 1, "a")),
              FailsWith(Code::kInvalidArgument, HasSubstr("64 patterns")));
}

TEST(WellKnownNamesTest, AreGoodPatternsAndEachIsThereOnce) {
  const std::vector<std::string>& names = WellKnownNames();
  EXPECT_THAT(names, Contains("CLAUDE.local.md"));
  for (const std::string& name : names) {
    EXPECT_THAT(PatternList::Of({name}), IsOk()) << name;
    EXPECT_EQ(std::ranges::count(names, name), 1) << name;
  }
}

}  // namespace
}  // namespace perdure
