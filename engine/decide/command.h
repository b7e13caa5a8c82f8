// What a caller may ask of the log: one struct a command. Ids are resolved, times parsed; decide
// checks everything else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/time.h"
#include "engine/base/uuid.h"
#include "engine/model/scope.h"
#include "engine/storage/keys.h"
#include "schema/entry_generated.h"

namespace perdure {

using RoleMask = std::uint8_t;
inline constexpr RoleMask kAgent = 1;
inline constexpr RoleMask kReviewer = 2;
inline constexpr RoleMask kAuditor = 4;
inline constexpr RoleMask kOperator = 8;

// Who asks. Comes from the token, never from the request.
struct Principal {
  Uuid id;
  RoleMask roles = 0;
  SpaceId space = kMainSpace;
  ScopePath scope;     // calls reach nothing outside
  std::string client;  // name and version, for provenance
  std::uint64_t session = 0;

  bool Has(RoleMask any_of) const { return (roles & any_of) != 0; }
};

struct NoteDraft {
  std::string text;
  std::string title;
  std::vector<std::string> tags;
  fb::MemoryKind kind = fb::MemoryKind::note;
  std::string type;
  std::string theme;
  std::string metadata;  // a JSON object as canonical text, or empty
  std::string source;
  std::optional<ScopePath> scope;  // absent: the principal's own
  std::string conversation;
  std::string speaker;
  std::string session;
  std::optional<std::int64_t> position;
  std::optional<fb::Authorship> authorship;
  std::optional<float> importance;  // 0..1
  std::optional<Micros> reference_time;
  std::optional<Micros> valid_from;
  std::optional<Micros> valid_until;
  std::optional<Micros> expires_at;
};

struct StoreMemories {
  std::vector<NoteDraft> memories;
};

struct ReplaceText {
  std::string old_text;
  std::string new_text;
  bool all = false;
};
struct AppendText {
  std::string text;
};
struct WholeText {
  std::string text;
};
struct EditMemory {
  Uuid id;
  std::variant<ReplaceText, AppendText, WholeText> change;
};

// Only what is set changes. `clear` names fields to empty: title, tags, type, theme, metadata,
// expires_at.
struct DescribeMemory {
  Uuid id;
  std::optional<std::string> title;
  std::optional<std::vector<std::string>> tags;
  std::optional<std::string> type;
  std::optional<std::string> theme;
  std::optional<std::string> metadata;
  std::optional<Micros> expires_at;
  std::optional<float> importance;
  std::optional<fb::Authorship> authorship;
  std::optional<ScopePath> scope;  // a move
  std::vector<std::string> clear;
};

enum class Transition { kPin, kUnpin, kArchive, kRestore, kForget };
struct MoveState {
  Uuid id;
  Transition transition;
};

struct EraseMemories {
  std::vector<Uuid> ids;
};

struct RevertMemory {
  Uuid id;
  std::optional<std::uint32_t> version;  // exactly one of the two
  std::optional<Micros> as_of;
};

// Back to what a scope, or one memory, was at record time `to`.
struct Rollback {
  ScopePath scope;
  std::optional<Uuid> memory;
  Micros to = 0;
};

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

// The places are permanent: the log counts commands by them.
using Command = std::variant<StoreMemories, EditMemory, DescribeMemory, MoveState, EraseMemories,
                             RevertMemory, Rollback, NameSnapshot, IssueToken, RevokeToken,
                             CreateSpace, CompleteErasure, CompactHistory, DropPayloads>;

struct WriteOptions {
  std::string idempotency_key;
  std::string request_digest;  // of the command's arguments; the same request has the same digest
  std::optional<std::uint32_t> expected_version;
  bool dry_run = false;
  bool keep = false;  // a dry run leaves an entry that says what it came to
  std::string reason;
};

struct MemoryOutcome {
  Uuid id;
  std::uint32_t version = 0;
  bool created = false;
  bool changed = false;
  std::vector<std::string> not_applied;  // arguments of a repeated store that were left alone
};

// What a command did; the same whether it is answered at once or again for its idempotency key.
struct WriteOutcome {
  Seq seq = 0;             // of the command's last entry; 0 for a dry run
  Micros record_time = 0;  // of the same entry
  Seq first_seq = 0;
  bool dry_run = false;
  Seq kept_seq = 0;       // the entry that keeps a dry run, 0 for none
  bool repeated = false;  // answered from the log for an idempotency key
  std::vector<MemoryOutcome> memories;
  std::uint32_t moved_out = 0;  // rollback: left where they are now
  std::uint32_t erased = 0;     // rollback: gone for good
};

}  // namespace perdure
