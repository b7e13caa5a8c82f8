// Finds a row by its hash: open addressing over row numbers alone, since the rows hold the keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "index/search/blocked_table.h"

namespace perdure {

class RowMap {
 public:
  // The first row under `hash` that `equals` accepts, or kNoRow. `hash_of` is not needed to look.
  template <typename Equals>
  std::uint32_t Find(std::uint64_t hash, Equals equals) const {
    if (slots_.empty()) return kNoRow;
    for (std::size_t at = Place(hash);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at] == kNoRow || equals(slots_[at])) return slots_[at];
    }
  }

  // `hash_of` gives the hash of a row that is there already.
  template <typename HashOf>
  void Insert(std::uint32_t row, HashOf hash_of) {
    if ((used_ + 1) * 2 > slots_.size()) Grow(hash_of);
    Put(row, hash_of(row));
  }

  template <typename HashOf>
  void Reserve(std::size_t rows, HashOf hash_of) {
    while (rows * 2 > slots_.size()) Grow(hash_of);
  }

  std::size_t HeapBytes() const { return slots_.capacity() * sizeof(std::uint32_t); }

 private:
  std::size_t Place(std::uint64_t hash) const {
    return (hash * 0x9e37'79b9'7f4a'7c15) >> shift_;  // Fibonacci hashing: Knuth, TAOCP 6.4
  }

  void Put(std::uint32_t row, std::uint64_t hash) {
    std::size_t at = Place(hash);
    while (slots_[at] != kNoRow) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = row;
    ++used_;
  }

  template <typename HashOf>
  void Grow(HashOf hash_of) {
    const std::vector<std::uint32_t> before = std::move(slots_);
    slots_.assign(before.empty() ? 1024 : before.size() * 2, kNoRow);
    shift_ = before.empty() ? 54 : shift_ - 1;
    used_ = 0;
    for (const std::uint32_t row : before) {
      if (row != kNoRow) Put(row, hash_of(row));
    }
  }

  std::vector<std::uint32_t> slots_;
  int shift_ = 54;  // 64 - log2(slots)
  std::size_t used_ = 0;
};

}  // namespace perdure
