#include <fmt/format.h>

#include <set>

#include "engine/apply/memory_fold.h"
#include "engine/base/limits.h"
#include "engine/decide/assert.h"
#include "engine/decide/decide.h"
#include "engine/decide/dispute.h"
#include "engine/decide/labels.h"
#include "engine/decide/notes.h"
#include "engine/decide/novelty.h"
#include "engine/decide/refusal.h"
#include "engine/decide/restore.h"
#include "engine/decide/rules.h"
#include "engine/decide/suppression.h"

namespace perdure {
namespace {

using fb::MemoryState;

Status ProposeFact(Transaction& txn, const FactDraft& draft) {
  ASSIGN_OR_RETURN(const Claim claim, CheckClaim(txn, draft));
  ASSIGN_OR_RETURN(const Slot slot, SlotOfClaim(txn, claim));
  ASSIGN_OR_RETURN([[maybe_unused]] const auto repeats, CheckNovelty(txn, claim, slot));
  ASSIGN_OR_RETURN(const Verdict verdict, Judge(txn, claim, slot));
  if (verdict.kind == Verdict::Kind::kChallenges) return Challenge(txn, claim, *verdict.standing);
  Entrance entrance{.state = MemoryState::pending, .confidence = ConfidenceOf(claim, slot)};
  if (verdict.Rival()) entrance.rival = verdict.standing->id;
  ASSIGN_OR_RETURN([[maybe_unused]] const Uuid id, AppendFact(txn, claim, entrance));
  return {};
}

// What the reviewer makes of the candidate before it is let in.
Status EditCandidate(Transaction& txn, const ReviewCandidate& command,
                     const fb::MemoryRecordT& record, fb::PayloadT words) {
  if (record.kind == fb::MemoryKind::fact) {
    words.object = *command.object;
    words.text = InWords({words.subject, words.predicate, words.object});
    RETURN_IF_ERROR(CheckFactValue({words.subject, words.predicate, words.object}));
  } else {
    words.text = *command.text;
    if (words.text.empty()) return Refuse(Rule::kMalformed, "text is empty.", "text");
    RETURN_IF_ERROR(CheckText(words.text, limits::kTextBytesMax, "text"));
  }
  fb::PayloadT payload;
  payload.text = words.text;
  payload.subject = words.subject;
  payload.predicate = words.predicate;
  payload.object = words.object;
  fb::MemoryRevisedT event;
  event.memory = ToId(command.id);
  event.version = record.version + 1;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), std::move(payload)));
  return {};
}

Status AppendApproval(Transaction& txn, const Uuid& id, const fb::MemoryRecordT& record,
                      float confidence, const Member* rival) {
  fb::CandidateApprovedT event;
  event.memory = ToId(id);
  event.version = record.version;
  event.confidence = confidence;
  if (rival) event.rival = std::make_unique<fb::Id>(ToId(rival->id));
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(event))));
  return {};
}

// The value came to stand by itself meanwhile: the candidate adds its evidence to it, if that has
// not counted.
Status JoinStanding(Transaction& txn, const Uuid& id, const fb::MemoryRecordT& record,
                    const Slot& slot, const Policy& policy) {
  const Member& standing = *slot.Standing();
  ASSIGN_OR_RETURN(const PayloadRow held, RequirePayload(txn, record.created_seq));
  Support support;
  if (held->quote()) support.quote = held->quote()->str();
  if (held->evidence_source()) support.source = held->evidence_source()->str();
  support.time = ToStd(record.evidence_time);
  support.trust = record.trust;
  support.keys = EvidenceKeys(txn.secret(), support.source, support.quote, support.time);
  RETURN_IF_ERROR(AppendApproval(txn, id, record, record.confidence, nullptr));
  fb::MemorySupersededT event;
  event.memory = ToId(id);
  event.version = record.version;
  event.confidence = record.confidence;
  event.by = ToId(standing.id);
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), {}, {.with_reason = false}));
  bool counts = policy.repetition == fb::Repetition::any;
  if (!counts && !support.keys.empty()) {
    ASSIGN_OR_RETURN(const bool counted, HasCounted(txn, standing.id, support));
    counts = !counted;
  }
  return counts ? Reinforce(txn, standing, {support, {}}, slot, policy) : Status{};
}

// The predicate may have been declared since the fact was proposed.
Status CheckShapeNow(const Transaction& txn, const fb::MemoryRecordT& record) {
  ASSIGN_OR_RETURN(const PayloadRow text, RequirePayload(txn, record.text_seq));
  fb::PayloadT words;
  text->UnPackTo(&words);
  ASSIGN_OR_RETURN(const Predicate predicate,
                   ReadPredicate(txn.state(), txn.space(), txn.secret(), words.predicate));
  return CheckShape(predicate.shape, words.object);
}

Status ApproveFact(Transaction& txn, const Uuid& id, const fb::MemoryRecordT& record) {
  RETURN_IF_ERROR(CheckShapeNow(txn, record));
  ASSIGN_OR_RETURN(const Policy policy, ReadPolicy(txn.state(), txn.space()));
  ASSIGN_OR_RETURN(const Slot slot, SlotOf(txn, id, record));
  if (slot.Standing()) {
    RETURN_IF_ERROR(JoinStanding(txn, id, record, slot, policy));
  } else {
    const Member* rival = slot.Protected() ? slot.Protected() : slot.Rival();
    RETURN_IF_ERROR(AppendApproval(txn, id, record, record.confidence, rival));
    RETURN_IF_ERROR(FadeRivals(txn, slot.rivals, {id, ValidTime::Of(record), true}, policy));
  }
  return SettleDispute(txn, id, record);
}

Status Approve(Transaction& txn, const ReviewCandidate& command, fb::MemoryRecordT record) {
  const bool is_fact = record.kind == fb::MemoryKind::fact;
  if ((command.object && !is_fact) || (command.text && is_fact)) {
    return Refuse(Rule::kKind, "Edit a fact with object, and a note with text.",
                  is_fact ? "text" : "object");
  }
  if (command.object || command.text) {
    ASSIGN_OR_RETURN(const PayloadRow held, RequirePayload(txn, record.text_seq));
    fb::PayloadT words;
    held->UnPackTo(&words);
    RETURN_IF_ERROR(EditCandidate(txn, command, record, std::move(words)));
    ASSIGN_OR_RETURN(record, FindMemory(txn, command.id));
  }
  RETURN_IF_ERROR(CheckMayReturn(txn, record));
  if (is_fact) return ApproveFact(txn, command.id, record);
  RETURN_IF_ERROR(CheckNoSameNote(txn, record));
  return AppendApproval(txn, command.id, record, record.confidence, nullptr);
}

Status Reject(Transaction& txn, const ReviewCandidate& command, const fb::MemoryRecordT& record) {
  if (command.object || command.text) {
    return Refuse(Rule::kMalformed, "A candidate is edited when it is approved, not rejected.",
                  command.text ? "text" : "object");
  }
  fb::CandidateRejectedT event;
  event.memory = ToId(command.id);
  event.version = record.version;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(event))));
  RETURN_IF_ERROR(SuppressMemory(txn, command.id, record, command.refusing));
  return SettleDispute(txn, command.id, record);
}

// The entry by which pass `decision` decided on a candidate; nullptr when it did not.
const Entry* DecisionIn(const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    switch (entry->event_type()) {
      case fb::Event::CandidateApproved:
      case fb::Event::CandidateRejected:
        return &entry;
      default:
        break;
    }
  }
  return nullptr;
}

Status CheckUnchangedSince(const Transaction& txn, const Uuid& id, Seq last) {
  ASSIGN_OR_RETURN(const auto record, FindMemory(txn, id));
  if (record.seq <= last) return {};
  return Refuse(Rule::kState,
                fmt::format("Memory {} has changed since, by entry {}: take that back first.",
                            ToString(id), record.seq),
                "decision");
}

// The gates that what a decision put away passes on its way back.
Status CheckMayComeBack(const Transaction& txn, const Uuid& id, const std::set<Uuid>& together,
                        Micros before) {
  ASSIGN_OR_RETURN(const auto past, RecordAt(txn.state(), txn.space(), id, before));
  if (!past || !ComesBack(*past)) return {};
  RETURN_IF_ERROR(CheckMayReturn(txn, *past));
  ASSIGN_OR_RETURN(const auto rival, InTheWay(txn, id, *past, together, before));
  if (!rival) return {};
  return RefuseWith(Rule::kRival,
                    fmt::format("Memory {} has come to stand in the place of {} since.",
                                ToString(*rival), ToString(id)),
                    {.suppression = 0, .memory = ToString(*rival)});
}

// Of a memory that the caller may not see there is no decision either.
Status CheckMayUndo(const Transaction& txn, Seq seq, const Entry* decision) {
  const auto none = [seq] {
    return Refuse(Rule::kNothing, fmt::format("Entry {} is no review decision.", seq), "decision");
  };
  if (!decision) return none();
  const auto candidate = RequireMemory(txn, FromId(*MemoryOf(**decision)));
  if (candidate) return {};
  if (RuleOf(candidate.error()) == Rule::kNoMemory) return none();
  return std::unexpected(candidate.error());
}

}  // namespace

Status DecidePropose(Transaction& txn, const ProposeCandidate& command) {
  RETURN_IF_ERROR(RequireRole(txn, kAgent | kReviewer | kOperator, "Proposing a candidate"));
  if (const auto* fact = std::get_if<FactDraft>(&command.draft)) return ProposeFact(txn, *fact);
  return ProposeNote(txn, std::get<NoteDraft>(command.draft));
}

Status DecideReview(Transaction& txn, const ReviewCandidate& command) {
  RETURN_IF_ERROR(RequireRole(txn, kReviewer | kOperator, "Deciding on a candidate"));
  ASSIGN_OR_RETURN(auto record, RequireMemory(txn, command.id));
  if (record.state != MemoryState::pending) {
    return Refuse(Rule::kState,
                  fmt::format("Only candidates are decided on; this memory is {}.",
                              fb::EnumNameMemoryState(record.state)),
                  "id");
  }
  return command.approve ? Approve(txn, command, std::move(record)) : Reject(txn, command, record);
}

Status DecideUndoReview(Transaction& txn, const UndoReview& command) {
  RETURN_IF_ERROR(RequireRole(txn, kReviewer | kOperator, "Taking a review decision back"));
  std::vector<Entry> entries;
  if (command.decision != 0 && command.decision <= txn.head().seq) {
    ASSIGN_OR_RETURN(entries, ReadPass(txn.state(), txn.space(), command.decision, txn.head().seq));
  }
  const Entry* decision = DecisionIn(entries);
  RETURN_IF_ERROR(CheckMayUndo(txn, command.decision, decision));
  const Uuid candidate = FromId(*MemoryOf(**decision));
  const Seq last = entries.back()->seq();
  fb::DecisionUndoneT event;
  event.memory = ToId(candidate);
  event.version = 0;
  event.decision = entries.front()->seq();
  std::set<Uuid> touched;
  for (const Entry& entry : entries) {
    if (const fb::Id* id = MemoryOf(*entry); id && TouchesRecord(*entry)) {
      touched.insert(FromId(*id));
    }
  }
  for (const Uuid& id : touched) RETURN_IF_ERROR(CheckUnchangedSince(txn, id, last));
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(event))));
  for (const Entry& entry : entries) {
    if (entry->event_type() != fb::Event::ValueSuppressed) continue;
    RETURN_IF_ERROR(LiftIfInForce(txn, entry->seq()));
  }
  const Micros before = entries.front()->record_time() - 1;
  for (const Uuid& id : touched) RETURN_IF_ERROR(CheckMayComeBack(txn, id, touched, before));
  for (const Uuid& id : touched) RETURN_IF_ERROR(PutBack(txn, id, before));
  return {};
}

}  // namespace perdure
