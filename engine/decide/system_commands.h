// The commands on a space as a whole, on tokens and on spaces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/time.h"
#include "engine/base/uuid.h"
#include "engine/decide/principal.h"
#include "engine/storage/keys.h"

namespace perdure {

struct NameSnapshot {
  std::string name;
  std::optional<Micros> at;  // absent: now
};

struct IssueToken {
  Uuid id;
  Hash secret_digest{};
  SpaceId space = kMainSpace;
  RoleMask roles = 0;
  std::string scope;
  std::string label;
  std::optional<Micros> expires_at;
};
struct RevokeToken {
  Uuid id;
};
struct CreateSpace {
  SpaceId space = 0;
  std::string name;
};
struct CompleteErasure {
  Seq erasure_seq = 0;  // the MemoryErased entry
  std::uint32_t payloads = 0;
  std::uint64_t index_generation = 0;
};
struct CompactHistory {
  Micros before = 0;
  bool payloads = false;
};
// Part of a compaction with payloads, in each space: those of `memories` that only versions
// superseded before it needed go.
struct DropPayloads {
  Micros before = 0;
  std::vector<Uuid> memories;
  bool complete = false;  // the last part
};
// The log is that of a backup, which ended with this entry, or the beginning of it.
struct MarkRestored {
  Seq head_seq = 0;
  Hash head_hash{};
  std::uint64_t branch = 0;  // told from every other by chance
};

}  // namespace perdure
