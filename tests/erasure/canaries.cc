#include "erasure/canaries.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace perdure::testing {
namespace {

constexpr std::size_t kCodeLetters = 4;
constexpr std::size_t kCompared = 64;  // bytes of a vector: no two share so many by chance
constexpr std::size_t kFilterBits = std::size_t{1} << 22;

std::uint64_t EightBytes(const char* at) {
  std::uint64_t value = 0;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

std::size_t FilterBit(std::uint64_t value) {
  return static_cast<std::size_t>((value * 0x9e3779b97f4a7c15) >> 42);
}

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

VectorNeedles VectorNeedles::Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string all(std::istreambuf_iterator<char>(file), {});
  VectorNeedles needles;
  needles.filter_.resize(kFilterBits);
  std::uint32_t dimensions = 0;
  if (all.size() < sizeof(dimensions)) return needles;
  std::memcpy(&dimensions, all.data(), sizeof(dimensions));
  const std::size_t name_bytes = kGhost.size() + kCodeLetters;
  const std::size_t record_bytes = name_bytes + dimensions * sizeof(std::int16_t);
  for (std::size_t at = sizeof(dimensions); at + record_bytes <= all.size(); at += record_bytes) {
    const std::string name = all.substr(at, name_bytes);
    std::vector<std::int16_t> stored(dimensions);
    std::memcpy(stored.data(), &all[at + name_bytes], dimensions * sizeof(std::int16_t));
    std::vector<float> floats(dimensions);
    std::ranges::transform(stored, floats.begin(), [](std::int16_t value) {
      return static_cast<float>(value) / 32767.0F;  // as index/search/vector_cache.cc reads them
    });
    needles.Add(name, "int16", {reinterpret_cast<const char*>(stored.data()), stored.size() * 2},
                2);
    needles.Add(name, "float", {reinterpret_cast<const char*>(floats.data()), floats.size() * 4},
                4);
  }
  return needles;
}

void VectorNeedles::Add(const std::string& name, const char* form, std::string_view bytes,
                        std::size_t unit) {
  const auto is_zero = [&](std::size_t at) {
    return std::ranges::all_of(bytes.substr(at, unit), [](char byte) { return byte == 0; });
  };
  for (std::size_t at = 0; at + kCompared <= bytes.size(); at += unit) {
    bool tells = true;
    for (std::size_t i = at; i < at + 8; i += unit) tells = tells && !is_zero(i);
    if (!tells) continue;
    const std::uint64_t first = EightBytes(&bytes[at]);
    filter_[FilterBit(first)] = true;
    needles_.emplace(first, Needle{name, form, std::string(bytes.substr(at, kCompared))});
    return;
  }
}

void VectorNeedles::Find(std::string_view bytes, Found& found) const {
  if (needles_.empty()) return;
  for (std::size_t at = 0; at + kCompared <= bytes.size(); at += 2) {
    const std::uint64_t here = EightBytes(&bytes[at]);
    if (!filter_[FilterBit(here)]) continue;
    const auto [first, last] = needles_.equal_range(here);
    for (auto needle = first; needle != last; ++needle) {
      if (bytes.substr(at, kCompared) != needle->second.bytes) continue;
      found.emplace(needle->second.name, needle->second.form);
    }
  }
}

}  // namespace perdure::testing
