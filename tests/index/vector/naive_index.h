// The oracle: every vector in a map, every search a full sort.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "index/vector/nearest.h"
#include "index/vector/row.h"

namespace perdure::testing {

class NaiveIndex {
 public:
  explicit NaiveIndex(std::size_t dimensions) : format_(dimensions, PortableDotKernels()) {}

  void Add(std::uint64_t chunk, std::vector<float> vector) { vectors_[chunk] = std::move(vector); }
  void Remove(std::uint64_t chunk) { vectors_.erase(chunk); }

  std::vector<VectorHit> Search(std::span<const float> query, std::size_t limit,
                                ChunkPredicate allowed) const {
    RowTable rows(format_);
    rows.Append(query);
    std::vector<VectorHit> hits;
    for (const auto& [chunk, vector] : vectors_) {
      if (!allowed(chunk)) continue;
      RowTable stored(format_);
      stored.Append(vector);
      hits.push_back({chunk, format_.Cosine(rows.Values(0), stored.Values(0))});
    }
    std::ranges::sort(hits, Closer);
    if (hits.size() > limit) hits.resize(limit);
    return hits;
  }

  std::vector<VectorHit> Compare(std::span<const float> query,
                                 std::span<const std::uint64_t> chunks) const {
    const auto all = Search(query, size(), [](std::uint64_t) { return true; });
    std::vector<VectorHit> hits;
    for (const std::uint64_t chunk : chunks) {
      const auto found = std::ranges::find(all, chunk, &VectorHit::chunk);
      if (found != all.end()) hits.push_back(*found);
    }
    return hits;
  }

  std::size_t size() const { return vectors_.size(); }

 private:
  RowFormat format_;
  std::map<std::uint64_t, std::vector<float>> vectors_;
};

// The share of `expected` that `found` holds.
inline double Recall(std::span<const VectorHit> found, std::span<const VectorHit> expected) {
  if (expected.empty()) return 1;
  std::size_t both = 0;
  for (const VectorHit& hit : expected) both += std::ranges::count(found, hit) > 0 ? 1 : 0;
  return static_cast<double>(both) / static_cast<double>(expected.size());
}

}  // namespace perdure::testing
