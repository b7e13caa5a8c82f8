// Rows that are only ever appended, at addresses that never change: one thread appends, any number
// read without a lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "engine/base/check.h"

namespace perdure {

inline constexpr std::size_t kBlockRows = 65'536;
inline constexpr std::uint32_t kNoRow = 0xffff'ffff;

// A reader may look at row i once it has learnt of it by a release-acquire pair: from size(), or
// from whatever the writer published after Append.
template <typename Row>
class BlockedTable {
  static_assert(std::is_trivially_copyable_v<Row>);
  static constexpr std::size_t kBlocksMax = 65'536;

 public:
  BlockedTable() : blocks_(std::make_unique<std::array<std::atomic<Row*>, kBlocksMax>>()) {}

  // The first `count` rows lie at `rows`, which must outlive the table and is read only, but for
  // the last block, which is copied. Call once, before anything else.
  void Attach(const Row* rows, std::size_t count) {
    PERDURE_CHECK(size() == 0);
    const std::size_t whole = count / kBlockRows;
    for (std::size_t b = 0; b < whole; ++b) {
      (*blocks_)[b].store(const_cast<Row*>(rows + b * kBlockRows), std::memory_order_relaxed);
    }
    size_.store(whole * kBlockRows, std::memory_order_relaxed);
    for (std::size_t i = whole * kBlockRows; i < count; ++i) Append(rows[i]);
  }

  std::uint32_t Append(const Row& row) {
    const std::size_t index = size_.load(std::memory_order_relaxed);
    PERDURE_CHECK(index < kNoRow);
    const std::size_t b = index / kBlockRows;
    if (index % kBlockRows == 0) {
      owned_.push_back(std::make_unique_for_overwrite<Row[]>(kBlockRows));
      (*blocks_)[b].store(owned_.back().get(), std::memory_order_release);
    }
    (*blocks_)[b].load(std::memory_order_relaxed)[index % kBlockRows] = row;
    size_.store(index + 1, std::memory_order_release);
    return static_cast<std::uint32_t>(index);
  }

  std::size_t size() const { return size_.load(std::memory_order_acquire); }

  const Row& operator[](std::size_t index) const {
    return (*blocks_)[index / kBlockRows].load(std::memory_order_acquire)[index % kBlockRows];
  }
  // For tables that were never attached: rows that the writer may change, by std::atomic_ref.
  Row& Mutable(std::size_t index) const {
    return (*blocks_)[index / kBlockRows].load(std::memory_order_acquire)[index % kBlockRows];
  }

  // The rows of one block below `count`.
  std::span<const Row> Block(std::size_t block, std::size_t count) const {
    const std::size_t first = block * kBlockRows;
    return {&(*this)[first], std::min(kBlockRows, count - first)};
  }

  std::size_t HeapBytes() const { return owned_.size() * kBlockRows * sizeof(Row); }

 private:
  std::unique_ptr<std::array<std::atomic<Row*>, kBlocksMax>> blocks_;
  std::vector<std::unique_ptr<Row[]>> owned_;  // the writer's
  std::atomic<std::size_t> size_{0};
};

}  // namespace perdure
