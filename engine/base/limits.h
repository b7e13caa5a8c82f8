// Every maximum of the product, in one place. Each is tested at n-1, n and n+1.
#pragma once

#include <cstddef>
#include <cstdint>

namespace perdure::limits {

// Memories
inline constexpr std::size_t kTextBytesMax = 2 * 1024 * 1024;
inline constexpr std::size_t kTitleBytesMax = 1024;
inline constexpr std::size_t kTagBytesMax = 128;
inline constexpr std::size_t kTagsMax = 64;
inline constexpr std::size_t kLabelBytesMax = 256;  // type, theme, source, client, snapshot name
inline constexpr std::size_t kFactPartBytesMax = 4096;  // subject, predicate, object
inline constexpr std::size_t kQuoteBytesMax = 16 * 1024;
inline constexpr std::size_t kSourcesMax = 256;  // memories that one is made from
inline constexpr std::size_t kMetadataBytesMax = 64 * 1024;
inline constexpr std::size_t kReasonBytesMax = 4096;
inline constexpr std::size_t kIdempotencyKeyBytesMax = 256;
inline constexpr std::size_t kIdPrefixCharsMin = 8;
inline constexpr std::size_t kScopeDepthMax = 16;
inline constexpr std::size_t kScopeBytesMax = 1024;
inline constexpr std::size_t kDescriptionBytesMax = 16 * 1024;  // of a container, its conditions
inline constexpr std::size_t kLinksMax = 1024;                  // at one memory

// How far ahead of the clock evidence may be dated, for clocks that differ.
inline constexpr std::int64_t kEvidenceAheadMaxMicros = 86'400'000'000;  // a day
// What one scoring may move importance or confidence by, and what one pass may in all.
inline constexpr float kScoreStepMax = 0.2f;
inline constexpr float kScorePassMax = 0.4f;
inline constexpr float kScoreMin = 0.05f;
inline constexpr float kScoreMax = 0.95f;

// Calls
inline constexpr std::size_t kStoreManyMax = 1000;
inline constexpr std::size_t kGetManyMax = 100;
inline constexpr std::size_t kListLimitMax = 1000;
inline constexpr std::size_t kSearchLimitMax = 100;
inline constexpr std::size_t kQueryBytesMax = 64 * 1024;
inline constexpr std::size_t kRollbackMemoriesMax = 10'000;
inline constexpr std::size_t kAnswerBytesDefault = 256 * 1024;

// Engine
inline constexpr std::size_t kGroupCommandsMax = 64;
inline constexpr std::size_t kQueueCommandsMax = 4096;
inline constexpr std::size_t kDropMemoriesMax = 128;         // whose payloads one entry compacts
inline constexpr std::uint32_t kRefusalsPerSecondMax = 100;  // a principal
inline constexpr std::uint64_t kCheckpointEntries = 10'000;
// Further ahead of the boot clock than this, or of the log's end at a start, a clock is odd.
inline constexpr std::int64_t kClockAheadMaxMicros = 86'400'000'000;            // a day
inline constexpr std::int64_t kClockRestMaxMicros = 30 * kClockAheadMaxMicros;  // a month

// Front ends
inline constexpr std::size_t kBodyBytesMax = 4 * 1024 * 1024;
inline constexpr std::size_t kJsonDepthMax = 64;
inline constexpr std::size_t kHttpThreadsMax = 128;
inline constexpr std::size_t kHttpStreamsMax = 32;
inline constexpr int kHttpBacklog = 1024;

// Models
inline constexpr std::size_t kEmbedTokensMax = 256;
inline constexpr std::size_t kChunkTokensMax = 200;

}  // namespace perdure::limits
