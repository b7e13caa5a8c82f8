#include "index/text/text_home.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <system_error>

#include "index/vector/file_io.h"

namespace perdure {
namespace {

constexpr std::string_view kPrefix = "db.";
constexpr std::string_view kSumsPrefix = "sums.";

std::uint64_t ParseNumber(std::string_view text) {
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() ? number : 0;
}

}  // namespace

Result<TextHome> TextHome::Open(std::string directory) {
  RETURN_IF_ERROR(MakeDirectory(directory));
  TextHome home(std::move(directory));
  if (const auto file = HashedFile::Open(home.directory_ + "/current")) {
    home.number_ = ParseNumber(file->content());
  }
  RETURN_IF_ERROR(home.RemoveOthers());
  return home;
}

std::string TextHome::DatabasePath(std::uint64_t number) const {
  return fmt::format("{}/{}{}", directory_, kPrefix, number);
}

std::string TextHome::SumsPath(std::uint64_t number) const {
  return fmt::format("{}/{}{}", directory_, kSumsPrefix, number);
}

std::uint64_t TextHome::BytesOf(std::uint64_t number) const {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(DatabasePath(number), error)) {
    const auto size = file.file_size(error);
    if (!error) bytes += size;
  }
  return bytes;
}

Status TextHome::Switch(std::uint64_t number) {
  const std::string path = directory_ + "/current";
  const std::string draft = path + ".new";
  RETURN_IF_ERROR(RemoveFile(draft));
  ASSIGN_OR_RETURN(auto writer, HashedFileWriter::Create(draft));
  RETURN_IF_ERROR(writer.Append(fmt::format("{}", number)));
  RETURN_IF_ERROR(writer.Finish());
  RETURN_IF_ERROR(RenameFile(draft, path));
  RETURN_IF_ERROR(SyncDirectory(directory_));
  number_ = number;
  return {};
}

Status TextHome::RemoveOthers() const {
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory_, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(kPrefix) && !name.starts_with(kSumsPrefix)) continue;
    if (at->path() == DatabasePath(number_) || at->path() == SumsPath(number_)) continue;
    std::error_code removal;
    std::filesystem::remove_all(at->path(), removal);
    if (removal) error = removal;
  }
  if (!error) return {};
  return Fail(Code::kInternal, fmt::format("cannot tidy {}: {}", directory_, error.message()));
}

}  // namespace perdure
