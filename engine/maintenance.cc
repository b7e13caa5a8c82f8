// Erasure and compaction: the commands whose effect reaches beyond the log into the files.
#include <fmt/format.h>

#include "engine/engine.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

// The erasures of `space` without a receipt: the seq of each and its memory.
Result<std::vector<std::pair<Seq, Uuid>>> PendingErasures(const StateReader& reader,
                                                          SpaceId space) {
  std::vector<std::pair<Seq, Uuid>> pending;
  const std::string prefix = tables::ErasurePrefix(space);
  Status malformed;
  RETURN_IF_ERROR(reader.Scan(
      Family::kState, prefix, PrefixEnd(prefix), [&](std::string_view key, std::string_view value) {
        const auto record = Unpack<fb::ErasureRecordT>(value);
        if (!record) malformed = std::unexpected(record.error());
        if (record && record->receipt_seq == 0) {
          pending.emplace_back(ReadBigEndian(key.substr(prefix.size())), FromId(record->memory));
        }
        return malformed.has_value();
      }));
  RETURN_IF_ERROR(malformed);
  return pending;
}

Result<std::vector<Seq>> CoveredBy(const StateReader& reader, SpaceId space, Seq erasure) {
  ASSIGN_OR_RETURN(const Entry entry, ReadEntry(reader, space, erasure));
  std::vector<Seq> covered;
  if (const auto* event = entry->event_as_MemoryErased(); event && event->covered()) {
    covered.assign(event->covered()->begin(), event->covered()->end());
  }
  return covered;
}

}  // namespace

void Engine::SetIndexEraser(IndexEraser eraser) { eraser_ = std::move(eraser); }

Status Engine::ResumeErasures() {
  for (const SpaceInfo& space : Spaces()) {
    ASSIGN_OR_RETURN(const auto done, FinishErasures(space.id));
    static_cast<void>(done);
  }
  return {};
}

// Makes the bytes of every erasure without a receipt leave the files, then writes the receipts.
Result<std::vector<Seq>> Engine::FinishErasures(SpaceId space) {
  const std::lock_guard lock(erasure_mutex_);
  ASSIGN_OR_RETURN(const auto pending, PendingErasures(latest_, space));
  std::vector<Seq> receipts;
  if (pending.empty()) return receipts;
  std::vector<Store::Range> ranges;
  std::vector<Uuid> memories;
  std::vector<std::uint32_t> counts;
  for (const auto& [seq, memory] : pending) {
    ASSIGN_OR_RETURN(const std::vector<Seq> covered, CoveredBy(latest_, space, seq));
    for (Seq payload : covered) {
      ranges.push_back({Family::kPayload, tables::PayloadOf(space, payload),
                        tables::PayloadOf(space, payload + 1)});
    }
    counts.push_back(static_cast<std::uint32_t>(covered.size()));
    memories.push_back(memory);
  }
  // Keyed hashes of what was erased sit anywhere among the rows, which are small.
  for (const std::uint8_t table : {std::uint8_t{1}, std::uint8_t{4}}) {
    const std::string prefix = Key().U8(table).U32(space).Take();
    ranges.push_back({Family::kRows, prefix, PrefixEnd(prefix)});
  }
  RETURN_IF_ERROR(store_->Purge(ranges));
  std::uint64_t generation = 0;
  if (eraser_) {
    ASSIGN_OR_RETURN(generation, eraser_(space, memories));
  }
  Principal self = BootstrapPrincipal();
  self.space = space;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    ASSIGN_OR_RETURN(const WriteOutcome receipt,
                     Write(self, CompleteErasure{pending[i].first, counts[i], generation}, {}));
    receipts.push_back(receipt.seq);
  }
  return receipts;
}

Result<Engine::Erasure> Engine::Erase(const Principal& principal, EraseMemories command,
                                      WriteOptions options) {
  Erasure erasure;
  const SpaceId space = principal.space;
  ASSIGN_OR_RETURN(erasure.outcome, Write(principal, std::move(command), std::move(options)));
  if (erasure.outcome.dry_run) return erasure;
  RETURN_IF_ERROR(FinishErasures(space));
  for (Seq seq = erasure.outcome.first_seq; seq <= erasure.outcome.seq; ++seq) {
    ASSIGN_OR_RETURN(const auto covered, CoveredBy(latest_, space, seq));
    erasure.payloads += static_cast<std::uint32_t>(covered.size());
    ASSIGN_OR_RETURN(const auto bytes, latest_.Get(Family::kState, tables::Erasure(space, seq)));
    if (!bytes) continue;
    ASSIGN_OR_RETURN(const auto record, Unpack<fb::ErasureRecordT>(*bytes));
    erasure.receipts.push_back(record.receipt_seq);
  }
  return erasure;
}

Result<WriteOutcome> Engine::Compact(const Principal& principal, CompactHistory command,
                                     WriteOptions options) {
  if (command.payloads) {
    return Fail(Code::kInvalidArgument,
                "Dropping the payloads of superseded versions is not offered yet; leave `payloads` "
                "out to trim the history of the records.",
                "payloads");
  }
  const Micros before = command.before;
  ASSIGN_OR_RETURN(WriteOutcome outcome, Write(principal, command, std::move(options)));
  if (!outcome.dry_run) RETURN_IF_ERROR(store_->TrimHistory(before));
  return outcome;
}

}  // namespace perdure
