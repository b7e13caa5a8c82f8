#include <fmt/format.h>

#include "engine/apply/governance_fold.h"
#include "engine/base/limits.h"
#include "engine/decide/decide.h"
#include "engine/decide/evidence.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/decide/scores.h"
#include "engine/decide/slot.h"
#include "engine/model/fact_keys.h"

namespace perdure {
namespace {

Status AppendSeenAgain(Transaction& txn, const Uuid& id, const fb::MemoryRecordT& record) {
  fb::MemorySeenAgainT event;
  event.memory = ToId(id);
  event.version = record.version;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(event))));
  return {};
}

Status CheckMayScore(const Transaction& txn, const ScoreMemory& command,
                     const fb::MemoryRecordT& record) {
  RETURN_IF_ERROR(RequireLive(record, "Scoring"));
  if (!command.importance && !command.confidence) {
    return Refuse(Rule::kMalformed, "Give importance, confidence or both.", "importance");
  }
  if (command.pass.empty()) {
    return Refuse(Rule::kMalformed, "pass is empty: name the run that scores.", "pass");
  }
  RETURN_IF_ERROR(CheckText(command.pass, limits::kLabelBytesMax, "pass"));
  if (txn.options().reason.empty()) {
    return Refuse(Rule::kMalformed, "Scoring a memory needs a reason.", "reason");
  }
  return RequireMayScore(record);
}

}  // namespace

Status DecideVerify(Transaction& txn, const VerifyMemory& command) {
  RETURN_IF_ERROR(RequireRole(txn, kReviewer, "Verifying a memory"));
  ASSIGN_OR_RETURN(const auto record, RequireMemory(txn, command.id));
  RETURN_IF_ERROR(RequireStanding(record, "Verifying"));
  if (command.evidence.quote.empty() && command.evidence.source.empty()) {
    return Refuse(Rule::kEvidence, "Say what was checked: give evidence a quote or a source.",
                  "evidence");
  }
  ASSIGN_OR_RETURN(const Support support,
                   CheckEvidence(txn, command.evidence, fb::Trust::inferred));
  fb::MemoryVerifiedT event;
  event.memory = ToId(command.id);
  event.version = record.version;
  event.evidence_time = ToFlat(support.time);
  event.evidence_memory = ToIdPtr(support.memory);
  fb::PayloadT payload;
  SetEvidence(support, payload);
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), std::move(payload)));
  return {};
}

Status DecideScore(Transaction& txn, const ScoreMemory& command) {
  RETURN_IF_ERROR(RequireRole(txn, kAgent | kReviewer | kOperator, "Scoring a memory"));
  ASSIGN_OR_RETURN(const auto record, RequireMemory(txn, command.id));
  RETURN_IF_ERROR(CheckMayScore(txn, command, record));
  ASSIGN_OR_RETURN(const Moved moved, MovedBy(txn.state(), txn.space(),
                                              PassKey(txn.secret(), command.pass), command.id));
  fb::MemoryScoredT event;
  event.memory = ToId(command.id);
  event.version = record.version;
  ASSIGN_OR_RETURN(event.importance, BoundedScore(command.importance, record.importance,
                                                  moved.importance, "importance"));
  ASSIGN_OR_RETURN(event.confidence, BoundedScore(command.confidence, record.confidence,
                                                  moved.confidence, "confidence"));
  fb::PayloadT payload;
  payload.pass = command.pass;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), std::move(payload)));
  return {};
}

Status DecideChangeGenre(Transaction& txn, const ChangeGenre& command) {
  RETURN_IF_ERROR(RequireRole(txn, kReviewer | kOperator, "Changing a genre"));
  ASSIGN_OR_RETURN(const auto record, RequireMemory(txn, command.id));
  RETURN_IF_ERROR(RequireLive(record, "Changing a genre"));
  if (record.genre == command.genre) return AppendSeenAgain(txn, command.id, record);
  fb::MemoryRecordT there = record;
  there.genre = command.genre;
  RETURN_IF_ERROR(CheckNoRival(txn, command.id, there));
  fb::GenreChangedT event;
  event.memory = ToId(command.id);
  event.version = record.version;
  event.genre = command.genre;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(event))));
  return {};
}

}  // namespace perdure
