#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "engine/proof/merkle.h"
#include "engine/proof/tile.h"

namespace perdure {
namespace {

// The largest power of two below `size`, which is at least 2.
std::uint64_t SplitOf(std::uint64_t size) { return std::bit_floor(size - 1); }

// Roots of ranges of leaves of one tree. Keeps each tile that it reads.
class RangeHasher {
 public:
  explicit RangeHasher(const TreeView& tree) : tree_(tree) {}

  // MTH(D[begin:end]) for a range that the recursion of RFC 9162 section 2.1.1 reaches: `begin` is
  // a multiple of the smallest power of two that is not below end - begin.
  Result<Hash> Root(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t size = end - begin;
    if (size == 0) return EmptyRoot();
    if (std::has_single_bit(size)) return Perfect(begin, size);
    const std::uint64_t middle = begin + SplitOf(size);
    ASSIGN_OR_RETURN(const Hash left, Root(begin, middle));
    ASSIGN_OR_RETURN(const Hash right, Root(middle, end));
    return NodeHash(left, right);
  }

 private:
  Result<Hash> Perfect(std::uint64_t begin, std::uint64_t size) {
    const auto height = static_cast<std::uint32_t>(std::countr_zero(size));
    const std::uint32_t level = height / kTileHeight;
    const std::uint64_t first = begin >> (kTileHeight * level);
    ASSIGN_OR_RETURN(const std::span<const Hash> tile, TileOf(level, first / kTileHashes));
    const std::size_t count = std::size_t{1} << (height % kTileHeight);
    return PerfectRoot(tile.subspan(first % kTileHashes, count));
  }

  Result<std::span<const Hash>> TileOf(std::uint32_t level, std::uint64_t index) {
    const std::uint64_t hashes = tree_.state.Size() >> (kTileHeight * level);
    if (index == hashes / kTileHashes) return tree_.state.PartialTile(level);
    const auto key = std::pair(level, index);
    auto found = read_.find(key);
    if (found == read_.end()) {
      ASSIGN_OR_RETURN(std::vector<Hash> tile, ReadTileHashes(tree_.tiles, level, index));
      found = read_.emplace(key, std::move(tile)).first;
    }
    return std::span<const Hash>(found->second);
  }

  const TreeView& tree_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<Hash>> read_;
};

Status CheckSize(std::uint64_t size, std::uint64_t size_max, std::string field) {
  if (size <= size_max) return {};
  return Fail(Code::kInvalidArgument, "The log has no such size yet.", std::move(field));
}

using Range = std::pair<std::uint64_t, std::uint64_t>;

Result<std::vector<Hash>> RootsOf(const std::vector<Range>& ranges, const TreeView& tree) {
  RangeHasher hasher(tree);
  std::vector<Hash> roots;
  for (const auto& [begin, end] : ranges) {
    ASSIGN_OR_RETURN(const Hash root, hasher.Root(begin, end));
    roots.push_back(root);
  }
  return roots;
}

}  // namespace

Result<Hash> RootAt(std::uint64_t size, const TreeView& tree) {
  RETURN_IF_ERROR(CheckSize(size, tree.state.Size(), "size"));
  return RangeHasher(tree).Root(0, size);
}

// RFC 9162 section 2.1.3.1, from the root down instead of from the leaf up.
Result<std::vector<Hash>> InclusionProof(std::uint64_t index, std::uint64_t size,
                                         const TreeView& tree) {
  RETURN_IF_ERROR(CheckSize(size, tree.state.Size(), "size"));
  if (index >= size) return Fail(Code::kInvalidArgument, "The leaf lies past the size.", "index");
  std::vector<Range> siblings;
  Range subtree(0, size);
  while (subtree.second - subtree.first > 1) {
    const std::uint64_t middle = subtree.first + SplitOf(subtree.second - subtree.first);
    const Range left(subtree.first, middle);
    const Range right(middle, subtree.second);
    siblings.push_back(index < middle ? right : left);
    subtree = index < middle ? left : right;
  }
  std::ranges::reverse(siblings);
  return RootsOf(siblings, tree);
}

// RFC 9162 section 2.1.4.1: SUBPROOF(old_size, D, true), from the root down.
Result<std::vector<Hash>> ConsistencyProof(std::uint64_t old_size, std::uint64_t new_size,
                                           const TreeView& tree) {
  RETURN_IF_ERROR(CheckSize(new_size, tree.state.Size(), "new_size"));
  RETURN_IF_ERROR(CheckSize(old_size, new_size, "old_size"));
  if (old_size == 0 || old_size == new_size) return std::vector<Hash>{};
  std::vector<Range> ranges;
  Range subtree(0, new_size);
  while (subtree.second != old_size) {
    const std::uint64_t middle = subtree.first + SplitOf(subtree.second - subtree.first);
    const Range left(subtree.first, middle);
    const Range right(middle, subtree.second);
    ranges.push_back(old_size <= middle ? right : left);
    subtree = old_size <= middle ? left : right;
  }
  // The verifier knows the old root, so a subtree that is the whole old tree need not be sent.
  if (subtree.first != 0) ranges.push_back(subtree);
  std::ranges::reverse(ranges);
  return RootsOf(ranges, tree);
}

}  // namespace perdure
