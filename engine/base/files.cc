#include "engine/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace perdure {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> IoError(std::string_view verb, const std::string& path, int error) {
  return Fail(error == ENOSPC ? Code::kStorageFull : Code::kUnavailable,
              fmt::format("Cannot {} {}: {}.", verb, path, std::generic_category().message(error)));
}

Status Sync(const std::string& path, int flags, std::string_view what) {
  const int fd = ::open(path.c_str(), flags);
  if (fd < 0) return IoError(fmt::format("open the {}", what), path, errno);
  const int failed = ::fsync(fd) != 0 ? errno : 0;
  ::close(fd);
  if (failed != 0) return IoError(fmt::format("sync the {}", what), path, failed);
  return {};
}

}  // namespace

Status MakeDirectory(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return {};
  const std::string parent = fs::path(path).parent_path().string();
  if (!parent.empty()) RETURN_IF_ERROR(MakeDirectory(parent));
  if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) {
    return IoError("create the directory", path, errno);
  }
  return SyncDirectory(parent.empty() ? "." : parent);
}

Status RenameFile(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return IoError("rename", from, errno);
  return {};
}

Status SyncDirectory(const std::string& path) {
  return Sync(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, "directory");
}

Status SyncFile(const std::string& path) { return Sync(path, O_RDONLY | O_CLOEXEC, "file"); }

Status RemoveFile(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return IoError("remove", path, errno);
  return {};
}

Status RemoveTree(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) return IoError("remove", path, error.value());
  return {};
}

}  // namespace perdure
