// The vectors of one range of chunk numbers, each distinct vector stored once (the chunks of
// successive versions of a text are mostly equal, and equal nodes would cut a graph into islands).
//
// Rows whose lowest chunk lies below the frontier are in the graph; all others are the tail, which
// is scanned. The graph is that of inserting the rows by ascending lowest chunk, in steps that
// depend on the rows alone; whatever would change that order drops it, to be built again. So a
// graph that has caught up is a pure function of the segment's chunks and vectors.
//
// Readers may run at once; a change excludes them and everything else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/base/result.h"
#include "index/vector/graph.h"
#include "index/vector/nearest.h"
#include "index/vector/row.h"

namespace perdure {

class Segment {
 public:
  // A slot is a chunk's place in the segment: chunk = first_chunk + slot.
  Segment(const RowFormat& format, std::uint64_t first_chunk)
      : table_(format), first_chunk_(first_chunk) {}
  ~Segment();

  // Changes. Each answers whether anything changed.
  bool Add(std::uint32_t slot, std::span<const float> vector);
  bool Remove(std::uint32_t slot);  // hides it; the row stays until Compact
  bool Erase(std::uint32_t slot);   // overwrites the row, unless another chunk has an equal vector
  void Compact();                   // erases all that is removed
  bool WouldReplace(std::uint32_t slot, std::span<const float> vector) const;

  // More is removed than is left: worth a Compact.
  bool Crowded() const { return removed_count_ * 2 > chunk_count_; }

  // Adds to `nearest` the allowed chunks: exactly, or through the graph as far as it reaches.
  Status Search(const RowView& query, std::size_t limit, ChunkPredicate allowed, bool exact,
                Nearest& nearest) const;

  // nullopt when the slot is empty or removed.
  std::optional<float> CosineOf(std::uint32_t slot, const RowView& query) const;
  std::optional<RowView> RowOf(std::uint32_t slot) const;

  // Growing the graph. A step names what the graph's next version adds; the segment may change
  // meanwhile, then IsCurrent turns false and the step must be dropped, unless no row is freed.
  struct Node {
    const RowCode* code;
    std::uint32_t label;  // the row's index
    std::uint64_t chunk;  // the row's lowest: seeds its level
  };
  struct Step {
    std::vector<Node> nodes;  // empty: nothing to do
    std::uint32_t frontier = 0;
    std::uint64_t epoch = 0;
  };
  static constexpr std::size_t kStepRows = 1024;
  // Of rows that begin below slot `below`. A step of fewer than kStepRows only when `last`.
  Step NextStep(std::uint32_t below, bool last);
  bool IsCurrent(const Step& step) const { return step.epoch == epoch_; }
  Result<std::unique_ptr<Graph>> GraphToExtend(const Step& step) const;
  void Publish(const Step& step, std::unique_ptr<Graph> graph);

  // The parts that a file holds, rows numbered by their lowest slot.
  struct Chunk {
    std::uint32_t slot;
    std::uint32_t row;
    bool removed;
  };
  std::vector<Chunk> Chunks() const;            // by slot
  std::vector<std::uint32_t> RowOrder() const;  // row indices by row number
  const RowTable& table() const { return table_; }
  const Graph* graph() const { return graph_.get(); }
  std::uint32_t frontier() const { return frontier_; }

  // Takes a decoded graph whose node i is row i, counted by lowest slot; the segment must hold
  // nothing but chunks added in that order.
  void Restore(std::unique_ptr<Graph> graph, std::uint32_t frontier);

  std::uint64_t first_chunk() const { return first_chunk_; }
  std::size_t chunk_count() const { return chunk_count_; }
  std::size_t removed_count() const { return removed_count_; }
  std::size_t row_count() const { return rows_.size(); }
  std::size_t MemoryBytes() const;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Slot {
    std::uint32_t row = kNone;
    std::uint32_t lower = kNone;  // the next lower slot of the same row
    bool removed = false;
  };
  struct DistinctRow {
    std::uint64_t hash;
    std::uint32_t highest;  // slots with this vector: a list from the highest
    std::uint32_t lowest;   // to the lowest
  };

  bool Present(std::uint32_t slot) const {
    return slot < slots_.size() && slots_[slot].row != kNone;
  }
  bool Equal(std::uint32_t row, std::span<const float> vector) const;
  std::uint32_t FindRow(std::uint64_t hash, std::span<const float> vector) const;
  void Link(std::uint32_t slot, std::uint32_t row);
  void Unlink(std::uint32_t slot);
  void FreeRow(std::uint32_t row);
  void OrderChangedAt(std::uint32_t slot);
  void DropGraph();
  bool AnyAllowed(std::uint32_t row, ChunkPredicate allowed) const;
  // `rows` counts up to what there is to scan, `row_at` names the row of each count.
  template <typename RowAt>
  void Scan(std::size_t rows, RowAt row_at, const RowView& query, ChunkPredicate allowed,
            Nearest& nearest) const;
  template <typename RowAt>
  bool AllowsFew(std::size_t rows, RowAt row_at, ChunkPredicate allowed) const;
  float MostCosine(std::uint32_t row, const RowView& query) const;  // by its code
  void AddHits(std::uint32_t row, const RowView& query, ChunkPredicate allowed,
               Nearest& nearest) const;

  RowTable table_;
  std::uint64_t first_chunk_;
  std::vector<Slot> slots_;
  std::vector<DistinctRow> rows_;
  std::unordered_map<std::uint64_t, std::uint32_t> row_of_hash_;
  std::size_t chunk_count_ = 0;
  std::size_t removed_count_ = 0;
  std::unique_ptr<Graph> graph_;
  std::vector<std::uint32_t> tail_;  // rows not in the graph; unused without one: all are the tail
  std::uint32_t frontier_ = 0;
  std::uint32_t step_frontier_ = 0;  // of the step under way
  std::uint64_t epoch_ = 0;
};

}  // namespace perdure
