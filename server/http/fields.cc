#include "server/http/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace perdure {
namespace {

bool IsTokenCharacter(char letter) {
  const bool is_alphanumeric = (letter >= '0' && letter <= '9') ||
                               (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
  return is_alphanumeric || std::string_view("!#$%&'*+-.^_`|~").find(letter) != std::string::npos;
}

bool IsValueCharacter(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return letter == '\t' || (byte >= 0x20 && byte != 0x7f);
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

Result<HttpFields> ParseFields(std::string_view head) {
  HttpFields fields;
  std::size_t end = head.find("\r\n");
  while (end != head.npos) {
    head.remove_prefix(end + 2);
    end = head.find("\r\n");
    if (end == head.npos) break;
    const std::string_view line = head.substr(0, end);
    if (line.empty()) return fields;
    const std::size_t colon = line.find(':');
    if (colon == line.npos || colon == 0 ||
        !std::ranges::all_of(line.substr(0, colon), IsTokenCharacter)) {
      return Fail(Code::kInvalidArgument, "a line of the request's head is not \"name: value\"");
    }
    const std::string_view value = Trim(line.substr(colon + 1));
    if (!std::ranges::all_of(value, IsValueCharacter)) {
      return Fail(Code::kInvalidArgument,
                  fmt::format("the field {} has a control character", line.substr(0, colon)));
    }
    fields.emplace(line.substr(0, colon), value);
  }
  return Fail(Code::kInvalidArgument, "the request's head does not end with an empty line");
}

Result<BodyLength> ReadBodyLength(const HttpFields& fields) {
  BodyLength length;
  const auto lengths = fields.count("Content-Length");
  const auto codings = fields.count("Transfer-Encoding");
  if (lengths + codings == 0) return length;
  if (lengths + codings > 1) {
    return Fail(Code::kInvalidArgument,
                "the length of the body is given more than once: send one Content-Length or one "
                "Transfer-Encoding");
  }
  if (codings == 1) {
    if (fields.find("Transfer-Encoding")->second != "chunked") {
      return Fail(Code::kInvalidArgument, "the only Transfer-Encoding understood is chunked");
    }
    length.is_chunked = true;
    return length;
  }
  const std::string& text = fields.find("Content-Length")->second;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, length.bytes);
  if (text.empty() || problem != std::errc() || stop != end) {
    return Fail(Code::kInvalidArgument, "Content-Length is not a number of bytes");
  }
  return length;
}

}  // namespace perdure
