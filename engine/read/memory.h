// A memory as it is read, and which of them a list shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/time.h"
#include "engine/base/uuid.h"
#include "engine/model/scope.h"
#include "schema/entry_generated.h"
#include "schema/records_generated.h"

namespace perdure {

// One memory as it was at the view's time.
struct Memory {
  Uuid id;
  fb::MemoryRecordT record;
  std::string title;
  std::string text;
  std::vector<std::string> tags;
  std::string type;
  std::string theme;
  std::string metadata;  // a JSON object as text, or empty
  std::string source;
  std::string conversation;
  std::string speaker;
  std::string session;
  std::string subject;  // of a fact, like the next two
  std::string predicate;
  std::string object;
  std::string origin;  // client name and version that wrote the text
  ScopePath scope;
  std::string store;     // `default` unless it lies in another
  bool editable = true;  // false: a folder's; its file, `source`, is to be changed
  bool valid = true;     // at valid_at
  bool expired = false;  // at valid_at's wall clock
};

// What default reads show: live, not expired, and of facts the value that stands.
bool IsShownByDefault(const fb::MemoryRecordT& record, Micros at);

// Empty members do not filter.
struct ListFilter {
  std::optional<ScopePath> scope;  // the subtree; absent: the caller's own scope
  bool scope_exact = false;        // the container alone, without those below it
  std::vector<std::string> tags;   // all of them
  std::string type;
  std::string theme;
  std::vector<fb::MemoryState> states;  // empty: what default reads show
  std::vector<fb::Genre> genres;        // empty: factual
  std::optional<fb::MemoryKind> kind;
  std::optional<bool> pinned;
  std::optional<fb::Authorship> authorship;
  std::optional<std::string> store;
  std::optional<fb::MemoryClass> memory_class;
  std::optional<Micros> created_from;  // half-open intervals
  std::optional<Micros> created_until;
  std::optional<Micros> updated_from;
  std::optional<Micros> updated_until;
};

struct MemoryPage {
  std::vector<Memory> memories;  // newest first; texts are left out
  std::uint64_t total = 0;       // of all pages
  std::string cursor;            // of the next page; empty after the last
};

}  // namespace perdure
