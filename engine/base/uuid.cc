#include "engine/base/uuid.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/bytes.h"
#include "engine/base/check.h"
#include "engine/base/limits.h"

namespace perdure {
namespace {

constexpr std::size_t kDigits = 32;

bool IsGroupStart(std::size_t digits) {
  return digits == 8 || digits == 12 || digits == 16 || digits == 20;
}

bool IsHexDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// The hex digits of a whole id or of its beginning; nullopt unless hyphens stand between all groups
// or nowhere. A beginning may end with a hyphen.
std::optional<std::string> HexDigits(std::string_view text) {
  const bool hyphens = text.size() > 8 && text[8] == '-';
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (hyphens && IsGroupStart(digits.size()) && text[i] == '-' && text[i - 1] != '-') continue;
    if (hyphens && IsGroupStart(digits.size()) && text[i - 1] != '-') return std::nullopt;
    if (!IsHexDigit(text[i]) || digits.size() == kDigits) return std::nullopt;
    digits.push_back(text[i]);
  }
  return digits;
}

std::string_view WithoutWrapping(std::string_view text) {
  constexpr std::string_view kUrn = "urn:uuid:";
  const auto same_letter = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; };
  if (text.size() > kUrn.size() &&
      std::equal(kUrn.begin(), kUrn.end(), text.begin(),
                 [&](char expected, char c) { return same_letter(c, expected); })) {
    return text.substr(kUrn.size());
  }
  if (text.size() > 2 && text.front() == '{' && text.back() == '}') {
    return text.substr(1, text.size() - 2);
  }
  return text;
}

Uuid Filled(std::string digits, char fill) {
  digits.resize(kDigits, fill);
  const auto bytes = HexDecode(digits);
  PERDURE_CHECK(bytes.has_value());
  return *UuidFromBytes(*bytes);
}

}  // namespace

std::optional<Uuid> UuidFromBytes(std::string_view bytes) {
  Uuid uuid;
  if (bytes.size() != uuid.bytes.size()) return std::nullopt;
  std::ranges::transform(bytes, uuid.bytes.begin(),
                         [](char c) { return static_cast<std::uint8_t>(c); });
  return uuid;
}

Uuid MakeUuidV7(std::int64_t unix_micros, std::span<const std::uint8_t, 8> random) {
  PERDURE_CHECK(unix_micros >= 0);
  const auto millis = static_cast<std::uint64_t>(unix_micros / 1000);
  const auto sub_millis = static_cast<std::uint64_t>(unix_micros % 1000) * 4096 / 1000;
  Uuid uuid;
  for (std::size_t i = 0; i < 6; ++i) {
    uuid.bytes[i] = static_cast<std::uint8_t>(millis >> (40 - 8 * i));
  }
  uuid.bytes[6] = static_cast<std::uint8_t>(0x70 | sub_millis >> 8);
  uuid.bytes[7] = static_cast<std::uint8_t>(sub_millis);
  std::ranges::copy(random, uuid.bytes.begin() + 8);
  uuid.bytes[8] = static_cast<std::uint8_t>(0x80 | (uuid.bytes[8] & 0x3f));  // the variant
  return uuid;
}

std::string ToString(const Uuid& uuid) {
  std::string text = HexEncode(AsBytes(uuid));
  for (const std::size_t at : {20u, 16u, 12u, 8u}) text.insert(at, 1, '-');
  return text;
}

std::optional<Uuid> ParseUuid(std::string_view text) {
  const auto digits = HexDigits(WithoutWrapping(text));
  if (!digits || digits->size() != kDigits) return std::nullopt;
  return Filled(*digits, '0');
}

Result<UuidPrefix> ParseUuidPrefix(std::string_view text, std::string_view field) {
  if (const auto uuid = ParseUuid(text)) return UuidPrefix{*uuid, *uuid};
  const auto digits = HexDigits(text);
  if (!digits) {
    return Fail(
        Code::kInvalidArgument,
        "This is no id: pass the 36 characters of a UUID or its first 8 or more hex digits.",
        std::string(field));
  }
  if (digits->size() < limits::kIdPrefixCharsMin) {
    return Fail(Code::kInvalidArgument,
                fmt::format("The beginning of an id needs at least {} hex digits; this has {}.",
                            limits::kIdPrefixCharsMin, digits->size()),
                std::string(field));
  }
  return UuidPrefix{Filled(*digits, '0'), Filled(*digits, 'f')};
}

}  // namespace perdure
