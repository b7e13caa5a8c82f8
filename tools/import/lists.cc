// list:   a memory a line, behind "- ", "* ", "• " or "1. "; "[2024-05-01] - " before it is its
//         time, and a heading is the theme of those below it
// folder: each .md file a memory; front matter between lines of "---" gives title, tags and date
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/base/time.h"
#include "tools/import/readers.h"
#include "tools/source/folder.h"

namespace perdure::readers {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::string_view WithoutBullet(std::string_view text) {
  for (const std::string_view bullet : {"- ", "* ", "\u2022 "}) {
    if (text.starts_with(bullet)) return Trimmed(text.substr(bullet.size()));
    if (text == bullet.substr(0, bullet.size() - 1)) return {};
  }
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (digits != 0 && digits != text.npos && text.substr(digits).starts_with(". ")) {
    return Trimmed(text.substr(digits + 2));
  }
  return text;
}

// "[2024-05-01] - text" becomes the text and its time.
std::string_view WithoutDate(std::string_view text, Json& arguments) {
  const std::size_t end = text.find(']');
  if (!text.starts_with('[') || end == text.npos) return text;
  const auto time = ParseTime(text.substr(1, end - 1), "reference_time");
  if (!time) return text;
  arguments["reference_time"] = FormatTime(*time);
  std::string_view rest = Trimmed(text.substr(end + 1));
  if (rest.starts_with("- ")) rest.remove_prefix(2);
  return Trimmed(rest);
}

std::string_view Unquoted(std::string_view text) {
  text = Trimmed(text);
  const bool is_quoted = text.size() >= 2 && text.front() == text.back() &&
                         (text.front() == '"' || text.front() == '\'');
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

void AddTag(std::string_view text, Json& arguments) {
  std::string_view tag = Unquoted(text);
  if (tag.starts_with('#')) tag.remove_prefix(1);
  if (!tag.empty()) arguments["tags"].push_back(std::string(tag));
}

// "key: value", lists as "[a, b]" or as lines of "- a" below their key.
void TakeFrontMatter(std::string_view matter, Json& arguments) {
  std::string key;
  while (!matter.empty()) {
    const std::size_t end = std::min(matter.find('\n'), matter.size());
    const std::string_view line = Trimmed(matter.substr(0, end));
    matter.remove_prefix(std::min(matter.size(), end + 1));
    if (line.starts_with("- ")) {
      if (key == "tags") AddTag(line.substr(2), arguments);
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == line.npos) continue;
    key = line.substr(0, colon);
    std::string_view value = Trimmed(line.substr(colon + 1));
    if (key == "tags") {
      if (value.starts_with('[') && value.ends_with(']')) value = value.substr(1, value.size() - 2);
      while (!value.empty()) {
        const std::size_t comma = std::min(value.find(','), value.size());
        AddTag(value.substr(0, comma), arguments);
        value.remove_prefix(std::min(value.size(), comma + 1));
      }
    } else if (key == "title" || key == "type") {
      if (!Unquoted(value).empty()) arguments[key] = std::string(Unquoted(value));
    } else if (key == "date" || key == "created") {
      const auto time = ParseTime(Unquoted(value), "reference_time");
      if (time) arguments["reference_time"] = FormatTime(*time);
    }
  }
}

std::string FirstHeading(std::string_view text) {
  if (!text.starts_with("# ")) return {};
  return std::string(Trimmed(text.substr(2, text.find('\n') - 2)));
}

ImportRow RowOfFile(std::uint64_t number, const std::string& root, const std::string& name) {
  const auto text = ReadListed(root, name);
  if (!text) return Problem(number, fmt::format("{} {}.", name, text.error().message));
  Json arguments = Json::object();
  std::string_view body = *text;
  if (body.starts_with("---\n")) {
    const std::size_t end = body.find("\n---", 3);
    if (end != body.npos) {
      TakeFrontMatter(body.substr(4, end - 3), arguments);
      body.remove_prefix(std::min(body.size(), body.find('\n', end + 1)));
      body.remove_prefix(std::min(body.size(), body.find_first_not_of('\n')));
    }
  }
  ImportRow row = NoteRow(number, std::string(body));
  if (!row.problem.empty()) return Problem(number, fmt::format("{} has no text.", name));
  row.arguments.update(arguments);
  if (!row.arguments.contains("title")) {
    const std::string heading = FirstHeading(body);
    row.arguments["title"] = heading.empty() ? fs::path(name).stem().string() : heading;
  }
  row.arguments["source"] = name;
  return row;
}

}  // namespace

Status List(const std::string& path, const TakeRow& take) {
  std::string theme;
  return EachLine(path, [&](std::uint64_t line, std::string_view text) -> Status {
    text = Trimmed(text);
    if (text.starts_with('#')) {
      theme = Trimmed(text.substr(std::min(text.size(), text.find_first_not_of('#'))));
      return {};
    }
    Json arguments = Json::object();
    const std::string_view said = WithoutDate(WithoutBullet(text), arguments);
    ImportRow row = NoteRow(line, std::string(said));
    if (row.problem.empty()) {
      row.arguments.update(arguments);
      if (!theme.empty()) row.arguments["theme"] = theme;
    }
    return take(std::move(row));
  });
}

Status Folder(const std::string& path, const TakeRow& take) {
  // Whatever is hidden is the other program's own.
  ASSIGN_OR_RETURN(const PatternList notes, PatternList::Of({"!**", "*.md", "!.*", "!.*/"}));
  ASSIGN_OR_RETURN(const FolderListing listing, ListFolder(path, notes));
  std::uint64_t number = 0;
  for (const std::string& name : listing.paths) {
    RETURN_IF_ERROR(take(RowOfFile(++number, path, name)));
  }
  for (const FileProblem& problem : listing.problems) {
    RETURN_IF_ERROR(take(Problem(++number, fmt::format("{} {}.", problem.path, problem.why))));
  }
  return {};
}

}  // namespace perdure::readers
