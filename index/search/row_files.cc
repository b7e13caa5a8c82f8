#include "index/search/row_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/base/hash.h"
#include "index/search/blocked_table.h"

namespace perdure {
namespace {

constexpr std::size_t kParallelBytes = 8 << 20;

std::unexpected<Error> IoError(std::string_view verb, const std::string& path, int error) {
  return Fail(Code::kUnavailable,
              fmt::format("Cannot {} {}: {}.", verb, path, std::generic_category().message(error)));
}

std::unexpected<Error> Corrupt(const std::string& path, std::string_view what) {
  return Fail(Code::kCorrupt, fmt::format("{} {}", path, what));
}

bool BlocksMatch(std::string_view bytes, std::size_t block_bytes, const std::vector<Hash>& hashes) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> good{true};
  const auto check = [&] {
    for (std::size_t b = next++; b < hashes.size() && good; b = next++) {
      if (Sha256(bytes.substr(b * block_bytes, block_bytes)) != hashes[b]) good = false;
    }
  };
  std::thread helper;
  if (bytes.size() > kParallelBytes) helper = std::thread(check);
  check();
  if (helper.joinable()) helper.join();
  return good;
}

}  // namespace

Result<MappedRows> MappedRows::Open(const std::string& path, std::size_t row_bytes,
                                    const RowFileState& state) {
  const std::size_t size = state.rows * row_bytes;
  if (state.blocks.size() != (state.rows + kBlockRows - 1) / kBlockRows) {
    return Corrupt(path, "has another number of blocks than its checkpoint says");
  }
  if (size == 0) return MappedRows(nullptr, 0);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Corrupt(path, "cannot be opened");
  struct stat status = {};
  const bool whole = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                     static_cast<std::size_t>(status.st_size) >= size;
  void* data =
      whole ? ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0) : MAP_FAILED;
  ::close(fd);
  if (data == MAP_FAILED) return Corrupt(path, "is too short or cannot be mapped");
  MappedRows rows(data, size);
  const std::string_view bytes(static_cast<const char*>(data), size);
  if (!BlocksMatch(bytes, kBlockRows * row_bytes, state.blocks)) {
    return Corrupt(path, "does not match its SHA-256");
  }
  return rows;
}

MappedRows::MappedRows(MappedRows&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}

MappedRows::~MappedRows() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

Result<RowFileWriter> RowFileWriter::Open(const std::string& path, std::uint64_t bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return IoError("open", path, errno);
  RowFileWriter writer(path, fd);
  if (::ftruncate(fd, static_cast<off_t>(bytes)) != 0) return IoError("cut", path, errno);
  if (::lseek(fd, 0, SEEK_END) < 0) return IoError("seek in", path, errno);
  return writer;
}

RowFileWriter::RowFileWriter(RowFileWriter&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

RowFileWriter::~RowFileWriter() {
  if (fd_ >= 0) ::close(fd_);
}

Status RowFileWriter::Append(const void* data, std::size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(fd_, at, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return IoError("write", path_, errno);
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return {};
}

Status RowFileWriter::Sync() {
  if (::fdatasync(fd_) != 0) return IoError("sync", path_, errno);
  return {};
}

}  // namespace perdure
