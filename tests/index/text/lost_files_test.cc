// Any file of a text index is gone or cut short, before it is opened or while it is open. It is
// built anew, answers as before, or says what is damaged and what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "index/text/text_index.h"
#include "support/status_matchers.h"
#include "support/temp_dir.h"

namespace perdure {
namespace {

namespace fs = std::filesystem;
using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using ::testing::SizeIs;
using testing::TempDir;

using Loss = std::function<void(const fs::path& file)>;

const std::pair<const char*, Loss> kLosses[] = {
    {"gone", [](const fs::path& file) { fs::remove(file); }},
    {"empty", [](const fs::path& file) { fs::resize_file(file, 0); }},
    {"half", [](const fs::path& file) { fs::resize_file(file, fs::file_size(file) / 2); }}};

constexpr std::uint64_t kChunks = 200;

std::unique_ptr<TextIndex> Open(const std::string& directory) {
  auto opened = TextIndex::Open(directory);
  EXPECT_THAT(opened, IsOk());
  return opened ? std::move(*opened) : nullptr;
}

Status Add(TextIndex& index, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t chunk = first; chunk <= last; ++chunk) {
    const std::string text = "all fox number" + std::to_string(chunk);
    const TextDocument document{chunk, TermsOfDocument({"", "", {}, text})};
    RETURN_IF_ERROR(index.Add({&document, 1}));
  }
  return {};
}

Result<std::vector<TextHit>> Search(const TextIndex& index, const std::string& query) {
  return index.Search(TermsOfQuery(query), 1'000, true, [](std::uint64_t) { return true; });
}

void ExpectHoldsUpTo(const TextIndex& index, std::uint64_t last) {
  const auto all = Search(index, "fox");
  ASSERT_THAT(all, IsOk());
  EXPECT_THAT(*all, SizeIs(last));
  for (std::uint64_t chunk = 1; chunk <= last; chunk += 17) {
    const auto hits = Search(index, "number" + std::to_string(chunk));
    ASSERT_THAT(hits, IsOk());
    ASSERT_THAT(*hits, SizeIs(1));
    EXPECT_EQ(hits->front().chunk, chunk);
  }
}

class LostFiles : public ::testing::Test {
 protected:
  LostFiles() {
    const auto index = Open(directory_ / "text");
    EXPECT_THAT(Add(*index, 1, kChunks / 2), IsOk());
    EXPECT_THAT(index->Commit(1), IsOk());
    EXPECT_THAT(Add(*index, kChunks / 2 + 1, kChunks), IsOk());
    EXPECT_THAT(index->Commit(kChunks), IsOk());
  }

  // Each loss of each file, in a copy of its own; and that of the database's checksums along with
  // it, as a commit leaves them that was cut short.
  void ForEachLoss(const std::function<void(const std::string& directory, const Loss& loss,
                                            const fs::path& file)>& test) {
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(directory_ / "text")) {
      if (!entry.is_regular_file()) continue;
      ++files;
      for (const auto& [name, loss] : kLosses) {
        for (const bool has_sums : {true, false}) {
          const TempDir copy;
          const std::string directory = copy / "text";
          fs::copy(directory_ / "text", directory, fs::copy_options::recursive);
          const fs::path file = directory / fs::relative(entry.path(), directory_ / "text");
          const bool is_sums = file.filename().string().starts_with("sums.");
          if (!has_sums && (is_sums || !fs::remove(fs::path(directory) / "sums.1"))) continue;
          SCOPED_TRACE(file.filename().string() + " is " + name +
                       (has_sums ? "" : " without checksums"));
          test(directory, loss, file);
        }
      }
    }
    EXPECT_EQ(files, 6u) << "current, sums.1, and the lock and three files of Xapian";
  }

  // It is there as a whole, or empty and can be filled again.
  static void ExpectComesBack(const std::string& directory, std::uint64_t last) {
    auto index = Open(directory);
    ASSERT_NE(index, nullptr);
    if (index->cursor() == 0) {
      EXPECT_EQ(index->Stats().current, 0u);
      ASSERT_THAT(Add(*index, 1, last), IsOk());
    } else {
      EXPECT_EQ(index->cursor(), last);
    }
    ExpectHoldsUpTo(*index, last);
    ASSERT_THAT(Add(*index, last + 1, last + 1), IsOk());
    ASSERT_THAT(index->Commit(last + 1), IsOk());
    const std::uint64_t first = 1;
    ASSERT_THAT(index->Retire({&first, 1}), IsOk());
    ASSERT_THAT(index->Commit(last + 2), IsOk());
    ASSERT_THAT(index->Compact(), IsOk());
    index.reset();
    index = Open(directory);
    ASSERT_NE(index, nullptr);
    EXPECT_EQ(index->discarded(), "");
    EXPECT_EQ(index->cursor(), last + 2);
    ExpectHoldsUpTo(*index, last + 1);
  }

  TempDir directory_;
};

TEST_F(LostFiles, BeforeItIsOpenedTheIndexComesBackByItself) {
  ForEachLoss([](const std::string& directory, const Loss& loss, const fs::path& file) {
    loss(file);
    ExpectComesBack(directory, kChunks);
  });
}

// Reading goes on or is refused by name; so does writing. The next start puts it right.
TEST_F(LostFiles, WhileItIsOpenTheFailureNamesTheRemedy) {
  std::size_t refused = 0;
  ForEachLoss([&](const std::string& directory, const Loss& loss, const fs::path& file) {
    auto index = Open(directory);
    ASSERT_NE(index, nullptr);
    ASSERT_THAT(Search(*index, "number3"), IsOk());  // a reader is idle
    loss(file);
    bool is_refused = false;
    const auto check = [&](const auto& result) {
      if (result) return true;
      EXPECT_THAT(result, FailsWith(Code::kCorrupt, HasSubstr("index rebuild")));
      is_refused = true;
      return false;
    };
    const std::uint64_t retired = 5;
    check(index->Retire({&retired, 1}));
    for (const char* query : {"fox", "number7", "number190"}) {
      const auto hits = Search(*index, query);
      if (!check(hits)) continue;
      EXPECT_THAT(*hits, SizeIs(std::string(query) == "fox" ? kChunks : 1));
    }
    const bool added = check(Add(*index, kChunks + 1, kChunks + 1));
    const bool committed = added && check(index->Commit(kChunks + 1));
    check(index->Compact());
    refused += is_refused ? 1 : 0;
    index.reset();
    ExpectComesBack(directory, kChunks + (committed ? 1 : 0));
  });
  EXPECT_GT(refused, 10u);
}

}  // namespace
}  // namespace perdure
