// The fields of a request's head, and what they say about the body's length.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "server/http/message.h"

namespace perdure {

using HttpFields = std::multimap<std::string, std::string, FieldNameLess>;

// RFC 9112 section 5, after the request line:
//   head   := line CRLF { field CRLF } CRLF
//   field  := token ":" OWS value OWS
// kInvalidArgument for anything else; folded lines and control characters are refused.
Result<HttpFields> ParseFields(std::string_view head);

struct BodyLength {
  bool is_chunked = false;
  std::uint64_t bytes = 0;  // when not chunked
};

// RFC 9112 section 6.3, without its leniency: two lengths, a length beside chunks, codings other
// than chunked and malformed numbers are refused, since a proxy may read them in another way.
Result<BodyLength> ReadBodyLength(const HttpFields& fields);

}  // namespace perdure
