#include "engine/decide/derived.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>

#include "engine/apply/memory_fold.h"
#include "engine/base/limits.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rest.h"
#include "engine/decide/rules.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

Result<std::vector<Uuid>> MadeFrom(const Transaction& txn, const Uuid& source) {
  std::vector<Uuid> made;
  const std::string prefix = tables::DerivedPrefix(txn.space(), source);
  RETURN_IF_ERROR(txn.state().Scan(Family::kState, prefix, PrefixEnd(prefix),
                                   [&](std::string_view key, std::string_view) {
                                     made.push_back(*UuidFromBytes(key.substr(prefix.size())));
                                     return true;
                                   }));
  return made;
}

std::unexpected<Error> TooMany() {
  return Refuse(Rule::kTooMany,
                fmt::format("More than {} memories were made from this one: erase or forget them "
                            "in parts first.",
                            limits::kRollbackMemoriesMax),
                "id");
}

// Whether the memory falls with this source.
bool Depends(const fb::MemoryRecordT& record, const Uuid& source) {
  const auto is_source = [&](const fb::Id& id) { return FromId(id) == source; };
  if (std::ranges::any_of(record.derived_from, is_source)) return true;
  return record.frequency <= 1 && record.trust != fb::Trust::verified;
}

}  // namespace

Result<std::vector<Uuid>> DerivedFrom(const Transaction& txn, const Uuid& source) {
  std::set<Uuid> seen = {source};
  std::vector<Uuid> derived;
  for (std::deque<Uuid> next = {source}; !next.empty(); next.pop_front()) {
    ASSIGN_OR_RETURN(const std::vector<Uuid> made, MadeFrom(txn, next.front()));
    for (const Uuid& id : made) {
      if (!seen.insert(id).second) continue;
      if (derived.size() == limits::kRollbackMemoriesMax) return TooMany();
      derived.push_back(id);
      next.push_back(id);
    }
  }
  return derived;
}

Status DisputeDerived(Transaction& txn, const Uuid& source) {
  std::size_t disputed = 0;
  for (std::deque<Uuid> gone = {source}; !gone.empty(); gone.pop_front()) {
    ASSIGN_OR_RETURN(const std::vector<Uuid> made, MadeFrom(txn, gone.front()));
    for (const Uuid& id : made) {
      ASSIGN_OR_RETURN(const auto record, ReadMemory(txn.state(), txn.space(), id));
      if (!record || record->state != fb::MemoryState::live) continue;
      if (!Depends(*record, gone.front())) continue;
      ASSIGN_OR_RETURN(const bool is_rest, IsRestOf(txn, *record, gone.front()));
      if (is_rest) continue;
      if (++disputed > limits::kRollbackMemoriesMax) return TooMany();
      fb::MemoryDisputedT event;
      event.memory = ToId(id);
      event.version = record->version;
      event.dispute = fb::Dispute::source_gone;
      event.by = ToId(gone.front());
      ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                       txn.Append(MakeEvent(std::move(event)), {}, {.with_reason = false}));
      gone.push_back(id);
    }
  }
  return {};
}

Result<std::vector<fb::Id>> SourcesOf(const Transaction& txn, const std::vector<Uuid>& sources) {
  if (sources.size() > limits::kSourcesMax) {
    return Refuse(Rule::kTooMany,
                  fmt::format("A memory is made from at most {} others; this one names {}.",
                              limits::kSourcesMax, sources.size()),
                  "derived_from");
  }
  std::vector<fb::Id> ids;
  for (const Uuid& source : sources) {
    ASSIGN_OR_RETURN(const auto record, FindMemory(txn, source));
    if (record.state != fb::MemoryState::live && record.state != fb::MemoryState::archived) {
      return Refuse(Rule::kState,
                    fmt::format("Nothing can be made from memory {}, which is {}.",
                                ToString(source), fb::EnumNameMemoryState(record.state)),
                    "derived_from");
    }
    ids.push_back(ToId(source));
  }
  return ids;
}

}  // namespace perdure
