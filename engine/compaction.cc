// Compaction: history goes below a horizon, and on request the payloads that only it needed. Each
// step can be done again, so a crash between two of them costs nothing but time.
#include <fmt/format.h>

#include <algorithm>

#include "engine/apply/compact.h"
#include "engine/base/limits.h"
#include "engine/engine.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

// The memories of `space` that have more than one version of at most the time `before`. Reads the
// whole history of the space.
Result<std::vector<Uuid>> WithSuperseded(const StateReader& reader, SpaceId space, Micros before) {
  const std::string prefix = Key().U8(2).U32(space).Take();  // HistoryRecord of tables.h
  std::vector<Uuid> memories;
  std::string memory;
  int versions = 0;
  Status malformed;
  RETURN_IF_ERROR(reader.Scan(Family::kState, prefix, PrefixEnd(prefix),
                              [&](std::string_view key, std::string_view value) {
                                const auto record = Unpack<fb::HistoryRecordT>(value);
                                if (!record) malformed = std::unexpected(record.error());
                                if (!record) return false;
                                const std::string_view id = key.substr(prefix.size(), 16);
                                if (id != memory) versions = 0;
                                memory = id;
                                if (record->version == 0 || record->record_time > before)
                                  return true;
                                if (++versions == 2) memories.push_back(*UuidFromBytes(id));
                                return true;
                              }));
  RETURN_IF_ERROR(malformed);
  return memories;
}

// The horizon up to which payloads are to go (in the space system) or are gone; kTimeMin for none.
Result<Micros> CompactedTo(const StateReader& reader, SpaceId space) {
  ASSIGN_OR_RETURN(const auto bytes, reader.Get(Family::kState, tables::Compaction(space)));
  if (!bytes) return kTimeMin;
  ASSIGN_OR_RETURN(const auto record, Unpack<fb::CompactionRecordT>(*bytes));
  return record.before;
}

Result<bool> BeganBefore(const StateReader& reader, SpaceId space, Micros time) {
  const auto first = ReadEntry(reader, space, 1);
  if (!first && first.error().code == Code::kNotFound) return false;
  if (!first) return std::unexpected(first.error());
  return (**first).record_time() < time;
}

}  // namespace

Result<Engine::Droppable> Engine::PayloadsBefore(Micros before) const {
  Droppable droppable;
  for (const SpaceInfo& space : Spaces()) {
    ASSIGN_OR_RETURN(const auto memories, WithSuperseded(latest_, space.id, before));
    for (const Uuid& id : memories) {
      ASSIGN_OR_RETURN(const auto seqs, SupersededPayloads(latest_, space.id, id, before));
      for (const Seq seq : seqs) {
        ASSIGN_OR_RETURN(const auto row,
                         latest_.Get(Family::kPayload, tables::PayloadOf(space.id, seq)));
        if (!row) continue;
        ++droppable.payloads;
        droppable.bytes += row->size();
      }
    }
  }
  return droppable;
}

Result<WriteOutcome> Engine::Compact(const Principal& principal, CompactHistory command,
                                     WriteOptions options) {
  ASSIGN_OR_RETURN(WriteOutcome outcome, Write(principal, command, std::move(options)));
  if (!outcome.dry_run) RETURN_IF_ERROR(FinishCompaction());
  return outcome;
}

Status Engine::FinishCompaction() {
  const MutexLock lock(erasure_mutex_);
  const Micros horizon = Horizon();
  RETURN_IF_ERROR(TrimTo(horizon));
  ASSIGN_OR_RETURN(const Micros before, CompactedTo(latest_, kSystemSpace));
  if (before == kTimeMin) return {};
  for (const SpaceInfo& space : Spaces()) {
    if (space.id == kSystemSpace) continue;
    ASSIGN_OR_RETURN(const Micros done, CompactedTo(latest_, space.id));
    ASSIGN_OR_RETURN(const bool is_touched, BeganBefore(latest_, space.id, before));
    if (done < before && is_touched) RETURN_IF_ERROR(DropSuperseded(space.id, before));
  }
  return {};
}

Status Engine::TrimTo(Micros horizon) {
  if (horizon == kTimeMin) return {};
  const std::string value = Key().U64(static_cast<std::uint64_t>(horizon)).Take();
  ASSIGN_OR_RETURN(const auto trimmed, latest_.Get(Family::kMeta, tables::Trimmed()));
  if (trimmed && *trimmed == value) return {};
  RETURN_IF_ERROR(store_->TrimHistory(horizon));
  const Mutation done{Family::kMeta, tables::Trimmed(), value, 0};
  return store_->Write({&done, 1}, true);
}

Status Engine::DropSuperseded(SpaceId space, Micros before) {
  Principal self = BootstrapPrincipal();
  self.space = space;
  ASSIGN_OR_RETURN(const auto memories, WithSuperseded(latest_, space, before));
  constexpr std::size_t kPart = limits::kDropMemoriesMax;
  for (std::size_t from = 0; from < memories.size(); from += kPart) {
    DropPayloads part{.before = before};
    const std::size_t until = std::min(memories.size(), from + kPart);
    part.memories.assign(memories.begin() + static_cast<std::ptrdiff_t>(from),
                         memories.begin() + static_cast<std::ptrdiff_t>(until));
    RETURN_IF_ERROR(Write(self, std::move(part), {}));
  }
  const std::string prefix = Key().U32(space).Take();
  std::vector<Store::Range> ranges = {{Family::kPayload, prefix, PrefixEnd(prefix)}};
  AddRowsOfTexts(space, ranges);
  RETURN_IF_ERROR(store_->Purge(ranges));
  RETURN_IF_ERROR(Write(self, DropPayloads{before, {}, true}, {}));
  return {};
}

}  // namespace perdure
