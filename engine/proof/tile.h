// What the tree and its proofs share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/proof/merkle.h"

namespace perdure {

inline constexpr std::uint32_t kTileHeight = 8;  // kTileHashes = 2^kTileHeight

// The root over a power of two of hashes, of one height.
Hash PerfectRoot(std::span<const Hash> hashes);

Result<std::vector<Hash>> ReadTileHashes(const TileReader& tiles, std::uint32_t level,
                                         std::uint64_t index);

}  // namespace perdure
