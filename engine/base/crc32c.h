// CRC-32C (Castagnoli, RFC 3720 appendix B.4): finds flipped bits in blocks that are too many to be
// hashed. It is no protection against anybody.
#pragma once

#include <cstdint>
#include <string_view>

namespace perdure {

// Of `bytes`, or of what `before` is the CRC of followed by `bytes`. Some GB/s where the processor
// has an instruction for it.
std::uint32_t Crc32c(std::string_view bytes, std::uint32_t before = 0);

}  // namespace perdure
