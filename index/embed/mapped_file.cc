#include "index/embed/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace perdure {
namespace {

std::unexpected<Error> FailErrno(const std::string& path, int error) {
  const Code code = error == ENOENT || error == ENOTDIR ? Code::kNotFound : Code::kUnavailable;
  return Fail(code, fmt::format("{}: {}", path, std::generic_category().message(error)));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

Result<MappedFile> MappedFile::Open(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return FailErrno(path, errno);
  struct stat facts{};
  if (fstat(file.get(), &facts) != 0) return FailErrno(path, errno);
  if (!S_ISREG(facts.st_mode)) return Fail(Code::kUnavailable, path + ": not a regular file");
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (size == 0) return MappedFile(nullptr, 0);
  void* const data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file.get(), 0);
  if (data == MAP_FAILED) return FailErrno(path, errno);
  return MappedFile(static_cast<const char*>(data), size);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace perdure
