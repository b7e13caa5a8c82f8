// Key grammar of the store. All numbers are big-endian, so that bytes sort as the numbers do.
//
//   meta     table(1) space(4) ...
//   log      space(4) seq(8)
//   payload  space(4) seq(8)
//   tree     space(4) level(1) tile(8)
//   rows     table(1) space(4) ...        plain: whatever is computed from caller text
//   state    table(1) space(4) ...        timestamped: ids, numbers and enums
//
// Keys hold ids, numbers and keyed hashes only: a key that was text would stay readable in the
// MANIFEST after its deletion.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace perdure {

using SpaceId = std::uint32_t;
using Seq = std::uint64_t;

inline constexpr SpaceId kSystemSpace = 0;
inline constexpr SpaceId kMainSpace = 1;

// Appends to a key; `Key().U32(space).U64(seq).Take()`.
class Key {
 public:
  Key& U8(std::uint8_t value) {
    bytes_.push_back(static_cast<char>(value));
    return *this;
  }
  Key& U32(std::uint32_t value) { return BigEndian(value, 4); }
  Key& U64(std::uint64_t value) { return BigEndian(value, 8); }
  Key& Bytes(std::string_view bytes) {
    bytes_.append(bytes);
    return *this;
  }
  std::string Take() { return std::move(bytes_); }

 private:
  Key& BigEndian(std::uint64_t value, int width) {
    for (int shift = 8 * (width - 1); shift >= 0; shift -= 8) {
      bytes_.push_back(static_cast<char>(value >> shift & 0xff));
    }
    return *this;
  }
  std::string bytes_;
};

inline std::uint64_t ReadBigEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (char c : bytes) value = value << 8 | static_cast<std::uint8_t>(c);
  return value;
}

// The least key above every key that starts with `prefix`; empty when there is none.
inline std::string PrefixEnd(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && static_cast<std::uint8_t>(end.back()) == 0xff) end.pop_back();
  if (!end.empty()) end.back() = static_cast<char>(static_cast<std::uint8_t>(end.back()) + 1);
  return end;
}

}  // namespace perdure
