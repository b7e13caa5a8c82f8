#include "index/text/text_sums.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/base/crc32c.h"
#include "index/vector/byte_io.h"
#include "index/vector/file_io.h"

namespace perdure {
namespace {

constexpr std::string_view kMagic = "PDSUMS1\n";
constexpr std::size_t kBlockBytes = 64 << 10;
constexpr std::string_view kLockFile = "flintlock";  // empty; its bytes are never read

}  // namespace

Result<TextSums::File> TextSums::SumsOf(const std::string& database, const std::string& name) {
  const std::string path = database + "/" + name;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status{};
  if (fd < 0 || ::fstat(fd, &status) != 0) {
    const int failed = errno;
    if (fd >= 0) ::close(fd);
    return Fail(
        failed == ENOENT ? Code::kCorrupt : Code::kUnavailable,
        fmt::format("{} cannot be read: {}", name, std::generic_category().message(failed)));
  }
  File file{name, static_cast<std::uint64_t>(status.st_size), {}};
  if (file.size == 0) {
    ::close(fd);
    return file;
  }
  void* data = ::mmap(nullptr, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
  ::close(fd);
  if (data == MAP_FAILED) return Fail(Code::kUnavailable, fmt::format("{} cannot be mapped", name));
  ::madvise(data, file.size, MADV_SEQUENTIAL);
  const std::string_view bytes(static_cast<const char*>(data), file.size);
  for (std::size_t at = 0; at < bytes.size(); at += kBlockBytes) {
    file.blocks.push_back(Crc32c(bytes.substr(at, kBlockBytes)));
  }
  ::munmap(data, file.size);
  return file;
}

Result<TextSums> TextSums::Of(const std::string& database) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(database, error)) {
    const std::string name = entry.path().filename().string();
    if (name != kLockFile) names.push_back(name);
  }
  if (error) return Fail(Code::kUnavailable, fmt::format("{}: {}", database, error.message()));
  std::ranges::sort(names);
  TextSums sums;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(File file, SumsOf(database, name));
    sums.files_.push_back(std::move(file));
  }
  return sums;
}

Status TextSums::Check(const std::string& database) const {
  for (const File& file : files_) {
    ASSIGN_OR_RETURN(const File found, SumsOf(database, file.name));
    if (found.size != file.size) {
      return Fail(Code::kCorrupt,
                  fmt::format("{} has {} bytes, not {}", file.name, found.size, file.size));
    }
    const auto [is, was] = std::ranges::mismatch(found.blocks, file.blocks);
    if (is == found.blocks.end()) continue;
    return Fail(Code::kCorrupt, fmt::format("{} is damaged in the 64 KiB from byte {} on",
                                            file.name, (is - found.blocks.begin()) * kBlockBytes));
  }
  return {};
}

Result<TextSums> TextSums::Read(const std::string& path) {
  ASSIGN_OR_RETURN(const HashedFile hashed, HashedFile::Open(path));
  const auto malformed = Fail(Code::kCorrupt, "the list of checksums is malformed");
  ByteReader in(hashed.content());
  std::string_view text;
  TextSums sums;
  if (!in.Get(kMagic.size(), text) || text != kMagic) return malformed;
  while (!in.AtEnd()) {
    File file;
    std::uint32_t name_bytes = 0;
    if (!in.Get(name_bytes) || !in.Get(name_bytes, text) || !in.Get(file.size)) return malformed;
    file.name = text;
    if (file.size / kBlockBytes > hashed.content().size()) return malformed;
    file.blocks.resize((file.size + kBlockBytes - 1) / kBlockBytes);
    for (std::uint32_t& block : file.blocks) {
      if (!in.Get(block)) return malformed;
    }
    sums.files_.push_back(std::move(file));
  }
  return sums;
}

Status TextSums::Write(const std::string& path) const {
  ByteWriter out;
  out.Put(kMagic);
  for (const File& file : files_) {
    out.Put(static_cast<std::uint32_t>(file.name.size()));
    out.Put(std::string_view(file.name));
    out.Put(file.size);
    for (const std::uint32_t block : file.blocks) out.Put(block);
  }
  const std::string draft = path + ".new";
  ASSIGN_OR_RETURN(auto writer, HashedFileWriter::Create(draft));
  RETURN_IF_ERROR(writer.Append(out.bytes()));
  RETURN_IF_ERROR(writer.Finish());
  return RenameFile(draft, path);
}

}  // namespace perdure
