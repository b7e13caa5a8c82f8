#include "index/vector/file_io.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace perdure {
namespace {

std::unexpected<Error> IoError(std::string_view verb, const std::string& path, int error) {
  return Fail(error == ENOSPC ? Code::kStorageFull : Code::kUnavailable,
              fmt::format("Cannot {} {}: {}.", verb, path, std::generic_category().message(error)));
}

std::unexpected<Error> Corrupt(std::string_view what) {
  return Fail(Code::kCorrupt, std::string(what));
}

}  // namespace

Result<HashedFileWriter> HashedFileWriter::Create(std::string path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return IoError("create", path, errno);
  return HashedFileWriter(std::move(path), fd);
}

HashedFileWriter::HashedFileWriter(HashedFileWriter&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      bytes_(other.bytes_),
      hash_(std::move(other.hash_)) {}

HashedFileWriter::~HashedFileWriter() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(path_.c_str());
}

Status HashedFileWriter::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return IoError("write", path_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
    bytes_ += static_cast<std::uint64_t>(written);
  }
  return {};
}

Status HashedFileWriter::Append(std::string_view bytes) {
  hash_.Update(bytes);
  return Write(bytes);
}

Result<Hash> HashedFileWriter::Finish() {
  const Hash hash = hash_.Finish();
  RETURN_IF_ERROR(Write(AsBytes(hash)));
  if (::fsync(fd_) != 0) return IoError("sync", path_, errno);
  const int fd = std::exchange(fd_, -1);
  if (::close(fd) != 0) return IoError("close", path_, errno);
  return hash;
}

Result<HashedFile> HashedFile::Open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Corrupt("cannot be opened: " + std::generic_category().message(errno));
  struct stat status = {};
  const bool sized = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (!sized || size < sizeof(Hash)) {
    ::close(fd);
    return Corrupt("is too short");
  }
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
  ::close(fd);
  if (data == MAP_FAILED) return Corrupt("cannot be mapped");
  HashedFile file(data, size);
  std::memcpy(file.hash_.data(), static_cast<const char*>(data) + file.content().size(),
              sizeof(Hash));
  if (Sha256(file.content()) != file.hash_) return Corrupt("does not match its SHA-256");
  return file;
}

HashedFile::HashedFile(HashedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(other.size_), hash_(other.hash_) {}

HashedFile::~HashedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

std::string_view HashedFile::content() const {
  return {static_cast<const char*>(data_), size_ - sizeof(Hash)};
}

}  // namespace perdure
