#include "engine/proof/keys.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "engine/base/check.h"
#include "engine/base/hash.h"
#include "engine/proof/key_files.h"

namespace perdure {
namespace {

using Key = std::array<std::uint8_t, 32>;  // what either file holds

class File {
 public:
  File(const std::filesystem::path& path, int flags)
      : descriptor_(open(path.c_str(), flags | O_CLOEXEC, S_IRUSR | S_IWUSR)) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool IsOpen() const { return descriptor_ >= 0; }
  int Descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

std::unexpected<Error> SystemFailure(std::string_view doing, const std::filesystem::path& path) {
  return Fail(Code::kUnavailable, fmt::format("Cannot {} {}: {}.", doing, path.string(),
                                              std::generic_category().message(errno)));
}

// A space's name becomes part of a file name here.
Status CheckSpaceName(std::string_view space) {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  if (!space.empty() && space.size() <= 128 && space.front() != '.' &&
      std::ranges::all_of(space, is_allowed)) {
    return {};
  }
  return Fail(Code::kInvalidArgument,
              "The name of a space has 1 to 128 letters, digits, '-', '_' or '.', not '.' first.",
              "space");
}

std::filesystem::path KeyPath(const std::filesystem::path& keys_dir, std::string_view space,
                              std::string_view extension) {
  return keys_dir / std::string(space).append(extension);
}

Result<Key> ReadKey(const std::filesystem::path& path) {
  const File file(path, O_RDONLY);
  if (!file.IsOpen() && errno == ENOENT) {
    return Fail(Code::kNotFound, fmt::format("There is no key file {}.", path.string()));
  }
  struct stat status{};
  if (!file.IsOpen() || fstat(file.Descriptor(), &status) != 0) return SystemFailure("read", path);
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return Fail(Code::kForbidden,
                fmt::format("The key file {} is open to other users (mode {:04o}): "
                            "run chmod 600 on it.",
                            path.string(), status.st_mode & 07777));
  }
  Key key;
  if (!S_ISREG(status.st_mode) || status.st_size != static_cast<off_t>(key.size()) ||
      read(file.Descriptor(), key.data(), key.size()) != static_cast<ssize_t>(key.size())) {
    return Fail(Code::kCorrupt,
                fmt::format("The key file {} does not hold {} bytes: restore it from a backup.",
                            path.string(), key.size()));
  }
  return key;
}

Status SyncDirectory(const std::filesystem::path& path) {
  const File directory(path, O_RDONLY | O_DIRECTORY);
  if (directory.IsOpen() && fsync(directory.Descriptor()) == 0) return {};
  return SystemFailure("sync", path);
}

// After this returns, a power cut leaves the file whole and in place.
Status WriteKey(const std::filesystem::path& path, const Key& key) {
  std::filesystem::path temporary = path;
  temporary += ".tmp";
  {
    unlink(temporary.c_str());  // what a crash left would keep its mode
    const File file(temporary, O_WRONLY | O_CREAT | O_EXCL);
    if (!file.IsOpen() ||
        write(file.Descriptor(), key.data(), key.size()) != static_cast<ssize_t>(key.size()) ||
        fsync(file.Descriptor()) != 0) {
      return SystemFailure("write", temporary);
    }
  }
  if (rename(temporary.c_str(), path.c_str()) != 0) return SystemFailure("write", path);
  return SyncDirectory(path.parent_path());
}

Status MakeDirectory(const std::filesystem::path& keys_dir) {
  if (mkdir(keys_dir.c_str(), S_IRWXU) == 0) {
    const auto parent = keys_dir.parent_path();
    return SyncDirectory(parent.empty() ? "." : parent);
  }
  return errno == EEXIST ? Status{} : SystemFailure("create", keys_dir);
}

}  // namespace

Result<SpaceKeys> CreateSpaceKeys(const std::filesystem::path& keys_dir, std::string_view space,
                                  Random& random, const std::optional<Secret>& secret) {
  RETURN_IF_ERROR(CheckSpaceName(space));
  RETURN_IF_ERROR(MakeDirectory(keys_dir));
  const auto secret_path = KeyPath(keys_dir, space, ".secret");
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(secret_path, error))) {
    return Fail(Code::kConflict, fmt::format("The space {} already has its keys.", space), "space");
  }
  const auto signing_path = KeyPath(keys_dir, space, ".ed25519");
  Result<Key> seed = ReadKey(signing_path);
  if (!seed && seed.error().code != Code::kNotFound) return std::unexpected(seed.error());
  if (!seed) {
    random.Fill(seed.emplace());
    RETURN_IF_ERROR(WriteKey(signing_path, *seed));
  }
  SpaceKeys keys{secret.value_or(Secret{}), SigningKeyFromSeed(*seed)};
  if (!secret) random.Fill(keys.secret);
  RETURN_IF_ERROR(WriteKey(secret_path, keys.secret));
  return keys;
}

Result<SpaceKeys> LoadSpaceKeys(const std::filesystem::path& keys_dir, std::string_view space) {
  RETURN_IF_ERROR(CheckSpaceName(space));
  ASSIGN_OR_RETURN(const Key secret, ReadKey(KeyPath(keys_dir, space, ".secret")));
  ASSIGN_OR_RETURN(const Key seed, ReadKey(KeyPath(keys_dir, space, ".ed25519")));
  return SpaceKeys{secret, SigningKeyFromSeed(seed)};
}

Status ReplaceSecret(const std::filesystem::path& keys_dir, std::string_view space,
                     const Secret& secret) {
  RETURN_IF_ERROR(CheckSpaceName(space));
  return WriteKey(KeyPath(keys_dir, space, ".secret"), secret);
}

ValueKey MakeValueKey(const Secret& secret, std::string_view kind, std::string_view canonical) {
  PERDURE_CHECK(kind.size() <= 255);
  std::string data(1, static_cast<char>(kind.size()));
  data.append(kind).append(canonical);
  const Hash hash = HmacSha256({reinterpret_cast<const char*>(secret.data()), secret.size()}, data);
  ValueKey key;
  std::copy_n(hash.begin(), key.size(), key.begin());
  return key;
}

}  // namespace perdure
