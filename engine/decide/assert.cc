#include "engine/decide/assert.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/limits.h"
#include "engine/decide/admission.h"
#include "engine/decide/decide.h"
#include "engine/decide/derived.h"
#include "engine/decide/labels.h"
#include "engine/decide/novelty.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/decide/suppression.h"

namespace perdure {
namespace {

using fb::MemoryState;

Status CheckForm(const FactDraft& draft, Micros now) {
  RETURN_IF_ERROR(CheckFactValue(draft.value));
  RETURN_IF_ERROR(CheckText(draft.text, limits::kTextBytesMax, "text"));
  RETURN_IF_ERROR(CheckTags(draft.tags));
  RETURN_IF_ERROR(CheckText(draft.theme, limits::kLabelBytesMax, "theme"));
  RETURN_IF_ERROR(CheckMetadata(draft.metadata));
  RETURN_IF_ERROR(CheckImportance(draft.importance));
  if (draft.confidence && !(*draft.confidence >= 0 && *draft.confidence <= 1)) {
    return Refuse(
        Rule::kMalformed,
        fmt::format("confidence is {}; it must lie in 0..1, e.g. 0.7.", *draft.confidence),
        "confidence");
  }
  RETURN_IF_ERROR(CheckValidTime(draft.valid_from, draft.valid_until));
  return CheckExpiry(draft.expires_at, now);
}

std::unexpected<Error> Stale(const Member& lapsed, std::string_view why) {
  return RefuseWith(Rule::kStaleEvidence,
                    fmt::format("This value no longer stands (memory {}), and {}. It returns on "
                                "evidence that is newer than what replaced it: give a quote, its "
                                "source and its reference_time.",
                                ToString(lapsed.id), why),
                    {.suppression = 0, .memory = ToString(lapsed.id)});
}

// From when on evidence for a lapsed value is newer than what made it lapse.
Micros CorrectedAt(const Member& lapsed, const Slot& slot) {
  std::optional<Micros> corrected;
  for (const Member& rival : slot.rivals) {
    if (!Stands(rival.record)) continue;
    const Micros since = rival.record.evidence_time.value_or(rival.record.accepted_time);
    if (!corrected || since > *corrected) corrected = since;
  }
  return corrected.value_or(lapsed.record.record_time);
}

// The evidence rule: a value that no longer stands comes back on newer evidence only. What never
// stood has not lapsed.
Status CheckNewEvidence(const Transaction& txn, const Claim& claim, const Slot& slot) {
  for (const Member& lapsed : slot.same) {
    if (lapsed.record.accepted_time == 0) continue;
    if (claim.support.keys.empty()) return Stale(lapsed, "there is no evidence for it");
    ASSIGN_OR_RETURN(const bool counted, HasCounted(txn, lapsed.id, claim.support));
    if (counted) return Stale(lapsed, "this evidence has counted already");
    const Micros corrected = CorrectedAt(lapsed, slot);
    if (!claim.support.time) return Stale(lapsed, "nothing says when the evidence is from");
    if (*claim.support.time <= corrected) {
      return Stale(lapsed, fmt::format("the evidence is from {}, not after {}",
                                       FormatTime(*claim.support.time), FormatTime(corrected)));
    }
  }
  return {};
}

// Evidence counts once for a value, also when it counted for a memory of it that lapsed.
Status CheckCountsAnew(const Transaction& txn, const Claim& claim, const Slot& slot,
                       const Member& standing) {
  if (claim.policy.repetition == fb::Repetition::any) return {};
  bool counts = !claim.support.keys.empty();
  for (const Member& member : slot.same) {
    if (!counts || member.record.accepted_time == 0) continue;
    ASSIGN_OR_RETURN(const bool counted, HasCounted(txn, member.id, claim.support));
    counts = !counted;
  }
  if (counts) return {};
  return RefuseWith(Rule::kStands,
                    fmt::format("This stands already as memory {}; only evidence that has not "
                                "counted for it makes it surer.",
                                ToString(standing.id)),
                    {.suppression = 0, .memory = ToString(standing.id)});
}

// An admission rule sends the claim to a reviewer.
Status Park(Transaction& txn, const Claim& claim, const Slot& slot, const Verdict& verdict) {
  Entrance entrance{.state = MemoryState::pending,
                    .because = static_cast<std::uint16_t>(*claim.parked),
                    .rival = {},
                    .confidence = ConfidenceOf(claim, slot)};
  if (verdict.Rival()) entrance.rival = verdict.standing->id;
  ASSIGN_OR_RETURN([[maybe_unused]] const Uuid id, AppendFact(txn, claim, entrance));
  return {};
}

Status AssertOne(Transaction& txn, const FactDraft& draft) {
  ASSIGN_OR_RETURN(Claim claim, CheckClaim(txn, draft));
  ASSIGN_OR_RETURN(const Slot slot, SlotOfClaim(txn, claim));
  ASSIGN_OR_RETURN(const auto repeats, CheckNovelty(txn, claim, slot));
  if (!claim.parked) claim.parked = repeats;
  ASSIGN_OR_RETURN(const Verdict verdict, Judge(txn, claim, slot));
  const Policy& policy = claim.policy;
  if (claim.parked) return Park(txn, claim, slot, verdict);
  switch (verdict.kind) {
    case Verdict::Kind::kReinforces:
      return Repeat(txn, claim, *verdict.standing, slot);
    case Verdict::Kind::kChallenges:
      return Challenge(txn, claim, *verdict.standing);
    case Verdict::Kind::kFirst:
    case Verdict::Kind::kNewcomer:
      break;
  }
  Entrance entrance{.confidence = ConfidenceOf(claim, slot)};
  if (verdict.standing) entrance.rival = verdict.standing->id;
  ASSIGN_OR_RETURN(const Uuid id, AppendFact(txn, claim, entrance));
  return FadeRivals(txn, slot.rivals, {id, claim.seat.valid}, policy);
}

// One member of a batch was turned down, the others stand. Each such entry is one of those that the
// principal may cause in a second.
Status AppendRefusal(Transaction& txn, const Error& error, std::uint8_t command) {
  const auto refused = std::ranges::count_if(txn.entries(), [](const Entry& entry) {
    return entry->event_type() == fb::Event::WriteRefused;
  });
  if (refused >= txn.refusals_left()) {
    return Refuse(Rule::kRate,
                  "Too many facts of this token were refused within a second. Leave "
                  "out those that stand or were rejected, and wait.");
  }
  fb::PayloadT payload;
  payload.message = error.message;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(RefusalEvent(error, command)), std::move(payload),
                              {.with_reason = false}));
  return {};
}

}  // namespace

Result<Claim> CheckClaim(Transaction& txn, const FactDraft& draft) {
  RETURN_IF_ERROR(CheckForm(draft, txn.NextTime()));
  Claim claim{.draft = draft};
  if (claim.draft.text.empty()) claim.draft.text = InWords(draft.value);
  claim.seat.genre = draft.genre.value_or(fb::Genre::factual);
  claim.seat.valid = {draft.valid_from, draft.valid_until};
  ASSIGN_OR_RETURN(claim.seat.scope, EnsureScope(txn, draft.scope.value_or(txn.principal().scope)));
  ASSIGN_OR_RETURN(claim.predicate,
                   ReadPredicate(txn.state(), txn.space(), txn.secret(), draft.value.predicate));
  ASSIGN_OR_RETURN(claim.policy, ReadPolicy(txn.state(), txn.space()));
  const bool symmetric = claim.predicate.symmetric;
  RETURN_IF_ERROR(CheckNotSuppressed(txn, claim.seat.scope, [&]() -> Result<std::vector<ValueKey>> {
    return RefusedKeys(txn.secret(), draft.value, symmetric, claim.draft.text);
  }));
  RETURN_IF_ERROR(CheckShape(claim.predicate.shape, draft.value.object));
  ASSIGN_OR_RETURN(claim.parked, AdmitFact(txn, claim.policy, claim.draft.text));
  ASSIGN_OR_RETURN(claim.support, CheckEvidence(txn, draft.evidence, draft.claimed));
  claim.keys = KeysOfFact(
      txn.secret(), FactWords::Of(draft.value.subject, draft.value.predicate, draft.value.object),
      symmetric, claim.seat.scope);
  return claim;
}

Result<Slot> SlotOfClaim(const Transaction& txn, const Claim& claim) {
  return ReadSlot(txn, claim.keys, claim.seat, claim.predicate.multi_valued);
}

float ConfidenceOf(const Claim& claim, const Slot& slot) {
  const float usual = slot.rivals.empty() ? claim.policy.first : claim.policy.newcomer;
  return claim.draft.confidence.value_or(usual);
}

Result<Verdict> Judge(const Transaction& txn, const Claim& claim, const Slot& slot) {
  if (const Member* standing = slot.Standing()) {
    RETURN_IF_ERROR(CheckCountsAnew(txn, claim, slot, *standing));
    return Verdict{Verdict::Kind::kReinforces, standing};
  }
  if (const Member* candidate = slot.Candidate()) {
    return RefuseWith(
        Rule::kWaits,
        fmt::format("The same value waits for review as memory {}.", ToString(candidate->id)),
        {.suppression = 0, .memory = ToString(candidate->id)});
  }
  if (claim.policy.repetition == fb::Repetition::evidence) {
    RETURN_IF_ERROR(CheckNewEvidence(txn, claim, slot));
  }
  if (const Member* rival = slot.Protected()) return Verdict{Verdict::Kind::kChallenges, rival};
  const Member* rival = slot.Rival();
  const bool first = slot.rivals.empty();
  return Verdict{first ? Verdict::Kind::kFirst : Verdict::Kind::kNewcomer, rival};
}

Result<Uuid> AppendFact(Transaction& txn, const Claim& claim, const Entrance& entrance) {
  const FactDraft& draft = claim.draft;
  const Uuid id = txn.NewId();
  fb::MemoryStoredT event;
  event.memory = ToId(id);
  event.kind = fb::MemoryKind::fact;
  event.scope = claim.seat.scope;
  event.authorship = draft.authorship.value_or(fb::Authorship::authored);
  event.importance = draft.importance.value_or(kDefaultImportance);
  event.valid_from = ToFlat(draft.valid_from);
  event.valid_until = ToFlat(draft.valid_until);
  event.expires_at = ToFlat(draft.expires_at);
  event.genre = claim.seat.genre;
  event.memory_class = draft.memory_class.value_or(fb::MemoryClass::document);
  ASSIGN_OR_RETURN(event.store, EnsureStore(txn, draft.store));
  RETURN_IF_ERROR(RequireMayFill(txn, event.store));
  event.symmetric = claim.predicate.symmetric;
  event.confidence = entrance.confidence;
  event.state = entrance.state;
  event.because = entrance.because;
  event.rival = ToIdPtr(entrance.rival);
  event.trust = claim.support.trust;
  event.evidence_time = ToFlat(claim.support.time);
  event.evidence_memory = ToIdPtr(claim.support.memory);
  ASSIGN_OR_RETURN(event.derived_from, SourcesOf(txn, draft.derived_from));
  fb::PayloadT payload;
  payload.text = draft.text;
  payload.subject = draft.value.subject;
  payload.predicate = draft.value.predicate;
  payload.object = draft.value.object;
  payload.tags = draft.tags;
  payload.theme = draft.theme;
  payload.metadata = draft.metadata;
  SetEvidence(claim.support, payload);
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), std::move(payload)));
  return id;
}

Status Reinforce(Transaction& txn, const Member& standing, const Reinforcement& more,
                 const Slot& slot, const Policy& policy) {
  const Support& support = more.support;
  fb::FactReinforcedT event;
  event.memory = ToId(standing.id);
  event.version = standing.record.version;
  event.confidence = std::min(1.0f, standing.record.confidence + policy.reinforce);
  event.trust = std::max(standing.record.trust, support.trust);
  event.evidence_time = ToFlat(support.time);
  event.evidence_memory = ToIdPtr(support.memory);
  fb::PayloadT payload;
  payload.message = more.not_applied;
  SetEvidence(support, payload);
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), std::move(payload)));
  return FadeRivals(txn, slot.rivals, {standing.id, ValidTime::Of(standing.record)}, policy);
}

Status Challenge(Transaction& txn, const Claim& claim, const Member& standing) {
  ASSIGN_OR_RETURN(
      const Uuid id,
      AppendFact(txn, claim,
                 {.state = MemoryState::pending,
                  .because = static_cast<std::uint16_t>(Rule::kChallenge),
                  .rival = standing.id,
                  .confidence = claim.draft.confidence.value_or(claim.policy.newcomer)}));
  if (standing.record.dispute != fb::Dispute::none) return {};
  fb::MemoryDisputedT event;
  event.memory = ToId(standing.id);
  event.version = standing.record.version;
  event.dispute = fb::Dispute::challenged;
  event.by = ToId(id);
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), {}, {.with_reason = false}));
  return {};
}

Status DecideAssert(Transaction& txn, const AssertFacts& command) {
  RETURN_IF_ERROR(RequireRole(txn, kAgent | kReviewer | kOperator, "Asserting a fact"));
  if (command.facts.empty() || command.facts.size() > limits::kStoreManyMax) {
    return Refuse(Rule::kTooMany,
                  fmt::format("One call asserts 1 to {} facts; this one has {}.",
                              limits::kStoreManyMax, command.facts.size()),
                  "facts");
  }
  const std::size_t count = command.facts.size();
  for (std::size_t i = 0; i < count; ++i) {
    Status asserted = AssertOne(txn, command.facts[i]);
    if (asserted) continue;
    const bool alone = command.partial && RuleOf(asserted.error()).has_value();
    if (alone) {
      RETURN_IF_ERROR(AppendRefusal(txn, asserted.error(), kCommandNumber<AssertFacts>));
      continue;
    }
    if (count == 1) return asserted;
    std::string& field = asserted.error().field;
    field = fmt::format("facts[{}]{}{}", i, field.empty() ? "" : ".", field);
    return asserted;
  }
  return {};
}

}  // namespace perdure
