// Finds canaries in bytes. Each subject of the test has words of its own that nothing else says:
//
//   canary := "zq" herd code:[a-z]{4} place:[a-z]      herd: "ghost", to be erased, or "alive"
//
// The herd's name alone is looked for, since sorted terms leave out what they share with the one
// before. Bytes that were computed from a canary, vectors and value keys, are looked for as they
// are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perdure::testing {

inline constexpr std::string_view kGhost = "ghost";
inline constexpr std::string_view kAlive = "alive";
inline constexpr std::string_view kCutShort = "????";  // the code of a canary without its end

// Bytes to find and whose they are, from a file: (herd{5} code{4} form:byte{8} size:u16
// byte{size})*, form padded with spaces, size little-endian.
class ByteNeedles {
 public:
  ByteNeedles() = default;
  // Of an empty path: none.
  static ByteNeedles Read(const std::string& path);

  using Found = std::set<std::pair<std::string, std::string>>;  // herd and code, form
  void Find(std::string_view bytes, Found& found) const;

 private:
  struct Needle {
    std::string name;
    std::string form;
    std::string bytes;  // from its first telling eight bytes on
  };

  void Add(std::string name, std::string form, std::string_view bytes);

  std::vector<bool> filter_;                      // two bits for each needle
  std::multimap<std::uint64_t, Needle> needles_;  // by their first eight bytes
};

// The codes of the herd's canaries in `bytes`.
std::set<std::string> FindCanaries(std::string_view bytes, std::string_view herd);

}  // namespace perdure::testing
