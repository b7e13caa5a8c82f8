#include "engine/storage/record_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>
#include <vector>

#include "engine/base/crc32c.h"

namespace perdure {
namespace {

constexpr std::size_t kBlockBytes = 32768;
constexpr std::size_t kHeaderBytes = 7;
constexpr std::uint32_t kMaskDelta = 0xa282ead8;
constexpr std::uint8_t kWhole = 1;
constexpr std::uint8_t kFirst = 2;
// A file that is being written may have been read in the middle of a record.
constexpr std::chrono::milliseconds kPatience(200);

std::uint32_t Number(std::string_view bytes) {
  std::uint32_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    number = number << 8 | static_cast<std::uint8_t>(bytes[i]);
  }
  return number;
}

std::uint32_t Unmask(std::uint32_t masked) { return std::rotl(masked - kMaskDelta, 15); }

// What is left of a block from a record's header on.
struct Record {
  std::string_view rest;

  std::uint32_t masked() const { return Number(rest.substr(0, 4)); }
  std::size_t length() const { return Number(rest.substr(4, 2)); }
  std::uint8_t type() const { return static_cast<std::uint8_t>(rest[6]); }
  bool Fits(std::size_t length) const { return kHeaderBytes + length <= rest.size(); }
  std::uint32_t Crc(std::size_t length) const { return Crc32c(rest.substr(6, 1 + length)); }
  bool IsGood() const { return Fits(length()) && Crc(length()) == Unmask(masked()); }
};

// Whether one flipped bit of the type and data would make `difference` of their CRC: that of a bit
// depends on its distance from the end alone.
bool IsOneBitOf(std::size_t bytes, std::uint32_t difference) {
  constexpr std::uint32_t kPolynomial = 0x82F63B78;
  std::uint32_t effect = kPolynomial;  // of the last bit, as the reflected CRC takes them
  for (std::size_t bit = 0; bit < bytes * 8; ++bit) {
    if (effect == difference) return true;
    effect = effect >> 1 ^ ((effect & 1) != 0 ? kPolynomial : 0);
  }
  return false;
}

bool IsFlipped(const Record& record) {
  const std::size_t length = record.length();
  if (record.Fits(length)) {
    const std::uint32_t crc = record.Crc(length);
    const std::uint32_t masked = std::rotr(crc, 15) + kMaskDelta;
    if (std::popcount(masked ^ record.masked()) == 1) return true;
    if (IsOneBitOf(1 + length, crc ^ Unmask(record.masked()))) return true;
  }
  for (int bit = 0; bit < 16; ++bit) {
    const std::size_t other = length ^ (std::size_t{1} << bit);
    if (record.Fits(other) && record.Crc(other) == Unmask(record.masked())) return true;
  }
  return false;
}

bool IsBlank(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char c) { return c == 0; });
}

}  // namespace

Status CheckRecords(std::string_view bytes) {
  std::optional<std::size_t> bad;
  const auto damaged = [&bad] {
    auto failed = Fail(Code::kCorrupt, fmt::format("The record at byte {} is damaged.", *bad));
    failed.error().details.emplace_back("offset", std::to_string(*bad));
    return failed;
  };
  for (std::size_t start = 0; start < bytes.size(); start += kBlockBytes) {
    std::string_view block = bytes.substr(start, kBlockBytes);
    while (block.size() >= kHeaderBytes) {
      const Record record{block};
      const bool is_good = record.IsGood();
      if (!is_good && IsBlank(block.substr(0, kHeaderBytes)))
        return {};  // nothing behind it counts
      const bool begins = record.type() == kWhole || record.type() == kFirst;
      if (is_good && begins && bad) return damaged();
      if (!is_good && !bad) {
        bad = start + std::min(kBlockBytes, bytes.size() - start) - block.size();
        if (IsFlipped(record)) return damaged();
      }
      if (!is_good && !record.Fits(record.length())) break;
      block.remove_prefix(kHeaderBytes + record.length());
    }
  }
  return {};
}

namespace {

// The first problem of the files in the order in which they were written.
Status CheckAll(const std::vector<std::filesystem::path>& paths) {
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const Status checked = CheckRecords(bytes);
    if (checked) continue;
    auto failed = Fail(Code::kCorrupt,
                       fmt::format("The file {} is damaged: {} Opening the store would take back "
                                   "writes that were acknowledged. Keep a copy of the directory "
                                   "and restore a backup.",
                                   path.string(), checked.error().message));
    failed.error().details = checked.error().details;
    return failed;
  }
  return {};
}

// The write-ahead logs, and the MANIFEST that CURRENT names: another one is left from a power cut
// while it was written, and RocksDB does not read it.
std::vector<std::filesystem::path> RecordFiles(const std::string& directory) {
  std::vector<std::filesystem::path> paths;
  std::string manifest;
  std::getline(std::ifstream(directory + "/CURRENT"), manifest);
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(directory, error)) {
    const auto& path = file.path();
    if (path.extension() == ".log" || path.filename() == manifest) {
      paths.push_back(path);
    }
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace

Status CheckRecordFiles(const std::string& directory) {
  if (CheckAll(RecordFiles(directory))) return {};
  std::this_thread::sleep_for(kPatience);
  return CheckAll(RecordFiles(directory));
}

}  // namespace perdure
