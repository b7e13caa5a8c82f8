// What every chunk of a space belongs to and when it may be seen: a projection of the log in
// memory, in which a search filters without touching the store.
//
// A memory is a chain of states; a state shows one version; a version has chunks. So whether a
// chunk is visible at any past time is a walk from the memory's latest state back to that time.
// Row numbers are a pure function of the log and of the payloads that are there.
//
// Threads: one writes (Fold, Erase), any number read. A chunk that a reader knows by its number may
// be asked for at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/base/result.h"
#include "engine/base/uuid.h"
#include "engine/log/entry.h"
#include "engine/proof/keys.h"
#include "index/search/blocked_table.h"
#include "index/search/row_map.h"
#include "index/search/rows.h"
#include "index/search/turn_order.h"
#include "schema/records_generated.h"

namespace perdure {

// The byte range of a chunk in its text.
struct ChunkSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
};

class Columns {
 public:
  Columns();

  // What an entry did to the columns.
  struct Change {
    std::uint32_t memory = kNoRow;
    std::uint32_t version = kNoRow;   // made by the entry
    std::uint32_t replaced = kNoRow;  // the version that was shown before it
    bool erased = false;
  };
  // The record of the entry's memory after it; nullopt when the entry touches none. Changes
  // nothing. kCorrupt when the log contradicts itself.
  Result<std::optional<fb::MemoryRecordT>> RecordAfter(const fb::Entry& entry) const;
  // The value keys of a version.
  struct Keys {
    std::vector<ValueKey> labels;
    std::optional<ValueKey> session;  // of a turn, like the next
    std::optional<ValueKey> speaker;
  };
  // Folds one entry. `after` is RecordAfter(entry); `chunks` and `keys` are those of the version
  // that it makes. The new state is not visible before `record_time` of the entry.
  Change Fold(const fb::Entry& entry, const std::optional<fb::MemoryRecordT>& after,
              std::span<const ChunkSpan> chunks, const Keys& keys);
  // Forgets the labels and the session of a memory; what its chunks and states were stays known by
  // number.
  void Erase(std::uint32_t memory);

  std::uint32_t FindMemory(const Uuid& id) const;  // the writer's; kNoRow when unknown
  std::vector<std::uint64_t> ChunksOfMemory(std::uint32_t memory) const;
  std::uint32_t FindLabel(const ValueKey& key) const;  // kNoRow: no memory has it
  ValueKey KeyOfLabel(std::uint32_t label) const;
  // The row of a container's node, 0 for the root; kNoRow when unknown.
  std::uint32_t FindContainer(Seq node) const;
  // Whether a container was ever moved: who lies below whom is to be asked of the store then.
  bool HaveContainersMoved() const { return have_moved_.load(std::memory_order_acquire); }
  bool HasLabel(std::uint32_t version, std::uint32_t label) const;

  // The row of turns of a memory, kNoRow when it is none. Who follows whom: turn_order().
  std::uint32_t TurnOf(std::uint32_t memory) const {
    return std::atomic_ref(turn_of_.Mutable(memory)).load(std::memory_order_acquire);
  }
  const TurnOrder& turn_order() const { return turn_order_; }

  std::uint32_t LatestState(std::uint32_t memory) const {
    return std::atomic_ref(latest_.Mutable(memory)).load(std::memory_order_acquire);
  }
  // The state at `time`, kNoRow before the memory was stored.
  std::uint32_t StateAt(std::uint32_t memory, Micros time) const {
    return StateFrom(LatestState(memory), time);
  }
  // The same, from a later state of the memory.
  std::uint32_t StateFrom(std::uint32_t state, Micros time) const {
    while (state != kNoRow && states[state].record_time > time) state = states[state].previous;
    return state;
  }
  // A memory whose first state is only just being folded is not.
  bool IsErased(std::uint32_t memory) const {
    const std::uint32_t state = LatestState(memory);
    return state != kNoRow &&
           states[state].state == static_cast<std::uint8_t>(fb::MemoryState::erased);
  }

  std::uint64_t HeapBytes() const;

  // Tables; append through Fold only.
  BlockedTable<rows::Memory> memories;
  BlockedTable<rows::State> states;
  BlockedTable<rows::Version> versions;
  BlockedTable<rows::Chunk> chunks;
  BlockedTable<rows::LabelRef> label_refs;
  BlockedTable<rows::LabelKey> label_keys;
  BlockedTable<rows::Container> containers;
  BlockedTable<rows::Scope> scopes;
  BlockedTable<rows::ValidSpan> valid_spans;
  BlockedTable<rows::Turn> turns;

  // After the tables were attached: derives what no file holds. kCorrupt when a row refers to one
  // that is not there.
  Status FinishLoading();
  // Builds the maps from ids, labels and scopes to rows, which only the writer uses. Repeatable.
  void PrepareWriter();

 private:
  fb::MemoryRecordT RecordOf(std::uint32_t memory) const;
  std::uint32_t AppendVersion(const fb::Entry& entry, const fb::MemoryRecordT& after,
                              std::uint32_t memory, std::span<const ChunkSpan> spans,
                              std::span<const ValueKey> labels);
  static std::uint8_t MarksOf(const fb::MemoryRecordT& record);
  std::uint32_t ValidSpanFor(const fb::MemoryRecordT& after, std::uint32_t before);
  std::uint32_t MemoryFor(const Uuid& id, const fb::MemoryRecordT& after);
  std::uint32_t LabelFor(const ValueKey& key);
  std::uint32_t ScopeFor(const fb::ScopeRef& scope, Seq store);
  void AddTurn(std::uint32_t memory, const fb::MemoryRecordT& record, const Keys& keys);
  void AddContainer(Seq node, Seq parent);
  void DropUnusedLabels();
  Status CheckRows() const;

  BlockedTable<std::uint32_t> latest_;   // by memory: its latest state
  BlockedTable<std::uint32_t> turn_of_;  // by memory
  TurnOrder turn_order_{turns};
  std::atomic<bool> have_moved_ = false;
  bool writer_ready_ = false;
  RowMap memory_rows_;
  RowMap label_rows_;
  RowMap scope_rows_;
  // Held to change a label's key in place, and by others than the writer to read one, which is why
  // label_keys carries no annotation.
  mutable Mutex labels_mutex_;
};

}  // namespace perdure
