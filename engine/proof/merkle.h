// The Merkle tree of RFC 9162 section 2.1 (the same as RFC 6962) over the entries of a log: leaf
// i is entry i + 1. Only full tiles of 256 hashes are stored, as in C2SP tlog-tiles and Tessera:
//
//   tile (L, N) := hash{256}    hash k is the root of the 256^L leaves from (256 N + k) * 256^L on
//
// What a tile does not hold yet lives in a TreeState in memory, at most 255 hashes a level.
// Reading functions need O(log n) hashes from at most two tiles a level.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/result.h"

namespace perdure {

inline constexpr std::size_t kTileHashes = 256;
inline constexpr std::size_t kTileBytes = kTileHashes * sizeof(Hash);

Hash LeafHash(std::string_view data);                // SHA-256(0x00 || data)
Hash NodeHash(const Hash& left, const Hash& right);  // SHA-256(0x01 || left || right)
Hash EmptyRoot();                                    // SHA-256 of nothing

struct Tile {
  std::uint32_t level = 0;
  std::uint64_t index = 0;
  std::string bytes;  // kTileBytes
};

class TileReader {
 public:
  virtual ~TileReader() = default;
  // The bytes of a full tile; an error when it is not stored.
  virtual Result<std::string> ReadTile(std::uint32_t level, std::uint64_t index) const = 0;
};

// The right edge of the tree. A value: copy it (some 10 KiB) to read at one size while the writer
// goes on, or to append on trial.
class TreeState {
 public:
  // Rebuilds the state of a tree of `size` leaves from the hashes of its last size % 256 leaves and
  // the stored tiles: reads at most 255 tiles a level, whatever the size.
  static Result<TreeState> Load(std::uint64_t size, std::span<const Hash> last_leaves,
                                const TileReader& tiles);

  // Adds a leaf, two hashes on average. Returns the tiles that it completes (none 255 times of
  // 256), to be stored in the same batch as the entry.
  std::vector<Tile> Append(const Hash& leaf_hash);

  std::uint64_t Size() const { return size_; }
  Hash Root() const;  // log2(size) hashes

  // The hashes of tile (level, size / 256^(level + 1)), which is not full yet.
  std::span<const Hash> PartialTile(std::uint32_t level) const;

 private:
  std::uint64_t size_ = 0;
  std::vector<Hash> peaks_;                  // roots of the perfect subtrees, one a bit of size_
  std::vector<std::vector<Hash>> partials_;  // by level
};

// A tree that can be asked about itself at any size up to its own. Both must outlive the calls.
struct TreeView {
  const TreeState& state;
  const TileReader& tiles;
};

// kInvalidArgument when size or index lie outside the tree; kCorrupt when a tile has a wrong
// length.
Result<Hash> RootAt(std::uint64_t size, const TreeView& tree);

// PATH(index, D[0:size]): proves that leaf `index` is in the tree of `size` leaves.
Result<std::vector<Hash>> InclusionProof(std::uint64_t index, std::uint64_t size,
                                         const TreeView& tree);

// PROOF(old_size, D[0:new_size]): proves that the smaller tree is the beginning of the larger one.
// Empty for old_size 0 or equal sizes.
Result<std::vector<Hash>> ConsistencyProof(std::uint64_t old_size, std::uint64_t new_size,
                                           const TreeView& tree);

// RFC 9162 section 2.1.3.2 and 2.1.4.2, word by word. Pure; any input is safe.
bool VerifyInclusion(std::uint64_t index, std::uint64_t size, const Hash& leaf_hash,
                     std::span<const Hash> proof, const Hash& root);
bool VerifyConsistency(std::uint64_t old_size, std::uint64_t new_size, const Hash& old_root,
                       const Hash& new_root, std::span<const Hash> proof);

}  // namespace perdure
