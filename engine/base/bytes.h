// Hex, base64url and UTF-8 helpers over byte strings.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace perdure {

using Hash = std::array<std::uint8_t, 32>;  // SHA-256

inline std::string_view AsBytes(const Hash& hash) {
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

std::string HexEncode(std::string_view bytes);                // lower case
std::optional<std::string> HexDecode(std::string_view text);  // either case; nullopt if malformed
std::string Base64Encode(std::string_view bytes);             // RFC 4648 section 4, padded
std::optional<std::string> Base64Decode(std::string_view text);
std::string Base64UrlEncode(std::string_view bytes);  // RFC 4648 section 5, no padding
std::optional<std::string> Base64UrlDecode(std::string_view text);

// The offset of the first byte that is not well-formed UTF-8 (RFC 3629), or nullopt when all is.
// NUL is well-formed.
std::optional<std::size_t> FirstInvalidUtf8(std::string_view text);

// The longest prefix of `text` (well-formed UTF-8) of at most `bytes_max` bytes that ends at an
// extended grapheme cluster boundary (UAX #29); at a code point boundary when the first cluster
// alone is longer.
std::string_view CutAtGrapheme(std::string_view text, std::size_t bytes_max);

}  // namespace perdure
