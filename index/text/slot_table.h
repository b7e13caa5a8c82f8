// What a search must know of every chunk: its length, and which part of the index holds it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "index/text/posting.h"

namespace perdure {

inline constexpr std::uint32_t kChunkLengthMax = 32'767;  // longer ones count as this long

// Which postings speak for a chunk: those of one layer and one generation. A chunk that moved
// leaves stale postings behind in layers that cannot change any more.
enum class Layer : std::uint8_t { kDisk, kMemoryEven, kMemoryOdd };
enum class Generation : std::uint8_t { kCurrent, kPast };

struct Slot {
  std::uint16_t length = 0;  // 0: no such chunk
  Layer layer = Layer::kDisk;
  Generation generation = Generation::kCurrent;
};

// Chunk -> Slot, 4 bytes each. Copies are snapshots: they share blocks of kBlockSize slots, and a
// block is copied before its first change after a snapshot was taken. Not thread-safe, but reading
// a snapshot needs no lock.
class SlotTable {
 public:
  static constexpr ChunkNumber kBlockSize = 4096;
  using Block = std::array<Slot, kBlockSize>;

  // A snapshot. Cost: one shared pointer per block.
  SlotTable Snapshot() {
    ++epoch_;
    return *this;
  }

  // The block with chunks [number * kBlockSize, ...), or null when none of them exists.
  const Block* block(ChunkNumber number) const {
    return number < blocks_.size() ? blocks_[number].slots.get() : nullptr;
  }

  Slot Get(ChunkNumber chunk) const {
    const Block* const found = block(chunk / kBlockSize);
    return found == nullptr ? Slot{} : (*found)[chunk % kBlockSize];
  }

  void Set(ChunkNumber chunk, Slot slot) {
    const ChunkNumber number = chunk / kBlockSize;
    if (number >= blocks_.size()) blocks_.resize(number + 1);
    auto& owned = blocks_[number];
    if (owned.slots == nullptr) {
      owned = {std::make_shared<Block>(), epoch_};
    } else if (owned.epoch != epoch_) {
      owned = {std::make_shared<Block>(*owned.slots), epoch_};
    }
    (*owned.slots)[chunk % kBlockSize] = slot;
  }

 private:
  struct OwnedBlock {
    std::shared_ptr<Block> slots;
    std::uint64_t epoch = 0;
  };

  std::vector<OwnedBlock> blocks_;
  std::uint64_t epoch_ = 0;
};

}  // namespace perdure
