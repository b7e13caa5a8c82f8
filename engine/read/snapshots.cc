#include "engine/read/snapshots.h"

#include <optional>
#include <utility>

#include "engine/model/scope.h"
#include "engine/model/tables.h"
#include "schema/records_generated.h"

namespace perdure {
namespace {

// The scope of a token; nullopt when it is no token of this space, or its texts are gone.
Result<std::optional<ScopePath>> ScopeOfToken(const StateReader& reader, SpaceId space,
                                              const Uuid& token) {
  ASSIGN_OR_RETURN(const auto bytes, reader.Get(Family::kState, tables::Token(token)));
  if (!bytes) return std::nullopt;
  ASSIGN_OR_RETURN(const auto record, Unpack<fb::TokenRecordT>(*bytes));
  if (record.space != space) return std::nullopt;
  ASSIGN_OR_RETURN(const auto payload, ReadPayload(reader, kSystemSpace, record.label_seq));
  if (!payload) return std::nullopt;
  const auto* scope = (*payload)->scope();
  if (scope == nullptr) return ScopePath{};
  ASSIGN_OR_RETURN(ScopePath path, ParseScope(scope->string_view(), "scope"));
  return path;
}

}  // namespace

Result<bool> KnowsSnapshot(const StateReader& reader, const Principal& principal, Seq seq) {
  if (principal.scope.empty()) return true;
  ASSIGN_OR_RETURN(const Entry entry, ReadEntry(reader, principal.space, seq));
  const Uuid namer = FromId(*entry->principal());
  if (namer == principal.id) return true;
  ASSIGN_OR_RETURN(const auto scope, ScopeOfToken(reader, principal.space, namer));
  return scope && IsWithin(*scope, principal.scope);
}

Result<std::vector<Snapshot>> ReadSnapshots(const StateReader& reader, const Principal& principal) {
  const std::string prefix = tables::SnapshotPrefix(principal.space);
  std::vector<std::pair<Seq, std::string>> rows;
  RETURN_IF_ERROR(reader.Scan(Family::kState, prefix, PrefixEnd(prefix),
                              [&](std::string_view key, std::string_view value) {
                                rows.emplace_back(ReadBigEndian(key.substr(prefix.size())), value);
                                return true;
                              }));
  std::vector<Snapshot> snapshots;
  for (const auto& [seq, bytes] : rows) {
    ASSIGN_OR_RETURN(const bool is_known, KnowsSnapshot(reader, principal, seq));
    if (!is_known) continue;
    ASSIGN_OR_RETURN(const auto record, Unpack<fb::SnapshotRecordT>(bytes));
    ASSIGN_OR_RETURN(const auto payload, ReadPayload(reader, principal.space, seq));
    const auto* name = payload ? (*payload)->name() : nullptr;
    snapshots.push_back({seq, name ? name->str() : std::string(), record.at, record.record_time});
  }
  return snapshots;
}

}  // namespace perdure
