// The vectors of one (space, model): chunk number -> normalised vector, searched by cosine.
//
// A cache with a cursor: all of it can be rebuilt from the log. Chunk numbers are dense, and a
// chunk keeps its number when others are erased (segments are ranges of numbers). The same calls
// give the same answers, whenever Advance ran, as soon as it has caught up, and across Checkpoint
// and Open at any point.
//
// Threads: any may search. One writes (Add, Remove, Erase, Checkpoint, in log order) and one calls
// Advance; more than one of each wait for each other. A search waits for neither for longer than
// it takes to change a few words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/mutex.h"
#include "engine/base/result.h"
#include "index/vector/fair_shared_mutex.h"
#include "index/vector/nearest.h"
#include "index/vector/row.h"
#include "index/vector/segment.h"
#include "index/vector/segment_store.h"

namespace perdure {

struct VectorIndexOptions {
  std::uint32_t dimensions = 384;
  Hash model_hash{};  // of the weights: files of another model are discarded

  // So many vectors are scanned rather than searched through a graph, whether they are all there
  // are or all that a filter allows. A scan of 10,000 takes half a millisecond.
  std::size_t exact_max = 10'000;

  // Chunk numbers a segment, at most 65,536. What an erasure builds again; a search pays for each.
  std::uint32_t segment_chunks = 32'768;
};

struct VectorIndexStats {
  std::size_t chunks = 0;   // searchable
  std::size_t removed = 0;  // hidden, still stored
  std::size_t rows = 0;     // distinct vectors stored
  std::size_t tail = 0;     // of these, not in a graph: scanned by every search
  std::size_t segments = 0;
  std::size_t memory_bytes = 0;
  std::uint64_t file_bytes = 0;
};

class VectorIndex {
  struct OpenOnly {
    explicit OpenOnly() = default;
  };

 public:
  VectorIndex(OpenOnly, const std::string& directory, const VectorIndexOptions& options);

  // Loads the last checkpoint of `directory`, which is created if need be. Files that cannot be
  // trusted are removed and named by discarded(); the index is then empty and its cursor 0.
  static Result<std::unique_ptr<VectorIndex>> Open(const std::string& directory,
                                                   const VectorIndexOptions& options);
  const std::vector<std::string>& discarded() const { return discarded_; }

  // Of norm 1, or all zeros (similar to nothing). Searchable at once. The same chunk again: its
  // vector is replaced.
  Status Add(std::uint64_t chunk, std::span<const float> vector);
  // Never an answer again. The vector is freed when more of its segment is removed than is left.
  Status Remove(std::uint64_t chunk);
  // When this returns, the vectors are in no memory and no file of the index. Unknown chunks are
  // ignored; after an error call it again, with any chunks. The segments touched are scanned until
  // Advance has built their graphs again.
  Status Erase(std::span<const std::uint64_t> chunks);

  // The closest chunks that `allowed` admits, at most `limit`, by cosine, then by chunk number.
  // `allowed` is called under a lock and must be cheap and pure. `allowed_count` estimates how many
  // it admits: exact below options.exact_max, and where a filtered graph would cost more.
  Result<std::vector<VectorHit>> Search(std::span<const float> query, std::size_t limit,
                                        ChunkPredicate allowed, std::size_t allowed_count) const;
  // The cosines of these chunks, in their order; those that are not there are left out.
  Result<std::vector<VectorHit>> Compare(std::span<const float> query,
                                         std::span<const std::uint64_t> chunks) const;
  // The same against the vector of a chunk; empty when that is not there.
  Result<std::vector<VectorHit>> CompareWith(std::uint64_t chunk,
                                             std::span<const std::uint64_t> chunks) const;

  // Inserts at most `insertions_max` vectors into graphs and answers how many: fewer when caught
  // up. Each takes 0.1 to 0.3 ms. Chunks from `pending_from` on wait in the tail: say the lowest
  // whose vector is still to come, or a graph that overtakes it is built again.
  Result<std::size_t> Advance(std::size_t insertions_max, std::uint64_t pending_from = UINT64_MAX);

  // Makes the present state, and that it holds the log up to `cursor`, survive. Only segments that
  // changed are written. Repeating calls from the cursor on changes nothing that is there already.
  Status Checkpoint(std::uint64_t cursor);
  std::uint64_t cursor() const;  // of the last checkpoint; 0: none

  VectorIndexStats Stats() const;
  // Of every chunk's place, and of every graph's levels and links: equal for equal graphs.
  Hash GraphDigest() const;

 private:
  // A version of a segment's graph that is being built aside.
  struct Growth {
    std::uint64_t first_chunk;
    Segment::Step step;
    std::size_t inserted = 0;
    std::unique_ptr<Graph> graph;
  };

  Status CheckVector(std::span<const float> vector, const char* field) const;
  std::uint64_t FirstChunkOf(std::uint64_t chunk) const;
  std::uint32_t SlotOf(std::uint64_t chunk) const;
  Segment* Find(std::uint64_t chunk) const REQUIRES_SHARED(content_);
  std::vector<VectorHit> CosinesOf(std::span<const std::uint64_t> chunks, const RowView& row) const
      REQUIRES_SHARED(content_);
  // The writer is alone in changing which segments there are, so it may look without content_.
  Segment* FindAsWriter(std::uint64_t chunk) const REQUIRES(writing_) NO_THREAD_SAFETY_ANALYSIS {
    return Find(chunk);
  }
  Status AddTo(Segment* segment, std::uint64_t chunk, std::span<const float> vector)
      REQUIRES(writing_);
  bool GrowthHolds() const REQUIRES(growing_);
  Result<bool> StartGrowth(std::uint64_t pending_from) REQUIRES(growing_);
  Status Grow() REQUIRES(growing_);
  void DropIfEmpty(std::uint64_t first_chunk) REQUIRES(growing_, content_);
  std::size_t ChunkCount() const REQUIRES_SHARED(content_);
  std::size_t RowCount() const REQUIRES_SHARED(content_);
  bool ScanIsCheaper(std::size_t allowed_count) const REQUIRES_SHARED(content_);
  SegmentStore::Changes ChangesOf(const std::set<std::uint64_t>& first_chunks) const
      REQUIRES_SHARED(content_);

  VectorIndexOptions options_;
  RowFormat format_;
  std::vector<std::string> discarded_;

  // `content_` is held to change any segment, shared to read one; the writer reads without it.
  // `growing_` is held to insert into a growth and to free rows, which it reads.
  mutable Mutex writing_ ACQUIRED_BEFORE(growing_, content_);
  mutable FairSharedMutex growing_ ACQUIRED_BEFORE(content_);
  mutable FairSharedMutex content_;

  SegmentMap segments_ GUARDED_BY(content_);  // never an empty segment
  // First chunks of segments that differ from their files, and of these, of files that still hold
  // an erased vector.
  std::set<std::uint64_t> dirty_ GUARDED_BY(content_);
  std::set<std::uint64_t> unpurged_ GUARDED_BY(writing_);
  std::optional<Growth> growth_ GUARDED_BY(growing_);
  SegmentStore store_ GUARDED_BY(writing_);
};

}  // namespace perdure
