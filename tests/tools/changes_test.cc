#include "tools/source/changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

namespace perdure {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

KnownFile Known(std::string id, std::string path, std::string digest, std::string state = "live") {
  return {std::move(id), std::move(path), std::move(state), std::move(digest), "t"};
}
SeenFile Seen(std::string path, std::string digest, std::string title = "t") {
  return {std::move(path), std::move(digest), std::move(title)};
}
std::vector<FileChange> Changes(std::vector<KnownFile> known, std::vector<SeenFile> seen,
                                std::vector<std::string> unread = {}) {
  return ChangesOf(known, seen, unread);
}
using enum FileAction;

TEST(ChangesTest, WhatIsAsItWasChangesNothing) {
  EXPECT_THAT(Changes({Known("1", "a", "x")}, {Seen("a", "x")}), IsEmpty());
  EXPECT_THAT(Changes({Known("1", "a", "x", "archived")}, {}), IsEmpty());
}

TEST(ChangesTest, APathKeepsItsMemory) {
  EXPECT_THAT(Changes({Known("1", "a", "x")}, {Seen("a", "y")}),
              ElementsAre(FileChange{kEdit, "a", "1"}));
  EXPECT_THAT(Changes({Known("1", "a", "x")}, {Seen("a", "x", "other title")}),
              ElementsAre(FileChange{kEdit, "a", "1"}));
  // Two files that change places say something else each.
  EXPECT_THAT(
      Changes({Known("1", "a", "x"), Known("2", "b", "y")}, {Seen("a", "y"), Seen("b", "x")}),
      ElementsAre(FileChange{kEdit, "a", "1"}, FileChange{kEdit, "b", "2"}));
}

TEST(ChangesTest, ARenameKeepsTheMemoryWhenTheTextIsTheSame) {
  EXPECT_THAT(Changes({Known("1", "a", "x")}, {Seen("b", "x")}),
              ElementsAre(FileChange{kRename, "b", "1"}));
  EXPECT_THAT(Changes({Known("1", "a", "x", "archived")}, {Seen("b", "x")}),
              ElementsAre(FileChange{kRestore, "b", "1"}, FileChange{kRename, "b", "1"}));
  EXPECT_THAT(Changes({Known("1", "a", "x")}, {Seen("b", "y")}),
              ElementsAre(FileChange{kStore, "b", ""}, FileChange{kArchive, "a", "1"}));
  // A copy is no rename, and of two copies one is.
  EXPECT_THAT(Changes({Known("1", "a", "x")}, {Seen("a", "x"), Seen("b", "x")}),
              ElementsAre(FileChange{kStore, "b", ""}));
  EXPECT_THAT(Changes({Known("1", "a", "x")}, {Seen("b", "x"), Seen("c", "x")}),
              ElementsAre(FileChange{kRename, "b", "1"}, FileChange{kStore, "c", ""}));
}

TEST(ChangesTest, WhatIsGoneIsArchivedAndRestoredWhenItIsBack) {
  EXPECT_THAT(Changes({Known("1", "a", "x")}, {}), ElementsAre(FileChange{kArchive, "a", "1"}));
  EXPECT_THAT(Changes({Known("1", "a", "x", "archived")}, {Seen("a", "x")}),
              ElementsAre(FileChange{kRestore, "a", "1"}));
  EXPECT_THAT(Changes({Known("1", "a", "x", "archived")}, {Seen("a", "y")}),
              ElementsAre(FileChange{kRestore, "a", "1"}, FileChange{kEdit, "a", "1"}));
}

TEST(ChangesTest, WhatCannotBeReadStaysAsItIs) {
  EXPECT_THAT(Changes({Known("1", "a", "x")}, {}, {"a"}), IsEmpty());
  EXPECT_THAT(Changes({Known("1", "a", "x")}, {Seen("b", "x")}, {"a"}),
              ElementsAre(FileChange{kStore, "b", ""}));
}

TEST(ChangesTest, AMemoryInAnotherStateStandsForItsPathWhileTheTextIsTheSame) {
  for (const char* state : {"pending", "rejected", "superseded"}) {
    EXPECT_THAT(Changes({Known("1", "a", "x", state)}, {Seen("a", "x")}), IsEmpty());
    EXPECT_THAT(Changes({Known("1", "a", "x", state)}, {Seen("a", "y")}),
                ElementsAre(FileChange{kStore, "a", ""}));
  }
}

// What the changes make of the memories of a source, by hand.
void Do(const std::vector<FileChange>& changes, const std::vector<SeenFile>& seen,
        std::vector<KnownFile>& known, int& next_id) {
  for (const FileChange& change : changes) {
    const auto file = std::ranges::find(seen, change.path, &SeenFile::path);
    if (change.action == kStore) {
      known.push_back(Known(std::to_string(next_id++), change.path, file->digest));
      continue;
    }
    KnownFile& memory = *std::ranges::find(known, change.id, &KnownFile::id);
    if (change.action == kArchive) memory.state = "archived";
    if (change.action == kRestore) memory.state = "live";
    if (change.action == kRename) memory.path = change.path;
    if (change.action == kEdit) memory.digest = file->digest;
  }
}

TEST(ChangesTest, AfterAnyHistoryTheLiveMemoriesAreTheFiles) {
  std::mt19937 draw(20260731);
  std::map<std::string, std::string> files;
  std::vector<KnownFile> known;
  int next_id = 0;
  const std::string paths = "abcdef";
  const std::string texts = "xyz";
  for (int step = 0; step < 3000; ++step) {
    for (int i = static_cast<int>(draw() % 3); i >= 0; --i) {
      const std::string path(1, paths[draw() % paths.size()]);
      if (draw() % 3 == 0) {
        files.erase(path);
      } else {
        files[path] = texts[draw() % texts.size()];
      }
    }
    std::vector<SeenFile> seen;
    for (const auto& [path, text] : files) seen.push_back(Seen(path, text));
    Do(ChangesOf(known, seen, {}), seen, known, next_id);
    std::multimap<std::string, std::string> live;
    for (const KnownFile& memory : known) {
      if (memory.state == "live") live.emplace(memory.path, memory.digest);
    }
    ASSERT_EQ(live, (std::multimap<std::string, std::string>(files.begin(), files.end())));
    EXPECT_THAT(ChangesOf(known, seen, {}), IsEmpty());
  }
}

}  // namespace
}  // namespace perdure
