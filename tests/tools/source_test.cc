// Folders as sources, from the files to the log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "support/temp_dir.h"
#include "tools/source/follow.h"
#include "tools/source_world.h"

namespace perdure {
namespace {

namespace fs = std::filesystem;
using ::perdure::testing::FailsWith;
using ::perdure::testing::IsOk;
using ::perdure::testing::Json;
using ::perdure::testing::SourceWorld;
using ::perdure::testing::TempDir;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SourceTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << text;
  }
  FolderSource Add(Json more = Json::object()) {
    more["store"] = "notes";
    if (!more.contains("path")) more["path"] = root_.path();
    world_.Must("source_add", more);
    return FolderSourceOf(world_.Must("source_list", {})["sources"][0]);
  }
  CallOperation Caller() {
    return [this](const std::string& name, const Json& arguments) {
      return world_.Call(name, arguments);
    };
  }
  SyncReport Scan(const FolderSource& source) {
    const auto patterns = PatternList::Of(source.patterns);
    return SyncSource(source, ListFolder(source.root, *patterns).value(), Caller()).value();
  }
  // The event of the memory's last entry.
  std::string LastEvent(const std::string& id) {
    return world_.Must("memory_history", {{"id", id}})["entries"].back()["event"];
  }
  std::string IdAt(const std::string& path) {
    const Json files = world_.Must("source_files", {{"source", source_.source}})["files"];
    for (const Json& file : files) {
      if (file["path"] == path && file["state"] == "live") return file["id"];
    }
    return {};
  }

  TempDir root_;
  SourceWorld world_;
  FolderSource source_;
};

TEST_F(SourceTest, FilesAreMemoriesWithTheDefaultsOfTheirSource) {
  Write("CLAUDE.md", "# House rules\n\nTabs, never spaces.\n");
  Write("docs/AGENTS.md", "Run the linter first.\n");
  source_ = Add({{"tags", {"rules"}}, {"class", "communication"}, {"authorship", "reference"}});
  EXPECT_EQ(Scan(source_).files, 2);
  const Json memory = world_.Get(IdAt("CLAUDE.md"));
  EXPECT_EQ(memory["title"], "House rules");
  EXPECT_EQ(memory["text"], "# House rules\n\nTabs, never spaces.\n");
  EXPECT_EQ(memory["tags"], Json::array({"rules"}));
  EXPECT_EQ(memory["class"], "communication");
  EXPECT_EQ(memory["authorship"], "reference");
  EXPECT_EQ(memory["store"], "notes");
  EXPECT_EQ(memory["editable"], false);
  EXPECT_EQ(world_.Get(IdAt("docs/AGENTS.md"))["title"], "docs/AGENTS.md");
  EXPECT_THAT(Scan(source_).outcomes, IsEmpty());
}

TEST_F(SourceTest, TwoFilesThatSayTheSameAreTwoMemories) {
  Write("a/AGENTS.md", "same");
  Write("b/AGENTS.md", "same");
  source_ = Add();
  Scan(source_);
  EXPECT_NE(IdAt("a/AGENTS.md"), "");
  EXPECT_NE(IdAt("a/AGENTS.md"), IdAt("b/AGENTS.md"));
}

TEST_F(SourceTest, OnlyTheSourceChangesItsMemoriesAndTheRefusalNamesTheFile) {
  Write("AGENTS.md", "text");
  source_ = Add();
  Scan(source_);
  const std::string id = IdAt("AGENTS.md");
  const std::string file = root_.path() + "/AGENTS.md";
  const std::map<std::string, Json> changes = {{"memory_edit", {{"id", id}, {"append", "+"}}},
                                               {"memory_describe", {{"id", id}, {"title", "t"}}},
                                               {"memory_archive", {{"id", id}}},
                                               {"memory_forget", {{"id", id}}}};
  for (const auto& [name, arguments] : changes) {
    EXPECT_THAT(world_.Call(name, arguments), FailsWith(Code::kConflict, HasSubstr(file))) << name;
  }
  EXPECT_THAT(world_.Call("memory_store", {{"text", "mine"}, {"store", "notes"}}),
              FailsWith(Code::kConflict, HasSubstr("mirrors a folder")));
  world_.Must("source_remove", {{"source", source_.source}});
  world_.Must("memory_edit", {{"id", id}, {"append", "+"}});
  EXPECT_THAT(world_.Must("source_list", {})["sources"], IsEmpty());
}

TEST_F(SourceTest, EachChangeOnDiskIsTheRightEvent) {
  Write("AGENTS.md", "# One\nfirst");
  source_ = Add();
  Scan(source_);
  const std::string id = IdAt("AGENTS.md");
  EXPECT_EQ(LastEvent(id), "MemoryStored");

  Write("AGENTS.md", "# One\nsecond");
  Scan(source_);
  EXPECT_EQ(LastEvent(id), "MemoryRevised");
  Write("AGENTS.md.part", "# Two\nsecond");
  fs::rename(root_ / "AGENTS.md.part", root_ / "AGENTS.md");
  Scan(source_);
  EXPECT_EQ(LastEvent(id), "MemoryDescribed");  // the title, after the text
  EXPECT_EQ(world_.Get(id)["title"], "Two");

  fs::create_directories(root_ / "sub");
  fs::rename(root_ / "AGENTS.md", root_ / "sub/CLAUDE.md");
  Scan(source_);
  EXPECT_EQ(IdAt("sub/CLAUDE.md"), id);
  EXPECT_EQ(LastEvent(id), "MemoryDescribed");

  fs::remove(root_ / "sub/CLAUDE.md");
  Scan(source_);
  EXPECT_EQ(LastEvent(id), "MemoryArchived");
  EXPECT_EQ(IdAt("sub/CLAUDE.md"), "");

  Write("sub/CLAUDE.md", "# Two\nsecond");
  Scan(source_);
  EXPECT_EQ(LastEvent(id), "MemoryRestored");
  EXPECT_EQ(IdAt("sub/CLAUDE.md"), id);
}

TEST_F(SourceTest, BadFilesAreReportedOneByOneAndLeaveTheirMemoriesAlone) {
  Write("AGENTS.md", "good");
  Write("CLAUDE.md", "good too");
  Write("GEMINI.md", "caf\xe9");
  source_ = Add();
  const SyncReport first = Scan(source_);
  EXPECT_THAT(first.outcomes, SizeIs(2));
  ASSERT_THAT(first.problems, SizeIs(1));
  EXPECT_EQ(first.problems[0].path, "GEMINI.md");
  const std::string id = IdAt("CLAUDE.md");
  Write("CLAUDE.md", "caf\xe9");
  EXPECT_THAT(Scan(source_).outcomes, IsEmpty());
  EXPECT_EQ(world_.Get(id)["text"], "good too");
}

TEST_F(SourceTest, AFolderThatIsGoneArchivesNothing) {
  Write("in/AGENTS.md", "text");
  source_ = Add({{"path", root_ / "in"}});
  Scan(source_);
  const std::string id = IdAt("AGENTS.md");
  fs::rename(root_ / "in", root_ / "out");
  EXPECT_THAT(ListFolder(source_.root, *PatternList::Of({})),
              FailsWith(Code::kNotFound, HasSubstr("in")));
  EXPECT_EQ(LastEvent(id), "MemoryStored");
}

std::set<std::string> IdsOf(const Json& memories) {
  std::set<std::string> ids;
  for (const Json& memory : memories) ids.insert(memory["id"]);
  return ids;
}

TEST_F(SourceTest, StoresAndClassesNarrowListsAndSearches) {
  Write("AGENTS.md", "Tabs rather than spaces");
  source_ = Add({{"class", "communication"}});
  Scan(source_);
  const std::string file = IdAt("AGENTS.md");
  const std::string mine = world_.Store("Tabs are fine by me");
  const std::string kept = world_.Store("Tabs, once more", {{"store", "diary"}});
  const auto ids = [&](Json filter) {
    const Json list = world_.Must("memory_list", {{"filter", filter}});
    const Json search =
        world_.Must("memory_search", {{"query", "tabs"}, {"filter", filter}, {"min_relevance", 0}});
    const auto listed = IdsOf(list["memories"]);
    const auto found = IdsOf(search["results"]);
    EXPECT_EQ(listed, found) << filter;
    return listed;
  };
  using Ids = std::set<std::string>;
  EXPECT_EQ(ids(Json::object()), (Ids{file, mine, kept}));
  EXPECT_EQ(ids({{"store", "notes"}}), Ids{file});
  EXPECT_EQ(ids({{"store", "diary"}}), Ids{kept});
  EXPECT_EQ(ids({{"store", "default"}}), Ids{mine});
  EXPECT_EQ(ids({{"store", "none"}}), Ids{});
  EXPECT_EQ(ids({{"class", "communication"}}), Ids{file});
  EXPECT_EQ(ids({{"class", "document"}}), (Ids{mine, kept}));
  world_.Must("memory_describe", {{"id", kept}, {"store", "default"}});
  EXPECT_EQ(ids({{"store", "default"}}), (Ids{mine, kept}));
}

// A thread that follows the source until the test is over.
class Follower {
 public:
  Follower(const FolderSource& source, CallOperation call)
      : stop_fd_(eventfd(0, EFD_CLOEXEC)), thread_([this, source, call = std::move(call)] {
          EXPECT_THAT(
              FollowSource(source, call, [this](const auto&) { ++passes_; }, stop_fd_), IsOk());
        }) {}
  ~Follower() {
    eventfd_write(stop_fd_, 1);
    thread_.join();
    close(stop_fd_);
  }
  int passes() const { return passes_; }

 private:
  std::atomic<int> passes_ = 0;
  const int stop_fd_;
  std::thread thread_;
};

TEST_F(SourceTest, ChangesAreFollowedWithinTwoSecondsWithoutPolling) {
  Write("AGENTS.md", "# Title\nfirst");
  source_ = Add({{"patterns", {"notes/"}}});
  const Follower follower(source_, Caller());
  const auto within = [&](auto holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (!holds()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
  };
  ASSERT_TRUE(within([&] { return !IdAt("AGENTS.md").empty(); }));
  const std::string id = IdAt("AGENTS.md");
  const auto last = [&](const char* event) {
    return [this, id, event] { return LastEvent(id) == event; };
  };

  Write("AGENTS.md", "# Title\nsecond");
  EXPECT_TRUE(within(last("MemoryRevised")));
  Write(".AGENTS.md.swp", "# Other title\nsecond");
  fs::rename(root_ / ".AGENTS.md.swp", root_ / "AGENTS.md");
  EXPECT_TRUE(within(last("MemoryDescribed")));
  fs::create_directories(root_ / "notes/deep");
  fs::rename(root_ / "AGENTS.md", root_ / "notes/deep/renamed.md");
  EXPECT_TRUE(within([&] { return IdAt("notes/deep/renamed.md") == id; }));
  Write("notes/deep/renamed.md", "# Other title\nthird");
  EXPECT_TRUE(within(last("MemoryRevised")));
  fs::remove(root_ / "notes/deep/renamed.md");
  EXPECT_TRUE(within(last("MemoryArchived")));
  Write("notes/deep/renamed.md", "# Other title\nthird");
  EXPECT_TRUE(within(last("MemoryRestored")));

  // Nothing happens while nothing changes.
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const int passes = follower.passes();
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  EXPECT_EQ(follower.passes(), passes);
}

// The last line; with those before it until there are five words, which two files hardly share.
std::string LastWords(const std::string& text) {
  std::istringstream lines(text);
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  std::string last;
  std::size_t words = 0;
  for (auto line = all.rbegin(); line != all.rend() && words < 5; ++line) {
    std::istringstream read(*line);
    for (std::string word; read >> word;) words += word.size() > 2 ? 1 : 0;
    last = *line + "\n" + last;
  }
  return last;
}

TEST_F(SourceTest, SharedMemoryFilesAreEachFoundByTheirLastLine) {
  const fs::path shared = fs::path(PERDURE_SOURCE_DIR) / "../shared/eval/open/memory_files/files";
  if (!fs::is_directory(shared)) GTEST_SKIP() << "the shared files are not beside the repository";
  source_ = Add({{"path", fs::canonical(shared).string()}, {"patterns", {"**"}}});
  const SyncReport report = Scan(source_);
  std::set<std::string> bad;
  for (const FileProblem& problem : report.problems) bad.insert(problem.path);
  for (const FileOutcome& outcome : report.outcomes) {
    EXPECT_EQ(outcome.problem, "") << outcome.path;
    EXPECT_FALSE(outcome.is_candidate) << outcome.path;
  }
  ASSERT_GT(report.files, 30);
  for (const auto& entry : fs::directory_iterator(shared)) {
    const std::string path = entry.path().filename().string();
    if (bad.contains(path)) continue;
    const std::string id = IdAt(path);
    ASSERT_NE(id, "") << path;
    const std::string words = LastWords(ReadListed(source_.root, path).value());
    const Json answer = world_.Must("memory_search", {{"query", words}, {"limit", 5}});
    EXPECT_TRUE(IdsOf(answer["results"]).contains(id)) << path << ": " << words;
  }
}

}  // namespace
}  // namespace perdure
