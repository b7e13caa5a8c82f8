// Looks for canaries in every file below directories.
//
//   erasure_scan NEEDLES DIRECTORY...   prints "HERD CODE FORM FILE" for each that it finds, FORM
//                                       raw, decoded or a needle's own, "torn - - FILE" for a
//                                       table that cannot be read, then "bytes RAW DECODED FILES".
//                                       NEEDLES: see canaries.h; "" for none.
//   erasure_scan --watch STORE CODES    waits until no file holds a ghost of CODES (or "all"):
//                                       prints "holds N" for the N files that do so at first, and
//                                       "clean SECONDS", Unix time, when none does.
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "erasure/canaries.h"
#include "support/glass_dump.h"
#include "support/table_dump.h"

namespace perdure::testing {
namespace {

constexpr std::chrono::milliseconds kPause(20);

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Totals {
  std::size_t raw = 0;
  std::size_t decoded = 0;
  std::size_t files = 0;
};

void PrintFound(std::string_view bytes, const char* form, const std::string& path) {
  for (const std::string_view herd : {kGhost, kAlive}) {
    for (const std::string& code : FindCanaries(bytes, herd)) {
      std::printf("%s %s %s %s\n", std::string(herd).c_str(), code.c_str(), form, path.c_str());
    }
  }
}

void ScanFile(const std::filesystem::path& path, const ByteNeedles& needles, Totals& totals) {
  const std::string raw = ReadFile(path);
  PrintFound(raw, "raw", path.string());
  ByteNeedles::Found found;
  needles.Find(raw, found);
  std::string decoded;
  if (path.extension() == ".glass") decoded = InflateGlass(raw);
  if (path.extension() == ".sst") {
    if (auto dumped = TryDumpTable(path.string())) {
      decoded = std::move(*dumped);
    } else {
      std::printf("torn - - %s\n", path.c_str());
    }
  }
  PrintFound(decoded, "decoded", path.string());
  needles.Find(decoded, found);
  for (const auto& [name, form] : found) {
    std::printf("%s %s %s %s\n", name.substr(0, 5).c_str(), name.substr(5).c_str(), form.c_str(),
                path.c_str());
  }
  ++totals.files;
  totals.raw += raw.size();
  totals.decoded += decoded.size();
}

void Scan(const std::string& needles_path, std::span<char*> directories) {
  const ByteNeedles needles = ByteNeedles::Read(needles_path);
  Totals totals;
  for (const char* directory : directories) {
    for (const auto& file : std::filesystem::recursive_directory_iterator(directory)) {
      if (file.is_regular_file()) ScanFile(file.path(), needles, totals);
    }
  }
  std::printf("bytes %zu %zu %zu\n", totals.raw, totals.decoded, totals.files);
}

// --- Watching a store that is at work
// -------------------------------------------------------------

class Watch {
 public:
  Watch(std::string store, std::set<std::string> codes)
      : store_(std::move(store)), codes_(std::move(codes)) {}

  // How many files hold a ghost, or cannot be read yet.
  std::size_t Holding() {
    std::size_t holding = 0;
    std::error_code error;
    for (std::filesystem::directory_iterator file(store_, error), end; !error && file != end;
         file.increment(error)) {
      if (Holds(file->path())) ++holding;
    }
    return holding;
  }

 private:
  using Identity = std::pair<ino_t, off_t>;

  // A file that went away holds nothing.
  bool Holds(const std::filesystem::path& path) {
    struct stat status{};
    if (stat(path.c_str(), &status) != 0) return false;
    const Identity identity(status.st_ino, status.st_size);
    const auto [known, is_new] = known_.try_emplace(identity, true);
    if (!is_new) return known->second;
    const std::optional<bool> holds = Look(path);
    if (holds) known->second = *holds;
    if (!holds) known_.erase(identity);
    return holds.value_or(std::filesystem::exists(path));
  }

  std::optional<bool> Look(const std::filesystem::path& path) const {
    if (HasGhost(ReadFile(path))) return true;
    if (path.extension() != ".sst") return false;
    const auto dumped = TryDumpTable(path.string());
    if (!dumped) return std::nullopt;
    return HasGhost(*dumped);
  }

  bool HasGhost(std::string_view bytes) const {
    const std::set<std::string> found = FindCanaries(bytes, kGhost);
    return codes_.empty() ? !found.empty() : std::ranges::any_of(found, [this](const auto& code) {
      return codes_.contains(code);
    });
  }

  std::string store_;
  std::set<std::string> codes_;  // empty: all
  std::map<Identity, bool> known_;
};

void WaitUntilClean(const std::string& store, const std::string& codes) {
  std::set<std::string> wanted;
  for (std::size_t at = 0; codes != "all" && at + 4 <= codes.size(); at += 5) {
    wanted.insert(codes.substr(at, 4));
  }
  Watch watch(store, std::move(wanted));
  std::printf("holds %zu\n", watch.Holding());
  std::fflush(stdout);
  while (watch.Holding() > 0) std::this_thread::sleep_for(kPause);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  std::printf("clean %.3f\n", std::chrono::duration<double>(now).count());
}

}  // namespace
}  // namespace perdure::testing

int main(int argc, char** argv) {
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  if (argc == 4 && std::string_view(argv[1]) == "--watch") {
    perdure::testing::WaitUntilClean(argv[2], argv[3]);
  } else if (argc >= 3) {
    perdure::testing::Scan(argv[1], arguments.subspan(2));
  } else {
    return 2;
  }
  return 0;
}
