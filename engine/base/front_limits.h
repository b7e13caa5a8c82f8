// The maxima that only the front ends know: a file of their own, so that the engine is not built
// anew for them. Each is tested at n-1, n and n+1 where a caller can see it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/base/limits.h"

namespace perdure::limits {

// HTTP
inline constexpr std::size_t kHttpWaitingMax = 64;  // connections beside those with a thread
inline constexpr std::size_t kHttpHeadBytesMax = 64 * 1024;  // request line and fields together
inline constexpr std::size_t kHttpPathBytesMax = 2048;       // httplib matches by recursion
inline constexpr std::size_t kHttpDroppedFactor = 4;  // of the body's maximum, read to be dropped
inline constexpr std::size_t kHttpWireFactor = 5;     // of the body's maximum, as it is sent
inline constexpr std::size_t kHttpLingerBytesMax = 64 * 1024 * 1024;  // dropped after a response

// MCP
inline constexpr std::size_t kSubscriptionUrisMax = 256;
inline constexpr std::size_t kMcpSessionsMax = 256;
inline constexpr std::size_t kMcpUriBytesMax = 1024;  // of a resource that a session watches
inline constexpr std::size_t kMcpCompletionsMax = 100;
inline constexpr std::size_t kScopesCompletedMax = 10'000;     // looked at for one completion
inline constexpr std::size_t kMirrorTextBytesMax = 64 * 1024;  // of one memory in a tool's text
// Entries that a subscription looks at; beyond, all may have changed.
inline constexpr std::uint64_t kChangesLookedAtMax = 10'000;

inline constexpr std::size_t kFilterDepthMax = 8;    // of expressions over metadata
inline constexpr std::size_t kFilterTermsMax = 256;  // values that they compare with
inline constexpr std::size_t kContextTokensMin = 100;
inline constexpr std::size_t kContextTokensMax = 32'000;

}  // namespace perdure::limits
