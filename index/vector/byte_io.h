// Little-endian numbers in byte strings, as the files of this room hold them.
#pragma once

#include <bit>
#include <concepts>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace perdure {

static_assert(std::endian::native == std::endian::little, "the file formats are little-endian");

class ByteWriter {
 public:
  template <std::unsigned_integral T>
  void Put(T value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    bytes_.append(bytes, sizeof(T));
  }
  void Put(std::string_view bytes) { bytes_.append(bytes); }

  std::string_view bytes() const { return bytes_; }
  std::string Take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Each read answers false, and reads nothing, when fewer bytes are left.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <std::unsigned_integral T>
  bool Get(T& value) {
    if (rest_.size() < sizeof(T)) return false;
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    return true;
  }
  bool Get(std::size_t count, std::string_view& bytes) {
    if (rest_.size() < count) return false;
    bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return true;
  }
  bool AtEnd() const { return rest_.empty(); }
  std::size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
};

}  // namespace perdure
