#include "tools/import/foreign.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <utility>

#include "engine/base/time.h"
#include "tools/import/readers.h"

namespace perdure {
namespace readers {

using Json = nlohmann::json;

Result<std::string> WholeFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Fail(Code::kNotFound, fmt::format("{} cannot be read.", path), "file");
  return std::string(std::istreambuf_iterator<char>(in), {});
}

Status EachLine(const std::string& path,
                const std::function<Status(std::uint64_t, std::string_view)>& take) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Fail(Code::kNotFound, fmt::format("{} cannot be read.", path), "file");
  std::uint64_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.find_first_not_of(" \t") == line.npos) continue;
    RETURN_IF_ERROR(take(number, line));
  }
  return {};
}

ImportRow Problem(std::uint64_t line, std::string why) {
  return {.line = line, .arguments = {}, .problem = std::move(why)};
}

ImportRow NoteRow(std::uint64_t line, const std::string& text) {
  if (text.find_first_not_of(" \t\r\n") == text.npos) return Problem(line, "It has no text.");
  return {.line = line, .arguments = {{"text", text}}};
}

void SetText(Json& arguments, const char* name, const Json& from, const char* member) {
  const auto found = from.find(member);
  if (found == from.end() || !found->is_string() || found->get_ref<const std::string&>().empty()) {
    return;
  }
  arguments[name] = *found;
}

void SetTime(Json& arguments, const char* name, const Json& from, const char* member) {
  const auto found = from.find(member);
  if (found == from.end()) return;
  if (found->is_string()) {
    const auto time = ParseTime(found->get<std::string>(), name);
    if (time) arguments[name] = FormatTime(*time);
  } else if (found->is_number()) {  // seconds since 1970
    const double seconds = found->get<double>();
    if (seconds > 0 && seconds < 1e11) {
      arguments[name] = FormatTime(static_cast<Micros>(seconds * 1e6));
    }
  }
}

}  // namespace readers

std::vector<ForeignFormat> ForeignFormats() {
  return {{"server-memory", "the JSONL file of @modelcontextprotocol/server-memory"},
          {"mem0", "JSON of mem0, as get_all gives it"},
          {"memorizer", "JSON of Memorizer's REST API"},
          {"list", "a plain list, one memory a line, as ChatGPT and Claude show theirs"},
          {"folder", "a folder of Markdown files, as Obsidian and basic-memory keep them"},
          {"jsonl", "one JSON object a line; see --fields"},
          {"csv", "comma-separated values with a line of heads; see --fields"}};
}

Status ReadForeign(const std::string& format, const std::string& path, const std::string& fields,
                   const TakeRow& take) {
  if (format == "server-memory") return readers::ServerMemory(path, take);
  if (format == "mem0") return readers::Mem0(path, take);
  if (format == "memorizer") return readers::Memorizer(path, take);
  if (format == "list") return readers::List(path, take);
  if (format == "folder") return readers::Folder(path, take);
  if (format == "jsonl") return readers::Jsonl(path, fields, take);
  if (format == "csv") return readers::Csv(path, fields, take);
  std::vector<std::string> names;
  for (const ForeignFormat& known : ForeignFormats()) names.push_back(known.name);
  return Fail(
      Code::kInvalidArgument,
      fmt::format("There is no format '{}'. Known are: {}.", format, fmt::join(names, ", ")),
      "format");
}

}  // namespace perdure
