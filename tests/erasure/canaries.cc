#include "erasure/canaries.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace perdure::testing {
namespace {

constexpr std::size_t kCodeLetters = 4;
constexpr std::size_t kNameBytes = kGhost.size() + kCodeLetters;
constexpr std::size_t kFormBytes = 8;
constexpr std::size_t kHeadBytes = kNameBytes + kFormBytes + sizeof(std::uint16_t);
constexpr std::size_t kFirst = sizeof(std::uint64_t);
constexpr std::size_t kTelling = 64;  // bytes that are left of a long needle at least
constexpr std::size_t kFilterBits = std::size_t{1} << 22;

std::uint64_t EightBytes(const char* at) {
  std::uint64_t value = 0;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

std::size_t FilterBit(std::uint64_t value, std::uint64_t factor) {
  return static_cast<std::size_t>((value * factor) >> 42);
}
std::size_t FirstBit(std::uint64_t value) { return FilterBit(value, 0x9e3779b97f4a7c15); }
std::size_t SecondBit(std::uint64_t value) { return FilterBit(value, 0xc2b2ae3d27d4eb4f); }

bool IsLetter(char c) { return c >= 'a' && c <= 'z'; }

}  // namespace

std::set<std::string> FindCanaries(std::string_view bytes, std::string_view herd) {
  std::set<std::string> found;
  for (std::size_t at = bytes.find(herd); at != std::string_view::npos; at = bytes.find(herd, at)) {
    at += herd.size();
    const std::string_view code = bytes.substr(at, kCodeLetters);
    const bool whole = code.size() == kCodeLetters && std::ranges::all_of(code, IsLetter);
    found.emplace(whole ? code : kCutShort);
  }
  return found;
}

ByteNeedles ByteNeedles::Read(const std::string& path) {
  ByteNeedles needles;
  std::ifstream file(path, std::ios::binary);
  const std::string all(std::istreambuf_iterator<char>(file), {});
  if (all.empty()) return needles;
  needles.filter_.resize(kFilterBits);
  for (std::size_t at = 0; at + kHeadBytes <= all.size();) {
    const std::string name = all.substr(at, kNameBytes);
    std::string form = all.substr(at + kNameBytes, kFormBytes);
    form.erase(form.find_last_not_of(' ') + 1);
    std::uint16_t size = 0;
    std::memcpy(&size, &all[at + kNameBytes + kFormBytes], sizeof(size));
    at += kHeadBytes;
    needles.Add(name, std::move(form), std::string_view(all).substr(at, size));
    at += size;
  }
  return needles;
}

// A long needle begins where there is no zero, since many places in a file begin like one. The
// whole rest counts: vectors are mostly zeros, and two may well share a part.
void ByteNeedles::Add(std::string name, std::string form, std::string_view bytes) {
  std::size_t begin = 0;
  while (begin + kTelling < bytes.size() && bytes.substr(begin, kFirst).contains('\0')) ++begin;
  const std::string_view needle = bytes.substr(begin);
  if (needle.size() < kFirst) return;
  const std::uint64_t first = EightBytes(needle.data());
  filter_[FirstBit(first)] = filter_[SecondBit(first)] = true;
  needles_.emplace(first, Needle{std::move(name), std::move(form), std::string(needle)});
}

void ByteNeedles::Find(std::string_view bytes, Found& found) const {
  if (needles_.empty()) return;
  for (std::size_t at = 0; at + kFirst <= bytes.size(); ++at) {
    const std::uint64_t here = EightBytes(&bytes[at]);
    if (!filter_[FirstBit(here)] || !filter_[SecondBit(here)]) continue;
    const auto [first, last] = needles_.equal_range(here);
    for (auto needle = first; needle != last; ++needle) {
      if (!bytes.substr(at).starts_with(needle->second.bytes)) continue;
      found.emplace(needle->second.name, needle->second.form);
    }
  }
}

}  // namespace perdure::testing
