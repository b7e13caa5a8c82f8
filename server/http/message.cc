#include "server/http/message.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/bytes.h"
#include "server/api/json.h"
#include "server/api/status.h"

namespace perdure {
namespace {

char Lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

// RFC 3986 section 2.1; `plus_is_space` as forms encode queries.
Result<std::string> PercentDecode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      const auto byte = HexDecode(text.substr(i + 1, 2));
      if (!byte || byte->size() != 1) {
        return Fail(Code::kInvalidArgument,
                    fmt::format("the address has a malformed escape at byte {}", i));
      }
      decoded += *byte;
      i += 2;
    }
  }
  if (FirstInvalidUtf8(decoded)) {
    return Fail(Code::kInvalidArgument, "the address is not UTF-8 once its escapes are decoded");
  }
  return decoded;
}

// Calls `take` for each piece of `text` between separators.
template <typename Take>
Status ForEachPiece(std::string_view text, char separator, Take take) {
  while (true) {
    const std::size_t end = text.find(separator);
    RETURN_IF_ERROR(take(text.substr(0, end)));
    if (end == text.npos) return {};
    text.remove_prefix(end + 1);
  }
}

}  // namespace

bool FieldNameLess::operator()(std::string_view a, std::string_view b) const {
  return std::ranges::lexicographical_compare(a, b, {}, Lower, Lower);
}

std::optional<std::string> HttpRequest::Header(std::string_view name) const {
  const auto [first, last] = headers.equal_range(name);
  if (first == last || std::next(first) != last) return std::nullopt;
  return first->second;
}

std::string HttpRequest::Path() const {
  std::string path;
  for (const std::string& segment : segments) path += "/" + segment;
  return path.empty() ? "/" : path;
}

Status ReadTarget(HttpRequest& request) {
  const std::string_view target = request.target;
  const std::size_t question = target.find('?');
  std::string_view path = target.substr(0, question);
  if (path.starts_with('/')) path.remove_prefix(1);
  if (!path.empty()) {
    RETURN_IF_ERROR(ForEachPiece(path, '/', [&](std::string_view piece) -> Status {
      ASSIGN_OR_RETURN(request.segments.emplace_back(), PercentDecode(piece, false));
      return {};
    }));
  }
  if (question == target.npos) return {};
  return ForEachPiece(target.substr(question + 1), '&', [&](std::string_view piece) -> Status {
    if (piece.empty()) return {};
    const std::size_t equals = std::min(piece.find('='), piece.size());
    ASSIGN_OR_RETURN(std::string name, PercentDecode(piece.substr(0, equals), true));
    ASSIGN_OR_RETURN(std::string value,
                     PercentDecode(piece.substr(std::min(equals + 1, piece.size())), true));
    request.query.emplace_back(std::move(name), std::move(value));
    return {};
  });
}

HttpResponse ErrorResponse(const Error& error) {
  HttpResponse response;
  response.status = HttpStatus(error.code);
  response.body = DumpJson(RestError(error));
  if (error.code == Code::kUnauthenticated) {
    response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"perdure\"");
  }
  return response;
}

}  // namespace perdure
