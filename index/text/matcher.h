// Finds the best chunks for a bag of terms over postings from any number of layers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "index/text/bm25.h"
#include "index/text/posting.h"
#include "index/text/slot_table.h"

namespace perdure {

struct TextHit {
  std::uint64_t chunk = 0;
  double score = 0;     // L of bm25.h
  double coverage = 0;  // idf-weighted share of the query's terms that the chunk holds, 0..1
  double words = 0;     // the same share, each word counting alike

  friend bool operator==(const TextHit&, const TextHit&) = default;
};

// Whether a chunk may be in the answer. Called only for chunks good enough to enter it.
using ChunkFilter = std::function<bool(std::uint64_t)>;

struct LayerPostings {
  Layer layer = Layer::kDisk;
  Generation generation = Generation::kCurrent;
  std::unique_ptr<PostingSource> source;
};

// Whether these postings speak for a chunk of that slot.
inline bool IsLive(const LayerPostings& layer, const Slot& slot) {
  return slot.length != 0 && slot.layer == layer.layer && slot.generation == layer.generation;
}

struct MatchTerm {
  std::size_t place = 0;  // in the query
  double share = 0;       // of idf * weight in their sum over the whole query
  double word_share = 0;  // of weight in its sum over the whole query
  std::vector<LayerPostings> layers;
};

// The `limit` best chunks that `allowed` lets pass, best first, equal scores by chunk number.
// Exact: skips only what cannot enter the answer (MaxScore; Turtle and Flood, 1995), over windows
// of chunks. Scores are summed as fixed-point numbers, so that the answer does not depend on the
// order of terms, on the layers, or on what was skipped. `least_words`: chunks whose `words` is
// lower are left out.
std::vector<TextHit> BestMatches(std::vector<MatchTerm> terms, const SlotTable& slots,
                                 const Bm25& bm25, std::size_t limit, double least_words,
                                 const ChunkFilter& allowed);

// The scores that BestMatches gives these chunks (ascending), of those that hold a term. Looks
// nothing else up.
std::vector<TextHit> ScoreChunks(std::vector<MatchTerm> terms, const SlotTable& slots,
                                 const Bm25& bm25, std::span<const ChunkNumber> chunks);

}  // namespace perdure
