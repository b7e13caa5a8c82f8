#include "tools/source/folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "engine/base/bytes.h"
#include "engine/base/limits.h"
#include "index/chunk/markdown_blocks.h"

namespace perdure {
namespace {

namespace fs = std::filesystem;

constexpr auto kPruned =
    std::to_array<std::string_view>({".bundle",      ".cargo",        ".git",
                                     ".gradle",      ".hg",           ".jj",
                                     ".m2",          ".mypy_cache",   ".nox",
                                     ".npm",         ".pnpm-store",   ".rustup",
                                     ".svn",         ".terraform",    ".tox",
                                     ".venv",        ".yarn",         "Carthage",
                                     "Pods",         "__pycache__",   "bower_components",
                                     "node_modules", "site-packages", "vendor",
                                     "venv"});

std::string Below(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : folder + "/" + name;
}

class Walk {
 public:
  Walk(const std::string& root, const PatternList& patterns) : root_(root), patterns_(patterns) {}

  // False when the folder cannot be read at all.
  bool Enter(const std::string& folder, std::size_t depth) {
    std::error_code failed;
    std::vector<fs::directory_entry> entries;
    fs::directory_iterator at(folder.empty() ? root_ : root_ + "/" + folder, failed);
    for (; !failed && at != fs::end(at); at.increment(failed)) entries.push_back(*at);
    if (failed) {
      listing_.problems.push_back({folder, fmt::format("cannot be read: {}", failed.message())});
      return false;
    }
    listing_.folders.push_back(folder);
    for (const fs::directory_entry& entry : entries) Look(entry, folder, depth);
    return true;
  }

  FolderListing Take() {
    std::ranges::sort(listing_.paths);
    std::ranges::sort(listing_.folders);
    std::ranges::sort(listing_.problems, {}, &FileProblem::path);
    return std::move(listing_);
  }

 private:
  void Look(const fs::directory_entry& entry, const std::string& folder, std::size_t depth) {
    std::error_code failed;
    const std::string name = entry.path().filename().string();
    const std::string path = Below(folder, name);
    const fs::file_status status = entry.symlink_status(failed);
    if (fs::is_directory(status)) {
      if (std::ranges::find(kPruned, name) != kPruned.end()) return;
      if (depth == kFolderDepthMax) {
        listing_.problems.push_back(
            {path, fmt::format("lies deeper than {} folders", kFolderDepthMax)});
        return;
      }
      Enter(path, depth + 1);
      return;
    }
    const bool is_link = fs::is_symlink(status);
    if (!is_link && !fs::is_regular_file(status)) return;
    if (is_link && fs::is_directory(entry.status(failed))) return;
    if (FirstInvalidUtf8(path)) {
      listing_.problems.push_back({CleanUtf8(path), "has a name that is not UTF-8"});
    } else if (patterns_.Admits(path)) {
      listing_.paths.push_back(path);
    }
  }

  static std::string CleanUtf8(std::string text) {
    while (const auto at = FirstInvalidUtf8(text)) text[*at] = '?';
    return text;
  }

  const std::string& root_;
  const PatternList& patterns_;
  FolderListing listing_;
};

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

std::unexpected<Error> Unreadable(int problem) {
  const bool is_gone = problem == ENOENT || problem == ENOTDIR;
  return Fail(is_gone ? Code::kNotFound : Code::kForbidden,
              is_gone ? "is not there any more"
                      : fmt::format("cannot be read: {}", std::strerror(problem)));
}

// Where the file that was opened lies, whatever links led to it and whoever moves them meanwhile.
Status CheckPlace(const std::string& root, int fd) {
  std::error_code failed;
  const std::string place = fs::read_symlink(fmt::format("/proc/self/fd/{}", fd), failed).string();
  if (failed) return Fail(Code::kForbidden, "lies at a place that cannot be told");
  const std::string prefix = root == "/" ? root : root + "/";
  if (place.starts_with(prefix)) return {};
  return Fail(Code::kForbidden, "is a link that leads out of the folder: not followed");
}

std::string_view WithoutFrontMatter(std::string_view text) {
  if (!text.starts_with("---\n") && !text.starts_with("---\r\n")) return text;
  const std::size_t end = text.find("\n---", 3);
  if (end == text.npos) return text;
  const std::size_t line_end = text.find('\n', end + 1);
  return line_end == text.npos ? std::string_view() : text.substr(line_end + 1);
}

}  // namespace

Result<FolderListing> ListFolder(const std::string& root, const PatternList& patterns) {
  Walk walk(root, patterns);
  if (!walk.Enter("", 0)) {
    return Fail(Code::kNotFound, fmt::format("{} {}.", root, walk.Take().problems.front().why),
                "path");
  }
  return walk.Take();
}

Result<std::string> ReadListed(const std::string& root, const std::string& path) {
  std::error_code failed;
  const std::string canonical = fs::canonical(root, failed).string();
  if (failed) return Unreadable(failed.value());
  // A pipe that matches must not make the scan wait.
  const Descriptor file(open((canonical + "/" + path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return Unreadable(errno);
  RETURN_IF_ERROR(CheckPlace(canonical, file.get()));
  struct stat info{};
  if (fstat(file.get(), &info) != 0) return Unreadable(errno);
  if (!S_ISREG(info.st_mode)) return Fail(Code::kInvalidArgument, "is no file");
  std::string text;
  std::array<char, 65'536> part;
  while (text.size() <= limits::kTextBytesMax) {
    const ssize_t count = read(file.get(), part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Unreadable(errno);
    if (count == 0) break;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  if (text.size() > limits::kTextBytesMax) {
    return Fail(Code::kInvalidArgument,
                fmt::format("has more than {} bytes", limits::kTextBytesMax));
  }
  if (const auto offset = FirstInvalidUtf8(text)) {
    return Fail(Code::kInvalidArgument,
                fmt::format("is not UTF-8: the byte at offset {} is out of place", *offset));
  }
  if (text.find_first_not_of(" \t\r\n") == text.npos) {
    return Fail(Code::kInvalidArgument, "has no text");
  }
  return text;
}

std::string TitleOfFile(std::string_view text, const std::string& path) {
  for (const MarkdownBlock& block : ParseMarkdownBlocks(WithoutFrontMatter(text))) {
    if (block.heading_level > 0 && !block.heading.empty()) return block.heading;
  }
  return std::string(CutAtGrapheme(path, limits::kTitleBytesMax));
}

}  // namespace perdure
