// Stands between a program and libc (LD_PRELOAD), counts what the program changes below one
// directory, and ends it at the change that the test has chosen, as kill -9 does: after that
// change, and in the middle of it when it is a write.
//
//   PERDURE_STEPS       a file of sizeof(Page) bytes, shared with the test, which arms it
//   PERDURE_STEPS_ROOT  the directory
//
// RocksDB's diary LOG and the lock file are left out.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

// Numbers are of the machine's order; tests/erasure/kills.py knows their places.
struct Page {
  std::atomic<std::uint64_t> armed;    // 0: nothing counts
  std::atomic<std::uint64_t> kill_at;  // 0: never
  std::atomic<std::uint64_t> steps;
  std::atomic<std::uint64_t> trace_bytes;
  char trace[1 << 20];  // "CALL PATH\n" of each step, the path from the root
};

template <typename Function>
Function* Real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

Page* MapPage() {
  const char* path = std::getenv("PERDURE_STEPS");
  if (path == nullptr) return nullptr;
  const int fd = Real<int(const char*, int, ...)>("open")(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return nullptr;
  void* page = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  Real<int(int)>("close")(fd);
  return page == MAP_FAILED ? nullptr : static_cast<Page*>(page);
}

Page* ThePage() {
  static Page* const page = MapPage();
  return page;
}

bool IsArmed() { return ThePage() != nullptr && ThePage()->armed != 0; }

// The path below the root, or empty when it does not count.
std::string_view BelowRoot(std::string_view path) {
  static const char* const root = std::getenv("PERDURE_STEPS_ROOT");
  if (root == nullptr || !path.starts_with(root)) return {};
  path.remove_prefix(std::strlen(root));
  if (path.starts_with("/")) path.remove_prefix(1);
  const bool is_left_out = path == "lock" || path.contains("/LOG");
  return is_left_out ? std::string_view() : path;
}

std::string PathOf(int fd) {
  std::array<char, 4096> path;
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t size = readlink(link.c_str(), path.data(), path.size());
  return size > 0 ? std::string(path.data(), static_cast<std::size_t>(size)) : std::string();
}

std::string PathAt(int directory, const char* path) {
  if (path[0] == '/') return path;
  if (directory != AT_FDCWD) return PathOf(directory) + "/" + path;
  std::array<char, 4096> here;
  const char* const current = getcwd(here.data(), here.size());
  return current == nullptr ? std::string(path) : std::string(current) + "/" + path;
}

// Counts a step; whether it is the last.
bool IsLast(std::string_view call, const std::string& path) {
  const std::string_view place = BelowRoot(path);
  if (place.empty()) return false;
  Page& page = *ThePage();
  const std::uint64_t step = ++page.steps;
  const std::string line = std::string(call) + " " + std::string(place) + "\n";
  const std::uint64_t at = page.trace_bytes.fetch_add(line.size());
  if (at + line.size() <= sizeof(page.trace)) line.copy(page.trace + at, line.size());
  return step == page.kill_at;
}

void End() {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

template <typename Call>
auto Step(std::string_view name, const std::string& path, const Call& call) {
  const bool is_last = IsLast(name, path);
  const auto result = call();
  if (is_last) End();
  return result;
}

template <typename Write>
ssize_t WriteStep(int fd, std::size_t bytes, const Write& write) {
  if (!IsArmed()) return write(bytes);
  if (IsLast("write", PathOf(fd))) {
    write((bytes + 1) / 2);
    End();
  }
  return write(bytes);
}

template <typename Open>
int OpenStep(const std::string& path, int flags, const Open& open) {
  struct stat status{};
  const bool exists = stat(path.c_str(), &status) == 0;
  const bool changes = exists ? (flags & O_TRUNC) != 0 : (flags & O_CREAT) != 0;
  return changes ? Step(exists ? "empty" : "create", path, open) : open();
}

int OpenAt(const char* real_name, int directory, const char* path, int flags, mode_t mode) {
  const auto real = Real<int(int, const char*, int, ...)>(real_name);
  const auto go = [=] { return real(directory, path, flags, mode); };
  return IsArmed() ? OpenStep(PathAt(directory, path), flags, go) : go();
}

}  // namespace

extern "C" {

ssize_t write(int fd, const void* data, size_t size) {
  static const auto real = Real<ssize_t(int, const void*, size_t)>("write");
  return WriteStep(fd, size, [=](std::size_t bytes) { return real(fd, data, bytes); });
}

ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  static const auto real = Real<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return WriteStep(fd, size, [=](std::size_t bytes) { return real(fd, data, bytes, at); });
}

ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) {
  static const auto real = Real<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  return WriteStep(fd, size, [=](std::size_t bytes) { return real(fd, data, bytes, at); });
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return OpenAt("openat", AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return OpenAt("openat64", AT_FDCWD, path, flags, mode);
}

int openat(int directory, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return OpenAt("openat", directory, path, flags, mode);
}

int fsync(int fd) {
  static const auto real = Real<int(int)>("fsync");
  const auto go = [=] { return real(fd); };
  return IsArmed() ? Step("sync", PathOf(fd), go) : go();
}

int fdatasync(int fd) {
  static const auto real = Real<int(int)>("fdatasync");
  const auto go = [=] { return real(fd); };
  return IsArmed() ? Step("sync", PathOf(fd), go) : go();
}

int ftruncate(int fd, off_t size) noexcept {
  static const auto real = Real<int(int, off_t)>("ftruncate");
  const auto go = [=] { return real(fd, size); };
  return IsArmed() ? Step("resize", PathOf(fd), go) : go();
}

int rename(const char* from, const char* to) noexcept {
  static const auto real = Real<int(const char*, const char*)>("rename");
  const auto go = [=] { return real(from, to); };
  return IsArmed() ? Step("rename", PathAt(AT_FDCWD, to), go) : go();
}

int unlink(const char* path) noexcept {
  static const auto real = Real<int(const char*)>("unlink");
  const auto go = [=] { return real(path); };
  return IsArmed() ? Step("remove", PathAt(AT_FDCWD, path), go) : go();
}

int unlinkat(int directory, const char* path, int flags) noexcept {
  static const auto real = Real<int(int, const char*, int)>("unlinkat");
  const auto go = [=] { return real(directory, path, flags); };
  return IsArmed() ? Step("remove", PathAt(directory, path), go) : go();
}

int rmdir(const char* path) noexcept {
  static const auto real = Real<int(const char*)>("rmdir");
  const auto go = [=] { return real(path); };
  return IsArmed() ? Step("remove", PathAt(AT_FDCWD, path), go) : go();
}

int mkdir(const char* path, mode_t mode) noexcept {
  static const auto real = Real<int(const char*, mode_t)>("mkdir");
  const auto go = [=] { return real(path, mode); };
  return IsArmed() ? Step("make", PathAt(AT_FDCWD, path), go) : go();
}

}  // extern "C"
