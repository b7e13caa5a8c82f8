#include "tools/eval/pages.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace perdure::eval {

Result<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) return Fail(Code::kNotFound, fmt::format("Cannot read {}.", path));
  return text;
}

Status WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) return Fail(Code::kUnavailable, fmt::format("Cannot write {}.", path));
  return {};
}

Status WriteIntoPage(const std::string& page, std::string_view name, const std::string& text) {
  const std::string first = fmt::format("<!-- perdure eval {}: begin -->", name);
  const std::string last = fmt::format("<!-- perdure eval {}: end -->", name);
  ASSIGN_OR_RETURN(std::string whole, ReadFile(page));
  const std::size_t begin = whole.find(first + "\n");
  const std::size_t end = begin == std::string::npos ? begin : whole.find(last, begin);
  if (end == std::string::npos) {
    return Fail(Code::kInvalidArgument,
                fmt::format("{} has no lines {} and {} to write between.", page, first, last),
                "write");
  }
  const std::size_t from = begin + first.size() + 1;
  whole.replace(from, end - from, text);
  return WriteFile(page, whole);
}

}  // namespace perdure::eval
