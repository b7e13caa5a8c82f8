// Which turns of conversations follow each other: by session, then position, then arrival. Derived
// from the columns' turns; a projection in memory like them.
//
// Threads: one writes, any number read. A turn that a reader does not know of yet may appear among
// those that it walks over: it has no state at the reader's time.
#pragma once

#include <atomic>
#include <cstdint>
#include <unordered_map>

#include "index/search/blocked_table.h"
#include "index/search/rows.h"

namespace perdure {

class TurnOrder {
 public:
  explicit TurnOrder(const BlockedTable<rows::Turn>& turns) : turns_(&turns) {}

  // The next row of turns, whose session is the row of a label or kNoRow for none any more.
  void Append();
  // Takes a turn out, for good. Who stands at it still finds its neighbours.
  void Remove(std::uint32_t turn);

  std::uint32_t Previous(std::uint32_t turn) const { return Load(links_.Mutable(turn).previous); }
  std::uint32_t Next(std::uint32_t turn) const { return Load(links_.Mutable(turn).next); }
  // A dense number of its session, below sessions().
  std::uint32_t SessionOf(std::uint32_t turn) const { return links_[turn].session; }
  std::size_t sessions() const { return sessions_.size(); }

  std::uint64_t HeapBytes() const { return links_.HeapBytes() + sessions_.HeapBytes(); }

 private:
  struct Link {
    std::uint32_t previous = kNoRow;
    std::uint32_t next = kNoRow;
    std::uint32_t session = kNoRow;
  };
  static std::uint32_t Load(std::uint32_t& row) {
    return std::atomic_ref(row).load(std::memory_order_acquire);
  }
  static void Store(std::uint32_t& row, std::uint32_t value) {
    std::atomic_ref(row).store(value, std::memory_order_release);
  }
  bool IsBefore(std::uint32_t a, std::uint32_t b) const;
  void Insert(std::uint32_t turn, std::uint32_t near);

  const BlockedTable<rows::Turn>* turns_;
  BlockedTable<Link> links_;              // by row of turns
  BlockedTable<std::uint32_t> sessions_;  // the writer's: a turn of it that was put in last
  std::unordered_map<std::uint32_t, std::uint32_t> session_of_label_;  // the writer's
};

}  // namespace perdure
