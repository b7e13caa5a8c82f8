#include "engine/apply/memory_fold.h"

#include <fmt/format.h>

#include "engine/apply/fact_fold.h"
#include "engine/apply/governance_fold.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

std::string_view TextOf(const flatbuffers::String* text) {
  return text ? text->string_view() : std::string_view();
}

using Time = flatbuffers::Optional<std::int64_t>;

Time Later(Time a, Time b) { return !a || (b && *b > *a) ? b : a; }

std::unique_ptr<fb::Id> Copy(const fb::Id* id) {
  return id ? std::make_unique<fb::Id>(*id) : nullptr;
}

// It stands from this entry on.
void Accept(const fb::Entry& entry, fb::MemoryRecordT& record) {
  if (record.kind != fb::MemoryKind::fact) return;
  record.accepted_time = entry.record_time();
  ++record.frequency;
}

fb::MemoryRecordT FirstRecord(const fb::Entry& entry, const fb::MemoryStored& event) {
  fb::MemoryRecordT record;
  record.created_time = entry.record_time();
  record.created_seq = entry.seq();
  record.version = 1;
  record.version_time = entry.record_time();
  record.text_seq = entry.seq();
  record.label_seq = entry.seq();
  record.kind = event.kind();
  record.authorship = event.authorship();
  record.importance = event.importance();
  if (event.scope()) record.scope = *event.scope();
  record.position = event.position();
  record.reference_time = event.reference_time();
  record.valid_from = event.valid_from();
  record.valid_until = event.valid_until();
  record.expires_at = event.expires_at();
  record.confidence = event.confidence();
  record.trust = event.trust();
  record.genre = event.genre();
  record.state = event.state();
  record.because = event.because();
  record.evidence_time = event.evidence_time();
  record.symmetric = event.symmetric();
  record.store = event.store();
  record.memory_class = event.memory_class();
  record.is_record = event.is_record();
  if (event.rival()) record.predecessor = std::make_unique<fb::Id>(*event.rival());
  if (event.derived_from()) {
    for (const fb::Id* source : *event.derived_from()) record.derived_from.push_back(*source);
  }
  if (record.state == fb::MemoryState::live) Accept(entry, record);
  return record;
}

void FoldDescribed(const fb::Entry& entry, const fb::MemoryDescribed& event,
                   fb::MemoryRecordT& record) {
  record.version = event.version();
  record.label_seq = entry.seq();
  if (event.scope()) record.scope = *event.scope();
  record.authorship = event.authorship();
  record.importance = event.importance();
  record.expires_at = event.expires_at();
  record.store = event.store();
  record.memory_class = event.memory_class();
}

void FoldReverted(const fb::MemoryReverted& event, fb::MemoryRecordT& record) {
  record.version = event.version();
  if (record.text_seq != event.text_seq()) record.trust = fb::Trust::inferred;
  record.text_seq = event.text_seq();
  record.label_seq = event.label_seq();
  if (event.scope()) record.scope = *event.scope();
  record.authorship = event.authorship();
  record.importance = event.importance();
  record.expires_at = event.expires_at();
  record.store = event.store();
  record.memory_class = event.memory_class();
  if (event.pinned()) record.pinned = *event.pinned();
  if (!event.state()) return;
  record.state = *event.state();
  if (!event.confidence()) return;  // of a log from before there were facts
  record.confidence = *event.confidence();
  if (event.genre()) record.genre = *event.genre();
  record.shadowed = event.shadowed().value_or(false);
  record.dispute = event.dispute().value_or(fb::Dispute::none);
  record.predecessor = Copy(event.predecessor());
  record.successor = Copy(event.successor());
  record.because = event.because();
  record.valid_from = event.valid_from();
  record.valid_until = event.valid_until();
  record.frequency = event.frequency();
  record.accepted_time = event.accepted_time();
  record.evidence_time = event.evidence_time();
  if (event.trust()) record.trust = *event.trust();
}

void FoldReinforced(const fb::FactReinforced& event, fb::MemoryRecordT& record) {
  record.confidence = event.confidence();
  record.trust = event.trust();
  record.evidence_time = Later(record.evidence_time, event.evidence_time());
  ++record.frequency;
}

void FoldDisputed(const fb::MemoryDisputed& event, fb::MemoryRecordT& record) {
  record.dispute = event.dispute();
  if (event.dispute() == fb::Dispute::source_gone) record.state = fb::MemoryState::disputed;
}

void FoldSuperseded(const fb::MemorySuperseded& event, fb::MemoryRecordT& record) {
  record.state = fb::MemoryState::superseded;
  record.confidence = event.confidence();
  record.successor = Copy(event.by());
  record.shadowed = false;
  record.pinned = false;
  record.dispute = fb::Dispute::none;
}

void FoldApproved(const fb::Entry& entry, const fb::CandidateApproved& event,
                  fb::MemoryRecordT& record) {
  record.state = fb::MemoryState::live;
  record.confidence = event.confidence();
  record.predecessor = Copy(event.rival());
  record.because = 0;
  Accept(entry, record);
}

// The events of facts and review; false for any other.
bool FoldGovernance(const fb::Entry& entry, fb::MemoryRecordT& record) {
  switch (entry.event_type()) {
    case fb::Event::FactReinforced:
      FoldReinforced(*entry.event_as_FactReinforced(), record);
      return true;
    case fb::Event::FactFaded:
      record.confidence = entry.event_as_FactFaded()->confidence();
      record.shadowed = entry.event_as_FactFaded()->shadowed();
      return true;
    case fb::Event::ValidityBounded:
      record.valid_from = entry.event_as_ValidityBounded()->valid_from();
      record.valid_until = entry.event_as_ValidityBounded()->valid_until();
      return true;
    case fb::Event::MemorySuperseded:
      FoldSuperseded(*entry.event_as_MemorySuperseded(), record);
      return true;
    case fb::Event::MemoryDisputed:
      FoldDisputed(*entry.event_as_MemoryDisputed(), record);
      return true;
    case fb::Event::DisputeSettled:
      record.dispute = fb::Dispute::none;
      return true;
    case fb::Event::CandidateApproved:
      FoldApproved(entry, *entry.event_as_CandidateApproved(), record);
      return true;
    case fb::Event::CandidateRejected:
      record.state = fb::MemoryState::rejected;
      return true;
    case fb::Event::MemoryVerified:
      record.trust = fb::Trust::verified;
      record.evidence_time =
          Later(record.evidence_time, entry.event_as_MemoryVerified()->evidence_time());
      return true;
    case fb::Event::MemoryScored:
      record.importance = entry.event_as_MemoryScored()->importance();
      record.confidence = entry.event_as_MemoryScored()->confidence();
      return true;
    case fb::Event::MemoryMerged:
      record.state = fb::MemoryState::superseded;
      record.successor = Copy(entry.event_as_MemoryMerged()->into());
      record.pinned = false;
      record.shadowed = false;
      return true;
    case fb::Event::GenreChanged:
      record.genre = entry.event_as_GenreChanged()->genre();
      return true;
    case fb::Event::SymmetryChanged:
      record.symmetric = entry.event_as_SymmetryChanged()->symmetric();
      return true;
    default:
      return false;
  }
}

void FoldEvent(const fb::Entry& entry, fb::MemoryRecordT& record) {
  if (FoldGovernance(entry, record)) return;
  switch (entry.event_type()) {
    case fb::Event::MemoryRevised:
      record.version = entry.event_as_MemoryRevised()->version();
      record.text_seq = entry.seq();
      record.trust = fb::Trust::inferred;  // nobody vouched for the new text
      break;
    case fb::Event::MemoryDescribed:
      FoldDescribed(entry, *entry.event_as_MemoryDescribed(), record);
      break;
    case fb::Event::MemoryReverted:
      FoldReverted(*entry.event_as_MemoryReverted(), record);
      break;
    case fb::Event::MemoryMoved:
      record.version = entry.event_as_MemoryMoved()->version();
      record.scope = *entry.event_as_MemoryMoved()->scope();
      break;
    case fb::Event::MemoryPinned:
      record.pinned = true;
      break;
    case fb::Event::MemoryUnpinned:
      record.pinned = false;
      break;
    case fb::Event::MemoryArchived:
      record.state = fb::MemoryState::archived;
      break;
    case fb::Event::MemoryRestored:
      record.state = fb::MemoryState::live;
      record.shadowed = false;
      if (record.dispute == fb::Dispute::source_gone) record.dispute = fb::Dispute::none;
      break;
    case fb::Event::MemoryForgotten:
      record.state = fb::MemoryState::forgotten;
      break;
    case fb::Event::MemoryErased:
      record.state = fb::MemoryState::erased;
      record.erased_seq = entry.seq();
      record.dispute = fb::Dispute::none;
      break;
    default:
      break;
  }
}

ValueKey ContentKeyIn(const fb::MemoryRecordT& record, const fb::Payload& text,
                      const fb::Payload& label, const Secret& secret) {
  return ContentKey(secret, {.title = TextOf(label.title()),
                             .text = TextOf(text.text()),
                             .conversation = TextOf(label.conversation()),
                             .position = ToStd(record.position),
                             .reference_time = ToStd(record.reference_time),
                             .scope = record.scope,
                             .store = record.store});
}

// Writes the rows that find this version by its content, and its labels when they are new.
Status IndexVersion(const fb::Entry& entry, const fb::Payload* payload, const Secret& secret,
                    const fb::MemoryRecordT& record, Overlay& state) {
  const SpaceId space = entry.space();
  const Uuid id = FromId(*MemoryOf(entry));
  const bool all_in_payload =
      payload && record.text_seq == entry.seq() && record.label_seq == entry.seq();
  std::optional<ValueKey> content;
  if (all_in_payload) {
    content = ContentKeyIn(record, *payload, *payload, secret);
  } else {
    ASSIGN_OR_RETURN(content, ContentKeyOf(state, space, record, secret));
  }
  if (content) {
    state.Put(Family::kRows, tables::Value(space, *content, id, record.version), "", 0);
  }
  if (payload && record.label_seq == entry.seq()) {
    for (const ValueKey& label : LabelKeys(secret, *payload)) {
      state.Put(Family::kRows, tables::Value(space, label, id, record.label_seq), "", 0);
    }
  }
  return {};
}

}  // namespace

Result<std::optional<fb::MemoryRecordT>> ReadMemory(const StateReader& reader, SpaceId space,
                                                    const Uuid& id) {
  ASSIGN_OR_RETURN(const auto bytes, reader.Get(Family::kState, tables::Memory(space, id)));
  if (!bytes) return std::nullopt;
  return Unpack<fb::MemoryRecordT>(*bytes);
}

Result<std::vector<Seq>> HistorySeqs(const StateReader& reader, SpaceId space, const Uuid& id) {
  std::vector<Seq> seqs;
  const std::string prefix = tables::HistoryPrefix(space, id);
  RETURN_IF_ERROR(reader.Scan(Family::kState, prefix, PrefixEnd(prefix),
                              [&](std::string_view key, std::string_view) {
                                seqs.push_back(ReadBigEndian(key.substr(prefix.size())));
                                return true;
                              }));
  return seqs;
}

bool TouchesRecord(const fb::Entry& entry) {
  switch (entry.event_type()) {
    case fb::Event::MemorySeenAgain:
    case fb::Event::ScopeRolledBack:
    case fb::Event::WriteRefused:
    case fb::Event::DryRunKept:
    case fb::Event::DecisionUndone:
    case fb::Event::MergeUndone:
    case fb::Event::ValueSuppressed:
    case fb::Event::SuppressionErased:
    case fb::Event::RefusalDismissed:
    case fb::Event::LinkAdded:
    case fb::Event::LinkRemoved:
      return false;
    default:
      return true;
  }
}

Result<std::optional<fb::MemoryRecordT>> RecordAt(const StateReader& reader, SpaceId space,
                                                  const Uuid& id, Micros to) {
  ASSIGN_OR_RETURN(const std::vector<Seq> seqs, HistorySeqs(reader, space, id));
  std::optional<fb::MemoryRecordT> record;
  for (Seq seq : seqs) {
    ASSIGN_OR_RETURN(const Entry entry, ReadEntry(reader, space, seq));
    if (entry->record_time() > to) break;
    if (TouchesRecord(*entry)) record = FoldRecord(*entry, std::move(record));
  }
  return record;
}

Result<std::optional<fb::MemoryRecordT>> RecordOfVersion(const StateReader& reader, SpaceId space,
                                                         const Uuid& id, std::uint32_t version) {
  if (version == 0) return std::nullopt;  // what VersionMadeBy says of entries that make none
  ASSIGN_OR_RETURN(const std::vector<Seq> seqs, HistorySeqs(reader, space, id));
  std::optional<fb::MemoryRecordT> record;
  for (Seq seq : seqs) {
    ASSIGN_OR_RETURN(const Entry entry, ReadEntry(reader, space, seq));
    if (TouchesRecord(*entry)) record = FoldRecord(*entry, std::move(record));
    if (VersionMadeBy(*entry) == version) return record;
  }
  return std::nullopt;
}

Result<std::optional<ValueKey>> ContentKeyOf(const StateReader& reader, SpaceId space,
                                             const fb::MemoryRecordT& record,
                                             const Secret& secret) {
  ASSIGN_OR_RETURN(const auto text, ReadPayload(reader, space, record.text_seq));
  if (!text) return std::nullopt;
  if (record.label_seq == record.text_seq) return ContentKeyIn(record, **text, **text, secret);
  ASSIGN_OR_RETURN(const auto label, ReadPayload(reader, space, record.label_seq));
  if (!label) return std::nullopt;
  return ContentKeyIn(record, **text, **label, secret);
}

fb::MemoryRecordT FoldRecord(const fb::Entry& entry, std::optional<fb::MemoryRecordT> before) {
  fb::MemoryRecordT record =
      before ? std::move(*before) : FirstRecord(entry, *entry.event_as_MemoryStored());
  FoldEvent(entry, record);
  record.record_time = entry.record_time();
  record.seq = entry.seq();
  if (VersionMadeBy(entry) != 0) record.version_time = entry.record_time();
  return record;
}

Status FoldMemory(const fb::Entry& entry, const fb::Payload* payload, const Secret& secret,
                  Overlay& state) {
  const Uuid id = FromId(*MemoryOf(entry));
  ASSIGN_OR_RETURN(auto known, ReadMemory(state, entry.space(), id));
  const bool stored = entry.event_type() == fb::Event::MemoryStored;
  if (stored == known.has_value()) {
    return Fail(Code::kCorrupt, fmt::format("Entry {} {}. Run `perdure log verify`.", entry.seq(),
                                            stored ? "stores a memory that exists"
                                                   : "is about a memory that was never stored"));
  }
  if (!TouchesRecord(entry)) return {};
  if (known) RETURN_IF_ERROR(FoldScored(entry, payload, secret, *known, state));
  const std::optional<Place> before = PlaceOf(known);
  const fb::MemoryRecordT record = FoldRecord(entry, std::move(known));
  RETURN_IF_ERROR(FoldPlace({entry, payload, id, secret}, before, record, state));
  if (VersionMadeBy(entry) != 0) {
    RETURN_IF_ERROR(IndexVersion(entry, payload, secret, record, state));
  }
  state.Put(Family::kState, tables::Memory(entry.space(), id), Pack(record), entry.record_time());
  return {};
}

ValueKey IdempotencyKey(const Secret& secret, std::string_view key) {
  return MakeValueKey(secret, "idempotency", key);
}

ValueKey RequestKey(const Secret& secret, const fb::Payload& payload) {
  const auto* digest = payload.request_digest();
  return MakeValueKey(
      secret, "request",
      digest ? std::string_view(reinterpret_cast<const char*>(digest->data()), digest->size())
             : std::string_view());
}

}  // namespace perdure
