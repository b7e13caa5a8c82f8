#include "engine/proof/merkle.h"

#include <algorithm>

#include "engine/base/hash.h"
#include "engine/proof/tile.h"

namespace perdure {
namespace {

constexpr std::string_view kLeafPrefix("\x00", 1);
constexpr std::string_view kNodePrefix("\x01", 1);

// The number of full tiles of a level in a tree of `size` leaves.
std::uint64_t FullTiles(std::uint64_t size, std::uint32_t level) {
  const std::uint32_t height = kTileHeight * (level + 1);
  return height < 64 ? size >> height : 0;
}

}  // namespace

Hash LeafHash(std::string_view data) { return Sha256Concat({kLeafPrefix, data}); }

Hash NodeHash(const Hash& left, const Hash& right) {
  return Sha256Concat({kNodePrefix, AsBytes(left), AsBytes(right)});
}

Hash EmptyRoot() { return Sha256({}); }

Hash PerfectRoot(std::span<const Hash> hashes) {
  if (hashes.size() == 1) return hashes.front();
  const std::size_t half = hashes.size() / 2;
  return NodeHash(PerfectRoot(hashes.first(half)), PerfectRoot(hashes.subspan(half)));
}

Result<std::vector<Hash>> ReadTileHashes(const TileReader& tiles, std::uint32_t level,
                                         std::uint64_t index) {
  ASSIGN_OR_RETURN(const std::string bytes, tiles.ReadTile(level, index));
  if (bytes.size() != kTileBytes) {
    return Fail(Code::kCorrupt, "A stored tile of the Merkle tree has a wrong length.");
  }
  std::vector<Hash> hashes(kTileHashes);
  std::ranges::copy(bytes, reinterpret_cast<char*>(hashes.data()));
  return hashes;
}

std::vector<Tile> TreeState::Append(const Hash& leaf_hash) {
  std::vector<Tile> completed;
  Hash node = leaf_hash;
  for (std::uint32_t height = 0;; ++height) {
    if (height % kTileHeight == 0) {
      const std::uint32_t level = height / kTileHeight;
      if (level == partials_.size()) partials_.emplace_back();
      std::vector<Hash>& partial = partials_[level];
      partial.push_back(node);
      if (partial.size() == kTileHashes) {
        completed.push_back({level, FullTiles(size_, level), {}});
        for (const Hash& hash : partial) completed.back().bytes += AsBytes(hash);
        partial.clear();
      }
    }
    // A set bit of the size is a perfect subtree of that height, now with a sibling.
    if ((size_ >> height & 1) == 0) break;
    node = NodeHash(peaks_.back(), node);
    peaks_.pop_back();
  }
  peaks_.push_back(node);
  ++size_;
  return completed;
}

Hash TreeState::Root() const {
  if (peaks_.empty()) return EmptyRoot();
  Hash root = peaks_.back();
  for (auto peak = peaks_.rbegin() + 1; peak != peaks_.rend(); ++peak) {
    root = NodeHash(*peak, root);
  }
  return root;
}

std::span<const Hash> TreeState::PartialTile(std::uint32_t level) const {
  if (level >= partials_.size()) return {};
  return partials_[level];
}

Result<TreeState> TreeState::Load(std::uint64_t size, std::span<const Hash> last_leaves,
                                  const TileReader& tiles) {
  if (last_leaves.size() != size % kTileHashes) {
    return Fail(Code::kInvalidArgument, "The tree's last leaves do not fit its size.",
                "last_leaves");
  }
  TreeState state;
  state.size_ = size;
  state.partials_.emplace_back(last_leaves.begin(), last_leaves.end());
  for (std::uint32_t level = 1; FullTiles(size, level - 1) > 0; ++level) {
    // Hash k of this level is the root of tile k of the level below.
    std::vector<Hash>& partial = state.partials_.emplace_back();
    const std::uint64_t end = FullTiles(size, level - 1);
    for (std::uint64_t index = end - end % kTileHashes; index < end; ++index) {
      ASSIGN_OR_RETURN(const std::vector<Hash> hashes, ReadTileHashes(tiles, level - 1, index));
      partial.push_back(PerfectRoot(hashes));
    }
  }
  // Each level's hashes, cut by the bits of their number, are the peaks of that level.
  for (std::size_t level = state.partials_.size(); level-- > 0;) {
    std::span<const Hash> rest = state.partials_[level];
    for (std::size_t part = kTileHashes / 2; part > 0; part /= 2) {
      if ((rest.size() & part) == 0) continue;
      state.peaks_.push_back(PerfectRoot(rest.first(part)));
      rest = rest.subspan(part);
    }
  }
  return state;
}

}  // namespace perdure
