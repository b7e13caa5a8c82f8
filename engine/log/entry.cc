#include "engine/log/entry.h"

#include <fmt/format.h>

#include "engine/base/hash.h"
#include "engine/model/tables.h"

namespace perdure {

std::string LogHead::Encode() const {
  return Key().U64(seq).U64(static_cast<std::uint64_t>(time)).Bytes(AsBytes(hash)).Take();
}

Result<LogHead> LogHead::Decode(std::string_view bytes) {
  if (bytes.size() != 48) {
    return Fail(Code::kCorrupt, "The stored head of a log is malformed. Run `perdure doctor`.");
  }
  LogHead head;
  head.seq = ReadBigEndian(bytes.substr(0, 8));
  head.time = static_cast<Micros>(ReadBigEndian(bytes.substr(8, 8)));
  std::copy(bytes.begin() + 16, bytes.end(), head.hash.begin());
  return head;
}

std::string PackEntry(const fb::EntryT& entry) {
  flatbuffers::FlatBufferBuilder builder(512);
  fb::FinishEntryBuffer(builder, fb::Entry::Pack(builder, &entry));
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

namespace {

// The verifier checks where a vector's length stands, not its numbers; reading them where they lie
// crooked is undefined.
template <typename Vector>
bool IsAligned(const Vector* numbers) {
  if (!numbers) return true;
  const auto place = reinterpret_cast<std::uintptr_t>(numbers->Data());
  return place % alignof(std::uint64_t) == 0;
}

bool HasAlignedNumbers(const fb::Entry& entry) {
  const auto* stored = entry.event_as_MemoryStored();
  if (stored && !IsAligned(stored->derived_from())) return false;
  const auto* suppressed = entry.event_as_ValueSuppressed();
  if (suppressed && !IsAligned(suppressed->keys())) return false;
  const auto* erased = entry.event_as_MemoryErased();
  if (erased && !IsAligned(erased->copies())) return false;
  return IsAligned(CoveredBy(entry));
}

bool HasItsPartsOfFact(const fb::Entry& entry) {
  switch (entry.event_type()) {
    case fb::Event::FactFaded:
      return MemoryOf(entry) && entry.event_as_FactFaded()->by();
    case fb::Event::MemorySuperseded:
      return MemoryOf(entry) && entry.event_as_MemorySuperseded()->by();
    case fb::Event::MemoryDisputed:
      return MemoryOf(entry) && entry.event_as_MemoryDisputed()->by();
    case fb::Event::MemoryMerged:
      return MemoryOf(entry) && entry.event_as_MemoryMerged()->into();
    case fb::Event::ValidityBounded:
      return MemoryOf(entry) && entry.event_as_ValidityBounded()->by();
    case fb::Event::ValueSuppressed:
      return entry.event_as_ValueSuppressed()->scope();
    case fb::Event::LogRestored:
      return entry.event_as_LogRestored()->head_hash();
    case fb::Event::LinkAdded:
      return MemoryOf(entry) && entry.event_as_LinkAdded()->to();
    case fb::Event::LinkRemoved:
      return MemoryOf(entry) && entry.event_as_LinkRemoved()->to();
    default:
      return true;
  }
}

// The verifier lets a struct, and the table of a union, be absent; whoever reads an event does not.
bool HasItsParts(const fb::Entry& entry) {
  if (!entry.prev_hash() || !entry.principal() || !entry.event()) return false;
  switch (entry.event_type()) {
    case fb::Event::TokenIssued:
      return entry.event_as_TokenIssued()->token() && entry.event_as_TokenIssued()->secret_digest();
    case fb::Event::TokenRevoked:
      return entry.event_as_TokenRevoked()->token();
    case fb::Event::MemoryStored:
      return MemoryOf(entry) && entry.event_as_MemoryStored()->scope();
    case fb::Event::MemoryDescribed:
      return MemoryOf(entry) && entry.event_as_MemoryDescribed()->scope();
    case fb::Event::MemoryReverted:
      return MemoryOf(entry) && entry.event_as_MemoryReverted()->scope();
    case fb::Event::ScopeRolledBack:
      return entry.event_as_ScopeRolledBack()->scope();
    case fb::Event::MemoryMoved:
      return MemoryOf(entry) && entry.event_as_MemoryMoved()->scope();
    case fb::Event::MemorySeenAgain:
    case fb::Event::MemoryRevised:
    case fb::Event::MemoryPinned:
    case fb::Event::MemoryUnpinned:
    case fb::Event::MemoryArchived:
    case fb::Event::MemoryRestored:
    case fb::Event::MemoryForgotten:
    case fb::Event::MemoryErased:
    case fb::Event::FactReinforced:
    case fb::Event::DisputeSettled:
    case fb::Event::CandidateApproved:
    case fb::Event::CandidateRejected:
    case fb::Event::DecisionUndone:
    case fb::Event::MemoryVerified:
    case fb::Event::MemoryScored:
    case fb::Event::GenreChanged:
    case fb::Event::MergeUndone:
    case fb::Event::SymmetryChanged:
      return MemoryOf(entry);
    default:
      return HasItsPartsOfFact(entry);
  }
}

}  // namespace

Result<Entry> Entry::Parse(std::string bytes) {
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (!fb::VerifyEntryBuffer(verifier) || !HasAlignedNumbers(*fb::GetEntry(bytes.data()))) {
    return Fail(Code::kCorrupt, "A log entry is malformed. Run `perdure log verify`.");
  }
  Entry entry(std::move(bytes));
  if (entry->format() != kEntryFormat) {
    return Fail(Code::kCorrupt,
                fmt::format("A log entry has format {}; this program knows format {}. Use a newer "
                            "program.",
                            entry->format(), kEntryFormat));
  }
  if (entry->event_type() > fb::Event::MAX) {
    return Fail(
        Code::kCorrupt,
        fmt::format("A log entry has an event of kind {}, which this program does not know. "
                    "Use a newer program.",
                    static_cast<int>(entry->event_type())));
  }
  if (entry->event_type() == fb::Event::NONE || !HasItsParts(*entry)) {
    return Fail(Code::kCorrupt,
                "A log entry misses its event, its actor, its link or what its event is about. Run "
                "`perdure log verify`.");
  }
  return entry;
}

Result<PayloadRow> PayloadRow::Parse(std::string row) {
  if (row.size() <= kSaltBytes || !View<fb::Payload>(std::string_view(row).substr(kSaltBytes))) {
    return Fail(Code::kCorrupt, "A stored payload is malformed. Run `perdure log verify`.");
  }
  return PayloadRow(std::move(row));
}

Result<Entry> ReadEntry(const StateReader& reader, SpaceId space, Seq seq) {
  ASSIGN_OR_RETURN(auto bytes, reader.Get(Family::kLog, tables::LogEntry(space, seq)));
  if (!bytes) return Fail(Code::kNotFound, fmt::format("The log has no entry {}.", seq));
  ASSIGN_OR_RETURN(Entry entry, Entry::Parse(std::move(*bytes)));
  if (entry->space() != space || entry->seq() != seq) {
    return Fail(Code::kCorrupt,
                fmt::format("Under seq {} the log holds entry {} of space {}. Run `perdure log "
                            "verify`.",
                            seq, entry->seq(), entry->space()));
  }
  return entry;
}

Result<std::vector<Entry>> ReadPass(const StateReader& reader, SpaceId space, Seq seq, Seq last) {
  ASSIGN_OR_RETURN(const Entry one, ReadEntry(reader, space, seq));
  std::vector<Entry> entries;
  for (Seq at = one->pass(); at <= last; ++at) {
    ASSIGN_OR_RETURN(Entry entry, ReadEntry(reader, space, at));
    if (entry->pass() != one->pass()) break;
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<std::optional<PayloadRow>> ReadPayload(const StateReader& reader, const fb::Entry& entry) {
  if (!entry.payload_digest()) return std::nullopt;
  ASSIGN_OR_RETURN(auto row,
                   reader.Get(Family::kPayload, tables::PayloadOf(entry.space(), entry.seq())));
  if (!row) return std::nullopt;
  if (Sha256(*row) != FromDigest(*entry.payload_digest())) {
    return Fail(Code::kCorrupt,
                fmt::format("The payload of entry {} is not the one that was written. Run `perdure "
                            "log verify`.",
                            entry.seq()));
  }
  return PayloadRow::Parse(std::move(*row));
}

Result<std::optional<PayloadRow>> ReadPayload(const StateReader& reader, SpaceId space, Seq seq) {
  ASSIGN_OR_RETURN(auto row, reader.Get(Family::kPayload, tables::PayloadOf(space, seq)));
  if (!row) return std::nullopt;
  return PayloadRow::Parse(std::move(*row));
}

const fb::Id* MemoryOf(const fb::Entry& entry) {
  switch (entry.event_type()) {
    case fb::Event::MemoryStored:
      return entry.event_as_MemoryStored()->memory();
    case fb::Event::MemorySeenAgain:
      return entry.event_as_MemorySeenAgain()->memory();
    case fb::Event::MemoryRevised:
      return entry.event_as_MemoryRevised()->memory();
    case fb::Event::MemoryDescribed:
      return entry.event_as_MemoryDescribed()->memory();
    case fb::Event::MemoryPinned:
      return entry.event_as_MemoryPinned()->memory();
    case fb::Event::MemoryUnpinned:
      return entry.event_as_MemoryUnpinned()->memory();
    case fb::Event::MemoryArchived:
      return entry.event_as_MemoryArchived()->memory();
    case fb::Event::MemoryRestored:
      return entry.event_as_MemoryRestored()->memory();
    case fb::Event::MemoryForgotten:
      return entry.event_as_MemoryForgotten()->memory();
    case fb::Event::MemoryReverted:
      return entry.event_as_MemoryReverted()->memory();
    case fb::Event::MemoryErased:
      return entry.event_as_MemoryErased()->memory();
    case fb::Event::ScopeRolledBack:
      return entry.event_as_ScopeRolledBack()->memory();
    case fb::Event::WriteRefused:
      return entry.event_as_WriteRefused()->memory();
    case fb::Event::DryRunKept:
      return entry.event_as_DryRunKept()->memory();
    case fb::Event::FactReinforced:
      return entry.event_as_FactReinforced()->memory();
    case fb::Event::FactFaded:
      return entry.event_as_FactFaded()->memory();
    case fb::Event::MemorySuperseded:
      return entry.event_as_MemorySuperseded()->memory();
    case fb::Event::MemoryDisputed:
      return entry.event_as_MemoryDisputed()->memory();
    case fb::Event::DisputeSettled:
      return entry.event_as_DisputeSettled()->memory();
    case fb::Event::CandidateApproved:
      return entry.event_as_CandidateApproved()->memory();
    case fb::Event::CandidateRejected:
      return entry.event_as_CandidateRejected()->memory();
    case fb::Event::DecisionUndone:
      return entry.event_as_DecisionUndone()->memory();
    case fb::Event::ValueSuppressed:
      return entry.event_as_ValueSuppressed()->memory();
    case fb::Event::MemoryVerified:
      return entry.event_as_MemoryVerified()->memory();
    case fb::Event::MemoryScored:
      return entry.event_as_MemoryScored()->memory();
    case fb::Event::GenreChanged:
      return entry.event_as_GenreChanged()->memory();
    case fb::Event::MemoryMerged:
      return entry.event_as_MemoryMerged()->memory();
    case fb::Event::ValidityBounded:
      return entry.event_as_ValidityBounded()->memory();
    case fb::Event::MergeUndone:
      return entry.event_as_MergeUndone()->memory();
    case fb::Event::SymmetryChanged:
      return entry.event_as_SymmetryChanged()->memory();
    case fb::Event::MemoryMoved:
      return entry.event_as_MemoryMoved()->memory();
    case fb::Event::LinkAdded:
      return entry.event_as_LinkAdded()->from();
    case fb::Event::LinkRemoved:
      return entry.event_as_LinkRemoved()->from();
    default:
      return nullptr;
  }
}

const flatbuffers::Vector<std::uint64_t>* CoveredBy(const fb::Entry& entry) {
  if (const auto* erased = entry.event_as_MemoryErased()) return erased->covered();
  if (const auto* compacted = entry.event_as_PayloadsCompacted()) return compacted->covered();
  if (const auto* erased = entry.event_as_SuppressionErased()) return erased->covered();
  return nullptr;
}

std::optional<Micros> EvidenceTimeOf(const fb::Entry& entry) {
  switch (entry.event_type()) {
    case fb::Event::MemoryStored:
      return ToStd(entry.event_as_MemoryStored()->evidence_time());
    case fb::Event::FactReinforced:
      return ToStd(entry.event_as_FactReinforced()->evidence_time());
    case fb::Event::MemoryVerified:
      return ToStd(entry.event_as_MemoryVerified()->evidence_time());
    default:
      return std::nullopt;
  }
}

std::uint32_t VersionMadeBy(const fb::Entry& entry) {
  switch (entry.event_type()) {
    case fb::Event::MemoryStored:
      return 1;
    case fb::Event::MemoryRevised:
      return entry.event_as_MemoryRevised()->version();
    case fb::Event::MemoryDescribed:
      return entry.event_as_MemoryDescribed()->version();
    case fb::Event::MemoryMoved:
      return entry.event_as_MemoryMoved()->version();
    case fb::Event::MemoryReverted: {
      // A rollback that only moves state or pin keeps the version that it names.
      const auto* reverted = entry.event_as_MemoryReverted();
      return reverted->version() == reverted->to_version() ? 0 : reverted->version();
    }
    default:
      return 0;
  }
}

}  // namespace perdure
