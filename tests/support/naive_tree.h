// The recursive definitions of RFC 9162 section 2.1, word by word, over all leaves in memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/hash.h"
#include "engine/proof/merkle.h"

namespace perdure::testing {

class NaiveTree {
 public:
  using Proof = std::vector<Hash>;

  explicit NaiveTree(std::vector<std::string> leaves) : leaves_(std::move(leaves)) {}

  // MTH(D[begin:end]). Remembered, which changes no value.
  const Hash& Root(std::size_t begin, std::size_t end) {
    const auto known = roots_.find({begin, end});
    if (known != roots_.end()) return known->second;
    Hash root;
    if (begin == end) {
      root = Sha256("");
    } else if (end - begin == 1) {
      root = Sha256(std::string(1, '\0') + leaves_[begin]);
    } else {
      const std::size_t k = begin + Split(end - begin);
      const std::string left(AsBytes(Root(begin, k)));
      root = Sha256(std::string(1, '\1') + left + std::string(AsBytes(Root(k, end))));
    }
    return roots_[{begin, end}] = root;
  }

  // PATH(m, D[begin:end]), m counted from begin.
  Proof Path(std::size_t m, std::size_t begin, std::size_t end) {
    if (end - begin == 1) return {};
    const std::size_t k = Split(end - begin);
    Proof path = m < k ? Path(m, begin, begin + k) : Path(m - k, begin + k, end);
    path.push_back(m < k ? Root(begin + k, end) : Root(begin, begin + k));
    return path;
  }

  // SUBPROOF(m, D[begin:end], b).
  Proof Subproof(std::size_t m, std::size_t begin, std::size_t end, bool b) {
    if (m == end - begin) return b ? Proof{} : Proof{Root(begin, end)};
    const std::size_t k = Split(end - begin);
    Proof proof =
        m <= k ? Subproof(m, begin, begin + k, b) : Subproof(m - k, begin + k, end, false);
    proof.push_back(m <= k ? Root(begin + k, end) : Root(begin, begin + k));
    return proof;
  }

 private:
  static std::size_t Split(std::size_t size) {
    std::size_t k = 1;
    while (2 * k < size) k *= 2;
    return k;
  }

  std::vector<std::string> leaves_;
  std::map<std::pair<std::size_t, std::size_t>, Hash> roots_;
};

// Tiles in memory, which counts how often it is read.
class MemoryTiles final : public TileReader {
 public:
  void Add(const std::vector<Tile>& tiles) {
    for (const Tile& tile : tiles) tiles_[{tile.level, tile.index}] = tile.bytes;
  }
  Result<std::string> ReadTile(std::uint32_t level, std::uint64_t index) const override {
    ++reads_;
    const auto tile = tiles_.find({level, index});
    if (tile == tiles_.end()) return Fail(Code::kNotFound, "There is no such tile.");
    return tile->second;
  }
  std::string& At(std::uint32_t level, std::uint64_t index) { return tiles_.at({level, index}); }
  void Remove(std::uint32_t level, std::uint64_t index) { tiles_.erase({level, index}); }
  std::size_t Count() const { return tiles_.size(); }
  int TakeReads() { return std::exchange(reads_, 0); }

 private:
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> tiles_;
  mutable int reads_ = 0;
};

// A tree of leaves "leaf 0", "leaf 1", ... grown by appending.
struct GrownTree {
  explicit GrownTree(std::size_t size) { GrowTo(size); }

  void GrowTo(std::size_t size) {
    while (state.Size() < size) {
      leaf_hashes.push_back(LeafHash(Leaf(state.Size())));
      tiles.Add(state.Append(leaf_hashes.back()));
    }
  }
  static std::string Leaf(std::uint64_t index) { return "leaf " + std::to_string(index); }
  static NaiveTree Naive(std::size_t size) {
    std::vector<std::string> leaves;
    for (std::size_t i = 0; i < size; ++i) leaves.push_back(Leaf(i));
    return NaiveTree(std::move(leaves));
  }
  TreeView View() const { return {state, tiles}; }

  TreeState state;
  MemoryTiles tiles;
  std::vector<Hash> leaf_hashes;
};

}  // namespace perdure::testing
