// The rows of a space's columns, as they lie in memory and in files. A row refers to rows of other
// tables by their number; kNoRow is none.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "engine/base/time.h"
#include "engine/storage/keys.h"
#include "index/search/blocked_table.h"

namespace perdure::rows {

inline constexpr Micros kNever = std::numeric_limits<Micros>::max();

struct Memory {
  std::array<std::uint8_t, 16> id;
  std::uint32_t first_state;
  std::uint32_t kind;  // fb::MemoryKind
};

struct ValidSpan {
  Micros from;   // kTimeMin: since ever
  Micros until;  // kNever: for ever

  bool operator==(const ValidSpan&) const = default;
};

// What a memory was from `record_time` on, until the next of its states.
struct State {
  Micros record_time;
  Micros expires_at;  // kNever
  std::uint32_t memory;
  std::uint32_t previous;    // of the same memory
  std::uint32_t version;     // row of versions
  std::uint32_t scope;       // row of scopes
  std::uint32_t valid_span;  // kNoRow: always valid
  std::uint8_t state;        // fb::MemoryState
  std::uint8_t authorship;
  std::uint8_t genre;  // fb::Genre
  std::uint8_t marks;  // kPinned, kShadowed, kDisputed, kCommunication

  bool Has(std::uint8_t mark) const { return (marks & mark) != 0; }
};
inline constexpr std::uint8_t kPinned = 1;
inline constexpr std::uint8_t kShadowed = 2;
inline constexpr std::uint8_t kDisputed = 4;  // a dispute
inline constexpr std::uint8_t kCommunication = 8;

// One version, in log order.
struct Version {
  Seq seq;        // of the entry that made it
  Seq text_seq;   // whose payload holds the text
  Seq label_seq;  // whose payload holds title, tags, type, theme
  Micros record_time;
  std::uint32_t memory;
  std::uint32_t version;
  std::uint32_t first_chunk;
  std::uint32_t chunk_count;
  std::uint32_t first_label;  // row of label references
  std::uint32_t label_count;
};

struct Chunk {
  std::uint32_t memory;
  std::uint32_t version;  // row of versions
  std::uint32_t begin;    // byte range of the text
  std::uint32_t end;
};

// A reference to a label key, or kNoRow once its memory is erased.
using LabelRef = std::uint32_t;

// The value key of a tag, type, theme or speaker; zeros when nothing refers to it any more.
struct LabelKey {
  std::array<std::uint8_t, 16> key;
};

// A memory that is a turn of a session. Turns without a position of their own come last.
struct Turn {
  std::int64_t position;
  std::uint32_t memory;
  std::uint32_t session;  // row of the value key of conversation and session; kNoRow once erased
  std::uint32_t speaker;  // row of the value key; kNoRow: nobody, or erased
  std::uint32_t day;      // since 1970-01-01, when it was said; kNoRow once erased
};

// A container or a store; row 0 is the root, and the store `default`. By seq.
struct Container {
  Seq seq;
  std::uint32_t parent;  // when it was made
  std::uint32_t moved;   // 1: no container, but the seq of an entry that moved one
};

struct Scope {
  Seq user;
  Seq agent;
  Seq run;
  std::uint32_t container;  // row of containers
  std::uint32_t store;      // row of containers, 0: `default`
};

static_assert(sizeof(Memory) == 24 && sizeof(State) == 40 && sizeof(Version) == 56);
static_assert(sizeof(Turn) == 24 && sizeof(Chunk) == 16 && sizeof(Container) == 16 &&
              sizeof(Scope) == 32);

}  // namespace perdure::rows
