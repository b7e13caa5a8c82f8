#include "engine/storage/record_check.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "engine/base/crc32c.h"
#include "engine/storage/store.h"
#include "support/status_matchers.h"
#include "support/temp_dir.h"

namespace perdure {
namespace {

namespace fs = std::filesystem;
using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::TempDir;

std::string ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// A store as a killed process leaves it: with write-ahead logs. One value is longer than a block of
// such a file. What RocksDB deletes meanwhile is not there.
void FillKilled(const fs::path& directory) {
  const TempDir home;
  const auto store = Store::Open(home / "store", {});
  ASSERT_THAT(store, IsOk());
  for (int i = 0; i < 6; ++i) {
    const Mutation mutation{Family::kMeta, "key " + std::to_string(i),
                            std::string(i == 3 ? 70'000 : 20, 'x'), 0};
    ASSERT_THAT((*store)->Write({&mutation, 1}, true), IsOk());
  }
  fs::create_directory(directory);
  for (const auto& file : fs::directory_iterator(home / "store")) {
    std::error_code error;
    fs::copy_file(file, directory / file.path().filename(), error);
    EXPECT_TRUE(!error || !fs::exists(file)) << file.path() << ": " << error.message();
  }
}

// With the manifest in force: RocksDB deletes older ones when it comes to it.
std::vector<fs::path> LogsIn(const std::string& directory) {
  std::string manifest = ReadAll(fs::path(directory) / "CURRENT");
  manifest.pop_back();  // its line end
  std::vector<fs::path> logs;
  for (const auto& file : fs::directory_iterator(directory)) {
    if (file.path().filename() == manifest ||
        (file.path().extension() == ".log" && file.file_size() > 0)) {
      logs.push_back(file.path());
    }
  }
  return logs;
}

TEST(Crc32c, IsTheOneOfTheStandardWhateverTheLength) {
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283u);  // RFC 3720 and the catalogue of CRCs
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62A8AB43u);
  EXPECT_EQ(Crc32c("56789", Crc32c("1234")), 0xE3069283u);
}

TEST(RecordCheck, AcceptsWhatRocksDbWroteAndEveryTornTailOfIt) {
  const TempDir home;
  FillKilled(home / "killed");
  const auto logs = LogsIn(home / "killed");
  ASSERT_EQ(logs.size(), 2u);
  for (const fs::path& path : logs) {
    const std::string bytes = ReadAll(path);
    for (std::size_t size = 0; size <= bytes.size(); size += size < 2000 ? 1 : 997) {
      EXPECT_THAT(CheckRecords(std::string_view(bytes).substr(0, size)), IsOk()) << path << size;
    }
    std::string zeros = bytes.substr(0, bytes.size() / 2);
    zeros.resize(bytes.size());
    EXPECT_THAT(CheckRecords(zeros), IsOk()) << "a tail of zeros is a torn one";
    std::string hole = bytes;
    hole.replace(0, hole.size() / 2, hole.size() / 2, '\0');
    EXPECT_THAT(CheckRecords(hole), IsOk()) << "earlier pages may be lost without later ones";
  }
}

TEST(RecordCheck, SeesEveryFlippedBitOfARecord) {
  const TempDir home;
  FillKilled(home / "killed");
  for (const fs::path& path : LogsIn(home / "killed")) {
    std::string bytes = ReadAll(path);
    std::size_t missed = 0;
    const std::size_t step = bytes.size() > 20'000 ? 1009 : 1;
    for (std::size_t bit = 0; bit < bytes.size() * 8; bit += step) {
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
      if (CheckRecords(bytes)) ++missed;
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    }
    EXPECT_EQ(missed, 0u) << path;
  }
}

TEST(RecordCheck, AManifestThatIsNotCurrentYetIsNotLookedAt) {
  const TempDir home;
  FillKilled(home / "killed");
  for (const fs::path& path : LogsIn(home / "killed")) {
    if (path.extension() == ".log") continue;
    std::string flipped = ReadAll(path);
    flipped[flipped.size() - 3] ^= 16;
    std::ofstream(home / "killed/MANIFEST-000999", std::ios::binary) << flipped;
  }
  ASSERT_TRUE(fs::exists(home / "killed/MANIFEST-000999"));
  EXPECT_THAT(Store::Open(home / "killed", {}), IsOk());
}

TEST(RecordCheck, AStoreThatWouldForgetAWriteDoesNotOpen) {
  const TempDir home;
  FillKilled(home / "killed");
  const auto opens = [&] { return Store::Open(home / "killed", {.read_only = true}); };
  {
    const auto whole = opens();
    ASSERT_THAT(whole, IsOk());
    EXPECT_TRUE((*whole)->Get(Family::kMeta, "key 5", kLatest)->has_value());
  }
  for (const fs::path& path : LogsIn(home / "killed")) {
    const std::string bytes = ReadAll(path);
    std::string flipped = bytes;
    flipped[flipped.size() - 3] ^= 16;  // in the last record
    std::ofstream(path, std::ios::binary) << flipped;
    EXPECT_THAT(opens(), FailsWith(Code::kCorrupt, HasSubstr(path.filename().string())));
    std::ofstream(path, std::ios::binary) << bytes;
  }
  EXPECT_THAT(opens(), IsOk());
}

}  // namespace
}  // namespace perdure
