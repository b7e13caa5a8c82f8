// Identifiers: UUIDv7 of RFC 9562, whose bytes sort by the time they were made.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace perdure {

struct Uuid {
  std::array<std::uint8_t, 16> bytes{};
  auto operator<=>(const Uuid&) const = default;  // byte order, which is time order for version 7
};

inline std::string_view AsBytes(const Uuid& uuid) {
  return {reinterpret_cast<const char*>(uuid.bytes.data()), uuid.bytes.size()};
}

// The 16 bytes of a stored key; nullopt for any other length.
std::optional<Uuid> UuidFromBytes(std::string_view bytes);

// RFC 9562 section 5.7 with method 3 of section 6.2: 48 bits of milliseconds, the microseconds
// within in rand_a (so a strictly increasing clock gives strictly increasing ids), 62 bits of
// `random` in rand_b. `unix_micros` must not be negative.
Uuid MakeUuidV7(std::int64_t unix_micros, std::span<const std::uint8_t, 8> random);

std::string ToString(const Uuid& uuid);  // 36 characters, lower case

// Any usual form, of any version: with all hyphens or none, either case, in braces, or after
// "urn:uuid:".
std::optional<Uuid> ParseUuid(std::string_view text);

// Every id from `low` to `high`, both included, begins with the digits that were given.
struct UuidPrefix {
  Uuid low;
  Uuid high;
  bool IsWhole() const { return low == high; }
  bool Contains(const Uuid& uuid) const { return low <= uuid && uuid <= high; }
};

// At least limits::kIdPrefixCharsMin hex digits, with hyphens where the full form has them or none;
// or a whole id in any form of ParseUuid. kInvalidArgument on `field` otherwise.
Result<UuidPrefix> ParseUuidPrefix(std::string_view text, std::string_view field);

}  // namespace perdure

template <>
struct std::hash<perdure::Uuid> {
  std::size_t operator()(const perdure::Uuid& uuid) const noexcept {
    return std::hash<std::string_view>{}(perdure::AsBytes(uuid));
  }
};
