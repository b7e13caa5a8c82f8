#include "tools/eval/page.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace perdure::eval {

Status WriteBetweenMarks(const std::string& page, std::string_view name, std::string_view text) {
  const std::string begin_mark = fmt::format("<!-- perdure eval {}: begin -->", name);
  const std::string end_mark = fmt::format("<!-- perdure eval {}: end -->", name);
  std::ifstream read(page, std::ios::binary);
  std::string whole((std::istreambuf_iterator<char>(read)), {});
  const std::size_t mark = whole.find(begin_mark + '\n');
  const std::size_t end = mark == std::string::npos ? mark : whole.find(end_mark, mark);
  if (end == std::string::npos) {
    return Fail(
        Code::kInvalidArgument,
        fmt::format("{} has no lines {} and {} to write between.", page, begin_mark, end_mark),
        "write");
  }
  const std::size_t begin = mark + begin_mark.size() + 1;
  whole.replace(begin, end - begin, text);
  read.close();
  std::ofstream written(page, std::ios::binary | std::ios::trunc);
  written << whole;
  written.flush();
  return written ? Status{} : Fail(Code::kInternal, page + " cannot be written.");
}

}  // namespace perdure::eval
