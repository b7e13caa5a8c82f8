// Reads of one space at one record time, for one caller. The same code serves now and any past
// time. Values are copied out; a view may be used from any thread and costs nothing to keep.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/time.h"
#include "engine/base/uuid.h"
#include "engine/decide/command.h"
#include "engine/log/entry.h"
#include "engine/proof/keys.h"
#include "engine/read/memory.h"
#include "engine/storage/store.h"
#include "schema/records_generated.h"

namespace perdure {

// When to read: at most one of the first three; absent, at the watermark. Absent valid_at: the
// wall clock.
struct ReadAt {
  std::optional<Micros> time;
  std::optional<Seq> seq;
  std::string snapshot;
  std::optional<Micros> valid_at;
};

struct VersionInfo {
  std::uint32_t version = 0;
  Seq seq = 0;
  Micros record_time = 0;
  fb::Event event = fb::Event::NONE;
  std::string title;
  std::size_t text_bytes = 0;
  bool erased = false;
  bool compacted = false;  // text or description went with compaction
};

// One entry, readable; the texts come from its payload and are empty once that is erased.
struct LogLine {
  Seq seq = 0;
  Micros record_time = 0;
  fb::Event event = fb::Event::NONE;
  Uuid principal;
  RoleMask roles = 0;
  Seq cause = 0;
  Seq pass = 0;
  std::optional<Uuid> memory;
  std::uint32_t version = 0;  // made by the entry
  std::string client;
  std::string reason;
  std::string gate;     // of a refusal, also of one that a dry run met
  std::string rule;     // of the same
  std::string message;  // of the same
  std::uint32_t count = 1;
  bool has_payload = false;
  bool payload_gone = false;  // it had one, which is erased or compacted
};

struct MemoryHistory {
  std::vector<VersionInfo> versions;  // oldest first
  std::vector<LogLine> entries;       // oldest first
};

struct LogQuery {
  std::optional<Uuid> memory;
  std::optional<Uuid> principal;
  std::optional<fb::Event> event;
  std::optional<Micros> from;  // half-open
  std::optional<Micros> until;
  std::size_t limit = 100;
  Seq before = 0;  // only entries below this seq; 0 for no bound
};

struct LogPage {
  std::vector<LogLine> entries;  // newest first
  Seq next_before = 0;           // for the next page; 0 after the last
};

class ReadView {
 public:
  struct Source {
    const Store* store = nullptr;  // all must outlive the view
    const Secret* secret = nullptr;
    SpaceId space = kMainSpace;
    Principal principal;
    Micros as_of = 0;      // at most the watermark
    Seq head_seq = 0;      // the last entry at or before the watermark
    Micros watermark = 0;  // of the same moment
    Micros valid_at = 0;
  };
  explicit ReadView(Source source);

  Micros as_of() const { return in_.as_of; }
  // The last entry at or before as_of. Cost: nothing at the watermark, else O(log n) entry reads.
  Result<Seq> AsOfSeq() const;
  Micros valid_at() const { return in_.valid_at; }
  const Principal& principal() const { return in_.principal; }
  SpaceId space() const { return in_.space; }
  const Secret& secret() const { return *in_.secret; }
  // The records as of the view's time, and as they are.
  const StateReader& then() const { return then_; }
  const StateReader& now() const { return now_; }

  // Any UUID form or unambiguous prefix. kAmbiguous lists the candidates.
  Result<Uuid> Resolve(std::string_view id_or_prefix, std::string_view field) const;

  // kNotFound when the caller may not see it, kErased naming the entry once it is erased.
  Result<Memory> Get(const Uuid& id) const;
  Result<Memory> GetVersion(const Uuid& id, std::uint32_t version) const;
  Result<MemoryPage> List(const ListFilter& filter, std::size_t limit,
                          std::string_view cursor) const;
  Result<MemoryHistory> History(const Uuid& id) const;
  // Reviewers, auditors and operators; kForbidden otherwise.
  Result<LogPage> QueryLog(const LogQuery& query) const;

  // Whether the caller may see a memory with this record at the view's time. For indexes.
  Result<bool> MaySee(const Uuid& id) const;
  // The node numbers of a scope; nullopt when it does not exist. An absent `scope` is the
  // caller's own; one outside it is refused with kForbidden.
  Result<std::optional<fb::ScopeRef>> ResolveScope(const std::optional<ScopePath>& scope) const;
  Result<ScopePath> NameScope(const fb::ScopeRef& scope) const;

  // The counts behind the table of contents: memories that default reads show, by container path,
  // theme and type.
  struct Contents {
    std::uint64_t memories = 0;
    std::vector<std::pair<std::string, std::uint64_t>> containers;
    std::vector<std::pair<std::string, std::uint64_t>> themes;
    std::vector<std::pair<std::string, std::uint64_t>> types;
  };
  Result<Contents> TableOfContents() const;
  // The same by where memories lie.
  struct Place {
    fb::ScopeRef scope;
    Seq store = 0;
    std::uint64_t memories = 0;
  };
  Result<std::vector<Place>> Places() const;

 private:
  struct Visible;
  Result<std::optional<fb::MemoryRecordT>> RecordThen(const Uuid& id) const;
  Result<fb::MemoryRecordT> Visibly(const Uuid& id) const;
  Result<bool> Allowed(const fb::MemoryRecordT& then, const fb::MemoryRecordT& now) const;
  Result<bool> InOwnScope(const fb::Entry& entry) const;
  Result<Memory> Load(const Uuid& id, fb::MemoryRecordT record, bool with_text) const;

  Source in_;
  StoreView then_;
  StoreView now_;
};

}  // namespace perdure
