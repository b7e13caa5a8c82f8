#include "support/disk/disk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>

namespace perdure::testing {
namespace {

namespace fs = std::filesystem;

thread_local bool is_past = false;

[[noreturn]] void Die(const char* doing, const std::string& path) {
  std::fprintf(stderr, "the test's disk cannot %s %s\n", doing, path.c_str());
  std::abort();
}

void Overwrite(int fd, std::string_view bytes, std::int64_t offset, const std::string& path) {
  if (pwrite(fd, bytes.data(), bytes.size(), offset) != static_cast<ssize_t>(bytes.size())) {
    Die("write", path);
  }
}

void Resize(int fd, std::int64_t size, const std::string& path) {
  if (ftruncate(fd, size) != 0) Die("resize", path);
}

std::uint64_t InodeOf(const std::string& path) {
  struct stat status{};
  return lstat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

std::map<std::uint64_t, std::string> PathsByInode(std::initializer_list<std::string> roots) {
  std::map<std::uint64_t, std::string> paths;
  for (const std::string& root : roots) {
    for (const auto& file : fs::recursive_directory_iterator(root)) {
      if (const std::uint64_t inode = InodeOf(file.path()); inode != 0) {
        paths.emplace(inode, file.path());
      }
    }
  }
  return paths;
}

}  // namespace

PastTheDisk::PastTheDisk() : before_(std::exchange(is_past, true)) {}
PastTheDisk::~PastTheDisk() { is_past = before_; }
bool PastTheDisk::IsOn() { return is_past; }

Disk& Disk::Get() {
  static Disk disk;
  return disk;
}

void Disk::Watch(const std::string& root) {
  Unwatch();
  const PastTheDisk past;
  const std::lock_guard lock(mutex_);
  root_ = root;
  graveyard_ = root + ".graveyard";
  fs::create_directories(graveyard_);
  watching_ = true;
}

void Disk::Unwatch() {
  const PastTheDisk past;
  const std::lock_guard lock(mutex_);
  watching_ = off_ = has_fault_ = false;
  cut_at_ = 0;
  fault_ = {};
  open_.clear();
  unsynced_.clear();
  names_.clear();
  std::error_code ignored;
  if (!graveyard_.empty()) fs::remove_all(graveyard_, ignored);
}

void Disk::CutAfter(std::uint64_t calls) {
  const std::lock_guard lock(mutex_);
  cut_at_ = calls_ + calls;
}

std::uint64_t Disk::Calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

void Disk::SetFault(Fault fault) {
  const std::lock_guard lock(mutex_);
  fault_ = std::move(fault);
  has_fault_ = static_cast<bool>(fault_);
}

// Everything done so far to the names in a directory is durable now.
void Disk::SyncNames(std::uint64_t directory) {
  for (NameChange& change : names_) {
    std::erase(change.directories, directory);
    if (change.directories.empty() && !change.kept.empty()) fs::remove(change.kept);
  }
  std::erase_if(names_, [](const NameChange& change) { return change.directories.empty(); });
}

std::vector<std::string> Disk::Reboot(std::mt19937_64& random) {
  const PastTheDisk past;
  const std::lock_guard lock(mutex_);
  UndoData(random, random() % 2 == 0);
  UndoNames(random, random() % 2 == 0);
  fs::remove_all(graveyard_);
  fs::create_directories(graveyard_);
  off_ = false;
  cut_at_ = 0;
  std::vector<std::string> left;
  for (const auto& [fd, file] : open_) left.push_back(file.path);
  open_.clear();
  return left;
}

// Takes back every change, then makes some again: the first few, the last of them torn; or any.
void Disk::UndoData(std::mt19937_64& random, bool keep_some) {
  const auto paths = PathsByInode({root_, graveyard_});
  for (const auto& [inode, changes] : unsynced_) {
    const auto found = paths.find(inode);
    if (found == paths.end() || changes.empty()) continue;
    const std::string& path = found->second;
    const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) Die("open", path);
    for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
      Overwrite(fd, change->before, change->offset, path);
      Resize(fd, change->size_before, path);
    }
    const bool in_order = random() % 2 == 0;
    const std::size_t torn = keep_some ? random() % (changes.size() + 1) : 0;
    for (std::size_t i = 0; keep_some && i < changes.size(); ++i) {
      if (in_order ? i > torn : random() % 2 == 0) continue;
      std::string_view after = changes[i].after;
      if (in_order && i == torn) after = after.substr(0, random() % (after.size() + 1));
      if (changes[i].after.empty()) Resize(fd, changes[i].size_after, path);
      Overwrite(fd, after, changes[i].offset, path);
    }
    close(fd);
  }
  unsynced_.clear();
}

// What survives of a directory is a first part of what was done to it.
void Disk::UndoNames(std::mt19937_64& random, bool keep_some) {
  std::map<std::uint64_t, std::size_t> pending;
  for (const NameChange& change : names_) {
    for (const std::uint64_t directory : change.directories) ++pending[directory];
  }
  for (auto& [directory, count] : pending) count = keep_some ? random() % (count + 1) : 0;
  std::vector<const NameChange*> lost;
  for (const NameChange& change : names_) {
    const bool survives = std::ranges::all_of(
        change.directories, [&](std::uint64_t directory) { return pending[directory] > 0; });
    for (const std::uint64_t directory : change.directories) {
      pending[directory] = survives ? pending[directory] - 1 : 0;
    }
    if (!survives) lost.push_back(&change);
  }
  Inodes again;
  for (auto change = lost.rbegin(); change != lost.rend(); ++change) UndoName(**change, again);
  names_.clear();
}

void Disk::UndoName(const NameChange& change, Inodes& again) {
  // A directory that is durably gone takes what was in it along, and another may have its name.
  const auto back = again.find(change.parent);
  const std::uint64_t parent = back == again.end() ? change.parent : back->second;
  if (InodeOf(fs::path(change.path).parent_path()) != parent) return;
  switch (change.kind) {
    case NameChange::kMade:
      fs::remove_all(change.path);
      break;
    case NameChange::kRemoved:
      if (change.removed_directory != 0) {
        fs::create_directory(change.path);
        again[change.removed_directory] = InodeOf(change.path);
      } else {
        fs::rename(change.kept, change.path);
      }
      break;
    case NameChange::kRenamed:
      fs::rename(change.new_path, change.path);
      if (!change.kept.empty()) fs::rename(change.kept, change.new_path);
      break;
  }
}

}  // namespace perdure::testing
