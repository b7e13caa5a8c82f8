#include "tools/new_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace perdure {
namespace {

std::unexpected<Error> CannotWrite(const std::string& path) {
  return Fail(Code::kUnavailable,
              fmt::format("{} cannot be written: {}.", path, std::strerror(errno)), "file");
}

}  // namespace

NewFile::~NewFile() {
  if (!is_placed_) unlink(part_.c_str());
}

Status NewFile::Open() {
  if (std::filesystem::exists(path_)) {
    is_placed_ = true;  // nothing to clean up
    return Fail(Code::kConflict, fmt::format("{} is there already.", path_), "file");
  }
  unlink(part_.c_str());  // left by a crash
  const int fd = open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return CannotWrite(part_);
  close(fd);
  out_.open(part_, std::ios::binary);
  return out_ ? Status() : CannotWrite(part_);
}

Status NewFile::Place() {
  out_.close();
  const int fd = open(part_.c_str(), O_RDONLY | O_CLOEXEC);
  const bool is_synced = out_ && fd >= 0 && fsync(fd) == 0;
  if (fd >= 0) close(fd);
  if (!is_synced || rename(part_.c_str(), path_.c_str()) != 0) return CannotWrite(path_);
  is_placed_ = true;
  return {};
}

}  // namespace perdure
