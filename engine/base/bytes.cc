#include "engine/base/bytes.h"

#include <utf8proc.h>

#include <algorithm>

namespace perdure {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kBase64Url =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string EncodeBase64(std::string_view bytes, std::string_view alphabet, bool pad) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < left ? static_cast<std::uint8_t>(bytes[i + j]) : 0u);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      if (j <= left) {
        out.push_back(alphabet[group >> (18 - 6 * j) & 63]);
      } else if (pad) {
        out.push_back('=');
      }
    }
  }
  return out;
}

// Accepts exactly what EncodeBase64 writes: unused bits must be zero, so that an encoding is
// unique.
std::optional<std::string> DecodeBase64(std::string_view text, std::string_view alphabet,
                                        bool padded) {
  if (padded) {
    if (text.size() % 4 != 0) return std::nullopt;
    for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  }
  if (text.size() % 4 == 1) return std::nullopt;
  std::string out;
  out.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int count = 0;
  for (char c : text) {
    const std::size_t value = alphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out.push_back(static_cast<char>(bits >> count & 0xff));
    }
  }
  if ((bits & ((1u << count) - 1)) != 0) return std::nullopt;
  return out;
}

}  // namespace

std::string HexEncode(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (char c : bytes) {
    out.push_back(kHexDigits[static_cast<std::uint8_t>(c) >> 4]);
    out.push_back(kHexDigits[static_cast<std::uint8_t>(c) & 15]);
  }
  return out;
}

std::optional<std::string> HexDecode(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = HexValue(text[i]);
    const int low = HexValue(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(high << 4 | low));
  }
  return out;
}

std::string Base64Encode(std::string_view bytes) { return EncodeBase64(bytes, kBase64, true); }
std::optional<std::string> Base64Decode(std::string_view text) {
  return DecodeBase64(text, kBase64, true);
}
std::string Base64UrlEncode(std::string_view bytes) {
  return EncodeBase64(bytes, kBase64Url, false);
}
std::optional<std::string> Base64UrlDecode(std::string_view text) {
  return DecodeBase64(text, kBase64Url, false);
}

std::optional<std::size_t> FirstInvalidUtf8(std::string_view text) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  std::size_t at = 0;
  while (at < text.size()) {
    if (bytes[at] < 0x80) {
      ++at;
      continue;
    }
    utf8proc_int32_t point = 0;
    const auto length =
        utf8proc_iterate(bytes + at, static_cast<utf8proc_ssize_t>(text.size() - at), &point);
    if (length <= 0) return at;
    at += static_cast<std::size_t>(length);
  }
  return std::nullopt;
}

std::string_view CutAtGrapheme(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  std::size_t at = 0;
  std::size_t boundary = 0;
  std::size_t whole_point = 0;
  utf8proc_int32_t previous = 0;
  utf8proc_int32_t state = 0;
  while (at <= bytes_max) {
    utf8proc_int32_t point = 0;
    const auto length =
        utf8proc_iterate(bytes + at, static_cast<utf8proc_ssize_t>(text.size() - at), &point);
    if (length <= 0) break;
    if (at == 0 || utf8proc_grapheme_break_stateful(previous, point, &state)) boundary = at;
    whole_point = at;
    previous = point;
    at += static_cast<std::size_t>(length);
  }
  return text.substr(0, boundary > 0 ? boundary : whole_point);
}

}  // namespace perdure
