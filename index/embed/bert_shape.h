// The sizes of all-MiniLM-L6-v2, a BERT encoder (Devlin et al., arXiv:1810.04805).
#pragma once

#include <cstddef>

namespace perdure::bert {

inline constexpr std::size_t kLayers = 6;
inline constexpr std::size_t kHidden = 384;
inline constexpr std::size_t kHeads = 12;
inline constexpr std::size_t kHeadSize = 32;
inline constexpr std::size_t kFeedForward = 1536;
inline constexpr std::size_t kPositions = 512;
inline constexpr float kLayerNormEpsilon = 1e-12F;

static_assert(kHeads * kHeadSize == kHidden);

}  // namespace perdure::bert
