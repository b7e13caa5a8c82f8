#include "engine/decide/rest.h"

#include <algorithm>

#include "engine/apply/memory_fold.h"
#include "engine/decide/rules.h"

namespace perdure {
namespace {

// The fact holds at `valid` alone from here on.
Result<Seq> BoundTo(Transaction& txn, const Member& fact, const Uuid& by, const ValidTime& valid) {
  fb::ValidityBoundedT event;
  event.memory = ToId(fact.id);
  event.version = fact.record.version;
  event.valid_from = ToFlat(valid.from);
  event.valid_until = ToFlat(valid.until);
  event.by = ToId(by);
  return txn.Append(MakeEvent(std::move(event)), {}, {.with_reason = false});
}

// Which fact the rest is of, who bounded it and by which entry.
struct Origin {
  const Member& fact;
  const Uuid& by;
  Seq bounded = 0;
};

fb::MemoryStoredT SameAs(const Origin& origin, const ValidTime& valid) {
  const fb::MemoryRecordT& record = origin.fact.record;
  fb::MemoryStoredT event;
  event.kind = fb::MemoryKind::fact;
  event.scope = record.scope;
  event.authorship = record.authorship;
  event.importance = record.importance;
  event.valid_from = ToFlat(valid.from);
  event.valid_until = ToFlat(valid.until);
  event.expires_at = record.expires_at;
  event.confidence = record.confidence;
  event.genre = record.genre;
  event.trust = std::min(record.trust, fb::Trust::verbatim);
  event.rival = std::make_unique<fb::Id>(ToId(origin.by));
  event.derived_from = {ToId(origin.fact.id)};
  event.symmetric = record.symmetric;
  return event;
}

// Its words, labels and the evidence of its first entry, where that is still kept.
Result<fb::PayloadT> WordsOf(const Transaction& txn, const fb::MemoryRecordT& record) {
  ASSIGN_OR_RETURN(const PayloadRow held, RequirePayload(txn, record.text_seq));
  fb::PayloadT words;
  held->UnPackTo(&words);
  ASSIGN_OR_RETURN(const PayloadRow label, RequirePayload(txn, record.label_seq));
  fb::PayloadT described;
  label->UnPackTo(&described);
  fb::PayloadT payload;
  payload.text = words.text;
  payload.subject = words.subject;
  payload.predicate = words.predicate;
  payload.object = words.object;
  payload.title = described.title;
  payload.tags = described.tags;
  payload.type = described.type;
  payload.theme = described.theme;
  payload.metadata = described.metadata;
  ASSIGN_OR_RETURN(const auto first, ReadPayload(txn.state(), txn.space(), record.created_seq));
  if (first) {
    if ((*first)->quote()) payload.quote = (*first)->quote()->str();
    if ((*first)->evidence_source()) payload.evidence_source = (*first)->evidence_source()->str();
  }
  return payload;
}

// What made the fact surer makes its rest so: the same evidence, counted.
Status CarryEvidence(Transaction& txn, const Origin& origin, const Uuid& rest, const Entry& entry) {
  fb::FactReinforcedT event;
  if (const auto* reinforced = entry->event_as_FactReinforced()) {
    event.evidence_time = reinforced->evidence_time();
    if (reinforced->evidence_memory()) {
      event.evidence_memory = std::make_unique<fb::Id>(*reinforced->evidence_memory());
    }
  } else if (const auto* verified = entry->event_as_MemoryVerified()) {
    event.evidence_time = verified->evidence_time();
    if (verified->evidence_memory()) {
      event.evidence_memory = std::make_unique<fb::Id>(*verified->evidence_memory());
    }
  } else {
    return {};
  }
  ASSIGN_OR_RETURN(const auto held, ReadPayload(txn.state(), txn.space(), entry->seq()));
  if (!held) return {};
  const fb::MemoryRecordT& record = origin.fact.record;
  event.memory = ToId(rest);
  event.version = 1;
  event.confidence = record.confidence;
  event.trust = std::min(record.trust, fb::Trust::verbatim);
  fb::PayloadT payload;
  if ((*held)->quote()) payload.quote = (*held)->quote()->str();
  if ((*held)->evidence_source()) payload.evidence_source = (*held)->evidence_source()->str();
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), std::move(payload),
                              {.cause = origin.bounded, .with_reason = false}));
  return {};
}

Status StoreRest(Transaction& txn, const Origin& origin, const ValidTime& valid) {
  const fb::MemoryRecordT& record = origin.fact.record;
  const Uuid rest = txn.NewId();
  fb::MemoryStoredT event = SameAs(origin, valid);
  event.memory = ToId(rest);
  ASSIGN_OR_RETURN(const Entry created, ReadEntry(txn.state(), txn.space(), record.created_seq));
  const auto* stored = created->event_as_MemoryStored();
  event.evidence_time = stored->evidence_time();
  if (stored->evidence_memory()) {
    event.evidence_memory = std::make_unique<fb::Id>(*stored->evidence_memory());
  }
  ASSIGN_OR_RETURN(fb::PayloadT payload, WordsOf(txn, record));
  const Transaction::Extra caused{.cause = origin.bounded, .with_reason = false};
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), std::move(payload), caused));
  ASSIGN_OR_RETURN(const std::vector<Seq> seqs,
                   HistorySeqs(txn.state(), txn.space(), origin.fact.id));
  for (const Seq past : seqs) {
    ASSIGN_OR_RETURN(const Entry entry, ReadEntry(txn.state(), txn.space(), past));
    RETURN_IF_ERROR(CarryEvidence(txn, origin, rest, entry));
  }
  if (!record.pinned) return {};
  fb::MemoryPinnedT pinned;
  pinned.memory = ToId(rest);
  pinned.version = 1;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq pin,
                   txn.Append(MakeEvent(std::move(pinned)), {}, caused));
  return {};
}

}  // namespace

Status Bound(Transaction& txn, const Member& fact, const Uuid& by,
             const std::optional<ValidTime>& before, const std::optional<ValidTime>& after) {
  ASSIGN_OR_RETURN(const Seq bounded, BoundTo(txn, fact, by, before ? *before : *after));
  return before && after ? StoreRest(txn, {fact, by, bounded}, *after) : Status{};
}

Result<bool> IsRestOf(const Transaction& txn, const fb::MemoryRecordT& record, const Uuid& fact) {
  if (record.kind != fb::MemoryKind::fact) return false;
  ASSIGN_OR_RETURN(const Entry created, ReadEntry(txn.state(), txn.space(), record.created_seq));
  if (created->cause() == 0) return false;
  ASSIGN_OR_RETURN(const Entry cause, ReadEntry(txn.state(), txn.space(), created->cause()));
  return cause->event_type() == fb::Event::ValidityBounded && FromId(*MemoryOf(*cause)) == fact;
}

}  // namespace perdure
