// The commands on any memory, and on notes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/time.h"
#include "engine/base/uuid.h"
#include "engine/model/scope.h"
#include "engine/storage/keys.h"
#include "schema/entry_generated.h"

namespace perdure {

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
  std::optional<fb::Genre> genre;
  std::vector<Uuid> derived_from;  // memories that it was made from
  std::string store;               // empty: `default`
  std::optional<fb::MemoryClass> memory_class;
  bool is_record = false;          // nobody may rewrite it
  std::optional<Uuid> supersedes;  // a memory that this one corrects
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
  std::optional<std::string> store;
  std::optional<fb::MemoryClass> memory_class;
  std::vector<std::string> clear;
};

// How far a rejection reaches.
struct Refusing {
  bool wide = false;  // the whole space instead of the memory's scope
  std::optional<Micros> until;
};

enum class Transition { kPin, kUnpin, kArchive, kRestore, kForget };
struct MoveState {
  Uuid id;
  Transition transition;
  std::optional<Refusing> refusing;  // of a forgetting: its value may not come back
};

struct EraseMemories {
  std::vector<Uuid> ids;
  bool closure = false;           // what was made from them, too
  bool copies = false;            // and what says the same, wherever the principal may see it
  std::vector<Seq> suppressions;  // whose words go; they go on refusing
};

// Several memories become one, a note, that names them as its parts.
struct MergeMemories {
  std::vector<Uuid> parts;
  NoteDraft merged;
};
// The parts are what they were before the merge.
struct UnmergeMemory {
  Uuid id;  // the merged one
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
  bool scope_exact = false;  // the container alone, without those below it
};

// Typed edges between memories, read from either end.
struct AddLink {
  Uuid from;
  Uuid to;
  std::string type;
};
struct RemoveLink {
  Uuid from;
  Uuid to;
  std::string type;
};

// All memories that match every member that is set: put away, or erased. At least one of them is
// set, or the scope names something.
struct ForgetMatching {
  ScopePath scope;
  bool scope_exact = false;
  std::optional<std::string> store;
  std::optional<Micros> created_before;
  bool expired = false;  // those whose time has run out, alone
  std::vector<std::string> tags;
  std::string type;
  bool erase = false;
};

}  // namespace perdure
