// libc's file functions as the program and its libraries find them: each asks the Disk first. The
// real ones come from dlsym. A sync is booked, not done: the real disk need not be slow.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "support/disk/disk.h"

namespace perdure::testing {

namespace {

template <typename Function>
Function* Real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

std::uint64_t InodeOf(const std::string& path) {
  struct stat status{};
  return lstat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

std::uint64_t DirectoryOf(const std::string& path) {
  return InodeOf(std::filesystem::path(path).parent_path());
}

std::int64_t SizeOf(int fd) {
  struct stat status{};
  return fstat(fd, &status) == 0 ? status.st_size : 0;
}

std::string AbsolutePath(int directory, const char* path) {
  if (path == nullptr || path[0] == '/' || directory == AT_FDCWD) return path ? path : "";
  char link[64];
  std::snprintf(link, sizeof(link), "/proc/self/fd/%d", directory);
  std::error_code error;
  return (std::filesystem::read_symlink(link, error) / path).string();
}

}  // namespace

// One call's way through the disk: holds its lock, says whether the call is to fail, and keeps the
// books of what it changes.
class DiskDoor {
 public:
  // Whether any call could matter: the way out for all that is not under test.
  static bool IsOpen() { return Disk::Get().watching_ && !PastTheDisk::IsOn(); }
  static bool ReadsMatter() {
    return IsOpen() && (Disk::Get().off_.load() || Disk::Get().has_fault_.load());
  }

  explicit DiskDoor(DiskCall call) : call_(call), disk_(Disk::Get()), lock_(disk_.mutex_) {}

  bool Watches(const std::string& path) {
    const bool is_diary = path.ends_with("/LOG") || path.ends_with("/LOG.old.1");
    const bool watched = disk_.watching_ && !is_diary && path.starts_with(disk_.root_) &&
                         (path.size() == disk_.root_.size() || path[disk_.root_.size()] == '/');
    if (watched) path_ = path;
    return watched;
  }
  bool Watches(int fd) {
    const auto found = disk_.open_.find(fd);
    if (found == disk_.open_.end()) return false;
    path_ = found->second.path;
    inode_ = found->second.inode;
    return true;
  }
  // Whether the call fails before it does anything; errno says how.
  bool Fails() {
    int error = disk_.off_ ? EIO : 0;
    if (error == 0 && disk_.fault_) error = disk_.fault_(call_, path_);
    if (error == 0 && call_ != DiskCall::kRead && call_ != DiskCall::kOpen) ++disk_.calls_;
    if (error != 0) errno = error;
    return error != 0;
  }
  // Whether the power goes at this very call, which has been done.
  bool Cuts() {
    if (disk_.cut_at_ == 0 || disk_.calls_ < disk_.cut_at_) return false;
    disk_.off_ = true;
    errno = EIO;
    return true;
  }
  bool IsOddCall() const { return disk_.calls_ % 2 == 1; }

  void Opened(int fd, bool made) {
    const std::uint64_t inode = InodeOf(path_);
    disk_.open_[fd] = {path_, inode};
    if (!made) return;
    disk_.unsynced_.erase(inode);
    Made(path_);
  }
  void Closed(int fd) { disk_.open_.erase(fd); }

  // Before bytes at `offset`, or the end of the file, change.
  void Changes(int fd, std::int64_t offset, std::string after, std::int64_t size_after) {
    const std::int64_t size = SizeOf(fd);
    const std::int64_t reach =
        after.empty() ? size : std::min<std::int64_t>(size, offset + std::ssize(after));
    Disk::Change change{offset, {}, std::move(after), size, size_after};
    if (reach > offset)
      change.before = Before(offset, static_cast<std::size_t>(reach - offset), fd);
    disk_.unsynced_[inode_].push_back(std::move(change));
  }
  void NothingChanged() { disk_.unsynced_[inode_].pop_back(); }
  void Wrote(std::size_t bytes) { disk_.unsynced_[inode_].back().after.resize(bytes); }
  void Synced(int fd) {
    struct stat status{};
    if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
      disk_.SyncNames(status.st_ino);
    } else {
      disk_.unsynced_.erase(inode_);
    }
  }

  void Made(const std::string& path) {
    const std::uint64_t parent = DirectoryOf(path);
    disk_.names_.push_back({Disk::NameChange::kMade, {parent}, parent, path, {}, {}});
  }
  // A second name for what is about to lose its own; empty when there is nothing.
  std::string Keep(const std::string& path) {
    std::string kept = disk_.graveyard_ + "/" + std::to_string(disk_.next_kept_++);
    static const auto real = Real<int(const char*, const char*)>("link");
    return real(path.c_str(), kept.c_str()) == 0 ? kept : "";
  }
  // `directory`: the inode that it had, if it was one.
  void Removed(const std::string& path, std::string kept, std::uint64_t directory) {
    const std::uint64_t parent = DirectoryOf(path);
    disk_.names_.push_back(
        {Disk::NameChange::kRemoved, {parent}, parent, path, {}, std::move(kept), directory});
  }
  void Renamed(const std::string& from, const std::string& to, std::string kept) {
    const std::uint64_t parent = DirectoryOf(from);
    std::vector<std::uint64_t> directories = {parent};
    if (DirectoryOf(to) != parent) directories.push_back(DirectoryOf(to));
    disk_.names_.push_back(
        {Disk::NameChange::kRenamed, std::move(directories), parent, from, to, std::move(kept)});
  }

 private:
  std::string Before(std::int64_t offset, std::size_t bytes, int fd) {
    char link[64];
    std::snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);  // `fd` may be for writing only
    static const auto real_open = Real<int(const char*, int, ...)>("open");
    static const auto real_pread = Real<ssize_t(int, void*, std::size_t, off_t)>("pread");
    static const auto real_close = Real<int(int)>("close");
    std::string before(bytes, '\0');
    const int reader = real_open(link, O_RDONLY | O_CLOEXEC);
    const ssize_t got = real_pread(reader, before.data(), bytes, offset);
    real_close(reader);
    if (got != static_cast<ssize_t>(bytes)) std::abort();
    return before;
  }

  DiskCall call_;
  Disk& disk_;
  std::lock_guard<std::mutex> lock_;
  const PastTheDisk past_;
  std::string path_;
  std::uint64_t inode_ = 0;
};

namespace {

int OpenThrough(const std::string& path, int flags, const std::function<int()>& real) {
  const bool exists = InodeOf(path) != 0;
  const bool makes = (flags & O_CREAT) != 0 && !exists;
  const bool empties = exists && (flags & O_TRUNC) != 0;
  DiskDoor door(makes ? DiskCall::kCreate : empties ? DiskCall::kResize : DiskCall::kOpen);
  if (!door.Watches(path)) return real();
  if (door.Fails()) return -1;
  if (empties) {
    static const auto real_open = Real<int(const char*, int, ...)>("open");
    static const auto real_close = Real<int(int)>("close");
    const int old = real_open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (old >= 0) {
      door.Opened(old, false);
      door.Watches(old);
      door.Changes(old, 0, {}, 0);
      door.Closed(old);
      real_close(old);
    }
  }
  const int fd = real();
  if (fd < 0) return fd;
  door.Opened(fd, makes);
  if ((makes || empties) && door.Cuts()) {
    static const auto real_close = Real<int(int)>("close");
    door.Closed(fd);
    real_close(fd);
    errno = EIO;
    return -1;
  }
  return fd;
}

ssize_t WriteThrough(int fd, std::string_view bytes, std::optional<off_t> at,
                     const std::function<ssize_t()>& real) {
  DiskDoor door(DiskCall::kWrite);
  if (!door.Watches(fd)) return real();
  if (door.Fails()) return -1;
  const bool appends = (fcntl(fd, F_GETFL) & O_APPEND) != 0;
  const off_t offset = at ? *at : appends ? SizeOf(fd) : lseek(fd, 0, SEEK_CUR);
  if (bytes.empty()) return real();
  door.Changes(fd, offset, std::string(bytes), 0);
  const ssize_t written = real();
  if (written <= 0) {
    door.NothingChanged();
    return written;
  }
  door.Wrote(static_cast<std::size_t>(written));
  return door.Cuts() ? -1 : written;
}

int ResizeThrough(int fd, off_t size, const std::function<int()>& real) {
  DiskDoor door(DiskCall::kResize);
  if (!door.Watches(fd)) return real();
  if (door.Fails()) return -1;
  door.Changes(fd, std::min<off_t>(size, SizeOf(fd)), {}, size);
  const int failed = real();
  if (failed != 0) {
    door.NothingChanged();
    return failed;
  }
  return door.Cuts() ? -1 : 0;
}

int SyncThrough(int fd, const std::function<int()>& real) {
  DiskDoor door(DiskCall::kSync);
  if (!door.Watches(fd)) return real();
  if (door.Fails()) return -1;
  // A sync that the cut hits has got through or not.
  const bool cuts = door.Cuts();
  if (!cuts || door.IsOddCall()) door.Synced(fd);
  if (cuts) errno = EIO;
  return cuts ? -1 : 0;
}

int RemoveThrough(const std::string& path, bool is_directory, const std::function<int()>& real) {
  DiskDoor door(DiskCall::kRemove);
  if (!door.Watches(path)) return real();
  if (door.Fails()) return -1;
  const std::uint64_t directory = is_directory ? InodeOf(path) : 0;
  std::string kept = is_directory ? "" : door.Keep(path);
  const int failed = real();
  if (failed != 0) {
    if (!kept.empty()) std::filesystem::remove(kept);
    return failed;
  }
  door.Removed(path, std::move(kept), directory);
  return door.Cuts() ? -1 : 0;
}

}  // namespace
}  // namespace perdure::testing

using perdure::testing::AbsolutePath;
using perdure::testing::DiskCall;
using perdure::testing::DiskDoor;
using perdure::testing::OpenThrough;
using perdure::testing::Real;
using perdure::testing::RemoveThrough;
using perdure::testing::ResizeThrough;
using perdure::testing::SyncThrough;
using perdure::testing::WriteThrough;

extern "C" {

int openat(int directory, const char* path, int flags, ...) {
  static const auto real = Real<int(int, const char*, int, ...)>("openat");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  const auto go = [=] { return real(directory, path, flags, mode); };
  return DiskDoor::IsOpen() ? OpenThrough(AbsolutePath(directory, path), flags, go) : go();
}

int open(const char* path, int flags, ...) {
  static const auto real = Real<int(const char*, int, ...)>("open");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  const auto go = [=] { return real(path, flags, mode); };
  return DiskDoor::IsOpen() ? OpenThrough(path, flags, go) : go();
}

int close(int fd) {
  static const auto real = Real<int(int)>("close");
  if (!DiskDoor::IsOpen()) return real(fd);
  DiskDoor door(DiskCall::kOpen);
  door.Closed(fd);
  return real(fd);
}

// What fdopen and fdopendir took over is closed within libc.
int fclose(FILE* file) {
  static const auto real = Real<int(FILE*)>("fclose");
  if (!DiskDoor::IsOpen()) return real(file);
  DiskDoor door(DiskCall::kOpen);
  door.Closed(fileno(file));
  return real(file);
}

int closedir(DIR* directory) {
  static const auto real = Real<int(DIR*)>("closedir");
  if (!DiskDoor::IsOpen()) return real(directory);
  DiskDoor door(DiskCall::kOpen);
  door.Closed(dirfd(directory));
  return real(directory);
}

ssize_t read(int fd, void* data, size_t bytes) {
  static const auto real = Real<ssize_t(int, void*, size_t)>("read");
  if (DiskDoor::ReadsMatter()) {
    DiskDoor door(DiskCall::kRead);
    if (door.Watches(fd) && door.Fails()) return -1;
  }
  return real(fd, data, bytes);
}

ssize_t pread(int fd, void* data, size_t bytes, off_t offset) {
  static const auto real = Real<ssize_t(int, void*, size_t, off_t)>("pread");
  if (DiskDoor::ReadsMatter()) {
    DiskDoor door(DiskCall::kRead);
    if (door.Watches(fd) && door.Fails()) return -1;
  }
  return real(fd, data, bytes, offset);
}

ssize_t write(int fd, const void* data, size_t bytes) {
  static const auto real = Real<ssize_t(int, const void*, size_t)>("write");
  const auto go = [=] { return real(fd, data, bytes); };
  if (!DiskDoor::IsOpen()) return go();
  return WriteThrough(fd, {static_cast<const char*>(data), bytes}, {}, go);
}

ssize_t pwrite(int fd, const void* data, size_t bytes, off_t offset) {
  static const auto real = Real<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  const auto go = [=] { return real(fd, data, bytes, offset); };
  if (!DiskDoor::IsOpen()) return go();
  return WriteThrough(fd, {static_cast<const char*>(data), bytes}, offset, go);
}

int fsync(int fd) {
  static const auto real = Real<int(int)>("fsync");
  return DiskDoor::IsOpen() ? SyncThrough(fd, [=] { return real(fd); }) : real(fd);
}

int fdatasync(int fd) {
  static const auto real = Real<int(int)>("fdatasync");
  return DiskDoor::IsOpen() ? SyncThrough(fd, [=] { return real(fd); }) : real(fd);
}

int ftruncate(int fd, off_t size) noexcept {
  static const auto real = Real<int(int, off_t)>("ftruncate");
  const auto go = [=] { return real(fd, size); };
  return DiskDoor::IsOpen() ? ResizeThrough(fd, size, go) : go();
}

// Reserves space beyond the end and changes nothing that can be read.
int fallocate(int fd, int mode, off_t offset, off_t bytes) {
  static const auto real = Real<int(int, int, off_t, off_t)>("fallocate");
  if (DiskDoor::IsOpen()) {
    DiskDoor door(DiskCall::kResize);
    if (door.Watches(fd)) {
      if ((mode & FALLOC_FL_KEEP_SIZE) == 0) std::abort();
      if (door.Fails()) return -1;
    }
  }
  return real(fd, mode, offset, bytes);
}

int rename(const char* from, const char* to) noexcept {
  static const auto real = Real<int(const char*, const char*)>("rename");
  if (!DiskDoor::IsOpen()) return real(from, to);
  DiskDoor door(DiskCall::kRename);
  if (!door.Watches(from)) return real(from, to);
  if (door.Fails()) return -1;
  std::string kept = door.Keep(to);
  const int failed = real(from, to);
  if (failed != 0) {
    if (!kept.empty()) std::filesystem::remove(kept);
    return failed;
  }
  door.Renamed(from, to, std::move(kept));
  return door.Cuts() ? -1 : 0;
}

int link(const char* from, const char* to) noexcept {
  static const auto real = Real<int(const char*, const char*)>("link");
  if (!DiskDoor::IsOpen()) return real(from, to);
  DiskDoor door(DiskCall::kCreate);
  if (!door.Watches(to)) return real(from, to);
  if (door.Fails()) return -1;
  const int failed = real(from, to);
  if (failed != 0) return failed;
  door.Made(to);
  return door.Cuts() ? -1 : 0;
}

int unlink(const char* path) noexcept {
  static const auto real = Real<int(const char*)>("unlink");
  const auto go = [=] { return real(path); };
  return DiskDoor::IsOpen() ? RemoveThrough(path, false, go) : go();
}

int unlinkat(int directory, const char* path, int flags) noexcept {
  static const auto real = Real<int(int, const char*, int)>("unlinkat");
  const auto go = [=] { return real(directory, path, flags); };
  if (!DiskDoor::IsOpen()) return go();
  return RemoveThrough(AbsolutePath(directory, path), (flags & AT_REMOVEDIR) != 0, go);
}

int rmdir(const char* path) noexcept {
  static const auto real = Real<int(const char*)>("rmdir");
  const auto go = [=] { return real(path); };
  return DiskDoor::IsOpen() ? RemoveThrough(path, true, go) : go();
}

int remove(const char* path) noexcept {
  struct stat status{};
  const bool is_directory = lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
  return is_directory ? rmdir(path) : unlink(path);
}

int mkdir(const char* path, mode_t mode) noexcept {
  static const auto real = Real<int(const char*, mode_t)>("mkdir");
  if (!DiskDoor::IsOpen()) return real(path, mode);
  DiskDoor door(DiskCall::kMakeDir);
  if (!door.Watches(path)) return real(path, mode);
  if (door.Fails()) return -1;
  const int failed = real(path, mode);
  if (failed != 0) return failed;
  door.Made(path);
  return door.Cuts() ? -1 : 0;
}

// RocksDB rests a second after a failed flush; nobody here has to.
int usleep(useconds_t time) {
  static const auto real = Real<int(useconds_t)>("usleep");
  return real(DiskDoor::ReadsMatter() ? std::min<useconds_t>(time, 1000) : time);
}

}  // extern "C"
