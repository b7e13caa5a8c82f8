#include "engine/apply/apply.h"

#include <fmt/format.h>

#include "engine/apply/compact.h"
#include "engine/apply/erase.h"
#include "engine/apply/governance_fold.h"
#include "engine/apply/link_fold.h"
#include "engine/apply/memory_fold.h"
#include "engine/apply/place_fold.h"
#include "engine/base/check.h"
#include "engine/log/entry.h"
#include "engine/model/labels.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

void FoldSpace(const fb::Entry& entry, const fb::SpaceCreated& event, Overlay& state) {
  fb::SpaceRecordT record;
  record.record_time = entry.record_time();
  record.label_seq = entry.seq();
  state.Put(Family::kState, tables::Space(event.space()), Pack(record), entry.record_time());
}

void FoldTokenIssued(const fb::Entry& entry, const fb::TokenIssued& event, Overlay& state) {
  fb::TokenRecordT record;
  record.record_time = entry.record_time();
  record.secret_digest = *event.secret_digest();
  record.space = event.space();
  record.roles = event.roles();
  record.expires_at = event.expires_at();
  record.label_seq = entry.seq();
  state.Put(Family::kState, tables::Token(FromId(*event.token())), Pack(record),
            entry.record_time());
}

Status FoldTokenRevoked(const fb::Entry& entry, const fb::TokenRevoked& event, Overlay& state) {
  const std::string key = tables::Token(FromId(*event.token()));
  ASSIGN_OR_RETURN(auto bytes, state.Get(Family::kState, key));
  if (!bytes) return Fail(Code::kCorrupt, "The log revokes a token that it never issued.");
  ASSIGN_OR_RETURN(auto record, Unpack<fb::TokenRecordT>(*bytes));
  record.record_time = entry.record_time();
  record.revoked_at = entry.record_time();
  state.Put(Family::kState, key, Pack(record), entry.record_time());
  return {};
}

void FoldSnapshot(const fb::Entry& entry, const fb::SnapshotNamed& event,
                  const fb::Payload* payload, const Secret& secret, Overlay& state) {
  fb::SnapshotRecordT record;
  record.record_time = entry.record_time();
  record.at = event.at();
  record.at_seq = event.at_seq();
  state.Put(Family::kState, tables::Snapshot(entry.space(), entry.seq()), Pack(record),
            entry.record_time());
  if (payload && payload->name()) {
    const ValueKey name = LabelKey(secret, "snapshot", payload->name()->string_view());
    state.Put(Family::kRows, tables::SnapshotName(entry.space(), name),
              Key().U64(entry.seq()).Take(), 0);
  }
}

Status FoldReceipt(const fb::Entry& entry, Overlay& state) {
  const std::string key = tables::Erasure(entry.space(), entry.cause());
  ASSIGN_OR_RETURN(auto bytes, state.Get(Family::kState, key));
  if (!bytes) return Fail(Code::kCorrupt, "The log has a receipt of an erasure it does not have.");
  ASSIGN_OR_RETURN(auto record, Unpack<fb::ErasureRecordT>(*bytes));
  record.record_time = entry.record_time();
  record.receipt_seq = entry.seq();
  state.Put(Family::kState, key, Pack(record), entry.record_time());
  return {};
}

void FoldCompacted(const fb::Entry& entry, const fb::HistoryCompacted& event, Overlay& state) {
  state.Put(Family::kMeta, tables::Horizon(),
            Key().U64(static_cast<std::uint64_t>(event.before())).Take(), 0);
  if (!event.payloads()) return;
  fb::CompactionRecordT record;
  record.record_time = entry.record_time();
  record.before = event.before();
  state.Put(Family::kState, tables::Compaction(entry.space()), Pack(record), entry.record_time());
}

void FoldIdempotency(const fb::Entry& entry, const fb::Payload& payload, const Secret& secret,
                     Overlay& state) {
  if (!payload.idempotency_key()) return;  // nor has a refused command, see its entry's payload
  state.Put(Family::kRows,
            tables::Idempotency(entry.space(), FromId(*entry.principal()),
                                IdempotencyKey(secret, payload.idempotency_key()->string_view())),
            Key().U64(entry.seq()).Bytes(AsBytes(RequestKey(secret, payload))).Take(), 0);
}

// An entry about one memory: its record, its rows, and its place in the memory's history. A refused
// write, a dry run or a rollback may name no memory, or one that does not exist.
Status FoldAboutMemory(const fb::Entry& entry, const fb::Payload* payload, const Secret& secret,
                       Overlay& state) {
  const fb::Id* memory = MemoryOf(entry);
  if (!TouchesRecord(entry) && entry.event_type() != fb::Event::MemorySeenAgain) {
    if (!memory) return {};
    ASSIGN_OR_RETURN(const auto known, ReadMemory(state, entry.space(), FromId(*memory)));
    if (!known) return {};
  } else {
    PERDURE_CHECK(memory != nullptr);
    RETURN_IF_ERROR(FoldMemory(entry, payload, secret, state));
  }
  if (entry.event_type() == fb::Event::MemoryErased) {
    RETURN_IF_ERROR(EraseLinks(entry, secret, state));
    RETURN_IF_ERROR(EraseRows(entry, secret, state));
  }
  fb::HistoryRecordT history;
  history.record_time = entry.record_time();
  history.event = static_cast<std::uint8_t>(entry.event_type());
  history.version = VersionMadeBy(entry);
  state.Put(Family::kState, tables::History(entry.space(), FromId(*memory), entry.seq()),
            Pack(history), entry.record_time());
  return {};
}

}  // namespace

Status Apply(const fb::Entry& entry, const fb::Payload* payload, const Secret& secret,
             Overlay& state) {
  if (payload) FoldIdempotency(entry, *payload, secret, state);
  switch (entry.event_type()) {
    case fb::Event::SpaceCreated:
      FoldSpace(entry, *entry.event_as_SpaceCreated(), state);
      return {};
    case fb::Event::TokenIssued:
      FoldTokenIssued(entry, *entry.event_as_TokenIssued(), state);
      return {};
    case fb::Event::TokenRevoked:
      return FoldTokenRevoked(entry, *entry.event_as_TokenRevoked(), state);
    case fb::Event::ScopeNodeCreated:
      FoldScopeNode(entry, *entry.event_as_ScopeNodeCreated(), payload, secret, state);
      return {};
    case fb::Event::SnapshotNamed:
      FoldSnapshot(entry, *entry.event_as_SnapshotNamed(), payload, secret, state);
      return {};
    case fb::Event::ErasureCompleted:
      return FoldReceipt(entry, state);
    case fb::Event::HistoryCompacted:
      FoldCompacted(entry, *entry.event_as_HistoryCompacted(), state);
      return {};
    case fb::Event::PayloadsCompacted:
      return DropRows(entry, secret, state);
    case fb::Event::PredicateDeclared:
      FoldPredicate(entry, payload, secret, state);
      return {};
    case fb::Event::PolicySet:
      FoldPolicy(entry, state);
      return {};
    case fb::Event::LogRestored:
      FoldBranch(entry, *entry.event_as_LogRestored(), state);
      return {};
    case fb::Event::SuppressionLifted:
      return FoldLifted(entry, *entry.event_as_SuppressionLifted(), state);
    case fb::Event::SuppressionErased:
      return EraseSuppression(entry, *entry.event_as_SuppressionErased(), secret, state);
    case fb::Event::RefusalDismissed:
      FoldDismissed(entry, *entry.event_as_RefusalDismissed(), state);
      return {};
    case fb::Event::ValueSuppressed:
      RETURN_IF_ERROR(FoldSuppressed(entry, *entry.event_as_ValueSuppressed(), state));
      return FoldAboutMemory(entry, payload, secret, state);
    case fb::Event::WriteRefused:
      RETURN_IF_ERROR(FoldRefused(entry, *entry.event_as_WriteRefused(), state));
      return FoldAboutMemory(entry, payload, secret, state);
    case fb::Event::LinkAdded:
      FoldLinked(entry, *entry.event_as_LinkAdded(), payload, secret, state);
      return FoldAboutMemory(entry, payload, secret, state);
    case fb::Event::LinkRemoved:
      RETURN_IF_ERROR(FoldUnlinked(entry, *entry.event_as_LinkRemoved(), secret, state));
      return FoldAboutMemory(entry, payload, secret, state);
    case fb::Event::ContainerDescribed:
    case fb::Event::ContainerMoved:
    case fb::Event::ContainerDeleted:
    case fb::Event::ContainerRestored:
      return FoldContainer(entry, payload, secret, state);
    case fb::Event::SourceAdded:
      return FoldSourceAdded(entry, *entry.event_as_SourceAdded(), state);
    case fb::Event::SourceRemoved:
      return FoldSourceRemoved(entry, *entry.event_as_SourceRemoved(), state);
    default:
      return FoldAboutMemory(entry, payload, secret, state);
  }
}

}  // namespace perdure
