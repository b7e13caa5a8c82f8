#include "engine/apply/erase.h"

#include "engine/apply/fact_fold.h"
#include "engine/apply/memory_fold.h"
#include "engine/log/entry.h"
#include "engine/model/fact_keys.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

// The row that answers the same idempotency key again, unless a later write has it.
Status DeleteAnswerRow(const fb::Entry& past, const fb::Payload& payload, const Secret& secret,
                       Overlay& state) {
  if (!payload.idempotency_key()) return {};
  const ValueKey key = IdempotencyKey(secret, payload.idempotency_key()->string_view());
  const std::string row = tables::Idempotency(past.space(), FromId(*past.principal()), key);
  ASSIGN_OR_RETURN(const auto value, state.Get(Family::kRows, row));
  if (value && ReadBigEndian(std::string_view(*value).substr(0, 8)) == past.seq()) {
    state.Delete(Family::kRows, row, 0);
  }
  return {};
}

// The bytes are still in the files.
void AwaitReceipt(const fb::Entry& entry, const Uuid& memory, Overlay& state) {
  fb::ErasureRecordT pending;
  pending.record_time = entry.record_time();
  pending.memory = ToId(memory);
  state.Put(Family::kState, tables::Erasure(entry.space(), entry.seq()), Pack(pending),
            entry.record_time());
}

}  // namespace

Status DeleteRowsOf(const fb::Entry& past, const fb::Payload& payload, const Uuid& id,
                    const Secret& secret, Overlay& state) {
  const SpaceId space = past.space();
  for (const ValueKey& label : LabelKeys(secret, payload)) {
    state.Delete(Family::kRows, tables::Value(space, label, id, past.seq()), 0);
  }
  for (const ValueKey& evidence : EvidenceKeys(secret, payload, EvidenceTimeOf(past))) {
    state.Delete(Family::kRows, tables::Value(space, evidence, id, past.seq()), 0);
  }
  if (payload.pass()) {
    const ValueKey pass = PassKey(secret, payload.pass()->string_view());
    state.Delete(Family::kRows, tables::Scored(space, pass, id), 0);
  }
  return DeleteAnswerRow(past, payload, secret, state);
}

Result<std::vector<Seq>> PayloadsOf(const StateReader& reader, SpaceId space, const Uuid& id) {
  ASSIGN_OR_RETURN(const std::vector<Seq> seqs, HistorySeqs(reader, space, id));
  std::vector<Seq> with_payload;
  for (Seq seq : seqs) {
    ASSIGN_OR_RETURN(const Entry entry, ReadEntry(reader, space, seq));
    if (entry->payload_digest()) with_payload.push_back(seq);
  }
  return with_payload;
}

Status EraseRows(const fb::Entry& entry, const Secret& secret, Overlay& state) {
  const SpaceId space = entry.space();
  const Uuid id = FromId(*MemoryOf(entry));
  ASSIGN_OR_RETURN(const std::vector<Seq> seqs, HistorySeqs(state, space, id));
  std::optional<fb::MemoryRecordT> record;
  std::vector<std::string> payload_rows;
  for (Seq seq : seqs) {
    ASSIGN_OR_RETURN(const Entry past, ReadEntry(state, space, seq));
    if (TouchesRecord(*past)) record = FoldRecord(*past, std::move(record));
    if (past->event_type() == fb::Event::SymmetryChanged) {
      RETURN_IF_ERROR(DeleteFactRows(space, id, *record, secret, state));
    }
    if (VersionMadeBy(*past) != 0) {
      RETURN_IF_ERROR(DeleteFactRows(space, id, *record, secret, state));
      ASSIGN_OR_RETURN(const auto content, ContentKeyOf(state, space, *record, secret));
      if (content) {
        state.Delete(Family::kRows, tables::Value(space, *content, id, record->version), 0);
      }
    }
    ASSIGN_OR_RETURN(const auto payload, ReadPayload(state, space, seq));
    if (!payload) continue;
    RETURN_IF_ERROR(DeleteRowsOf(*past, **payload, id, secret, state));
    payload_rows.push_back(tables::PayloadOf(space, seq));
  }
  for (std::string& row : payload_rows) state.Delete(Family::kPayload, std::move(row), 0);
  AwaitReceipt(entry, id, state);
  return {};
}

Status EraseSuppression(const fb::Entry& entry, const fb::SuppressionErased& event,
                        const Secret& secret, Overlay& state) {
  const SpaceId space = entry.space();
  ASSIGN_OR_RETURN(const Entry past, ReadEntry(state, space, event.suppression()));
  ASSIGN_OR_RETURN(const auto payload, ReadPayload(state, space, event.suppression()));
  if (payload) {
    RETURN_IF_ERROR(DeleteAnswerRow(*past, **payload, secret, state));
    state.Delete(Family::kPayload, tables::PayloadOf(space, event.suppression()), 0);
  }
  AwaitReceipt(entry, {}, state);
  return {};
}

}  // namespace perdure
