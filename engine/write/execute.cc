#include "engine/write/execute.h"

#include <fmt/format.h>

#include <new>

#include "engine/apply/memory_fold.h"
#include "engine/base/limits.h"
#include "engine/decide/decide.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

// The answer that the idempotency key got before; nullopt when it is new.
Result<std::optional<WriteOutcome>> AnswerFromLog(const Transaction& txn) {
  const WriteOptions& options = txn.options();
  if (options.idempotency_key.empty()) return std::nullopt;
  const ValueKey key = IdempotencyKey(txn.secret(), options.idempotency_key);
  ASSIGN_OR_RETURN(
      const auto row,
      txn.state().Get(Family::kRows, tables::Idempotency(txn.space(), txn.principal().id, key)));
  if (!row) return std::nullopt;
  const ValueKey request = MakeValueKey(txn.secret(), "request", options.request_digest);
  if (std::string_view(*row).substr(8) != AsBytes(request)) {
    return Refuse(Rule::kKeyReused,
                  "This idempotency_key was used before with other arguments. Use a new key for a "
                  "new request.",
                  "idempotency_key");
  }
  const Seq seq = ReadBigEndian(std::string_view(*row).substr(0, 8));
  ASSIGN_OR_RETURN(const auto entries, ReadPass(txn.state(), txn.space(), seq, txn.head().seq));
  ASSIGN_OR_RETURN(WriteOutcome outcome, OutcomeOf(entries, txn.state()));
  outcome.repeated = true;
  return outcome;
}

Status CheckOptions(const WriteOptions& options) {
  if (options.keep && !options.dry_run) {
    return Refuse(Rule::kMalformed, "keep is for a dry run: set dry_run too, or leave keep out.",
                  "keep");
  }
  RETURN_IF_ERROR(
      CheckText(options.idempotency_key, limits::kIdempotencyKeyBytesMax, "idempotency_key"));
  return CheckText(options.reason, limits::kReasonBytesMax, "reason");
}

// The memory a command is about, for the entry that records its refusal.
std::optional<Uuid> SubjectOf(const Command& command) {
  if (const auto* c = std::get_if<EditMemory>(&command)) return c->id;
  if (const auto* c = std::get_if<DescribeMemory>(&command)) return c->id;
  if (const auto* c = std::get_if<MoveState>(&command)) return c->id;
  if (const auto* c = std::get_if<RevertMemory>(&command)) return c->id;
  if (const auto* c = std::get_if<Rollback>(&command)) return c->memory;
  if (const auto* c = std::get_if<ReviewCandidate>(&command)) return c->id;
  if (const auto* c = std::get_if<VerifyMemory>(&command)) return c->id;
  if (const auto* c = std::get_if<ScoreMemory>(&command)) return c->id;
  if (const auto* c = std::get_if<ChangeGenre>(&command)) return c->id;
  if (const auto* c = std::get_if<AddLink>(&command)) return c->from;
  if (const auto* c = std::get_if<RemoveLink>(&command)) return c->from;
  return std::nullopt;
}

Result<WriteOutcome> TryCommand(Transaction& txn, const Command& command) {
  try {
    RETURN_IF_ERROR(CheckOptions(txn.options()));
    ASSIGN_OR_RETURN(auto before, AnswerFromLog(txn));
    if (before) return std::move(*before);
    RETURN_IF_ERROR(Decide(txn, command));
    return OutcomeOf(txn.entries(), txn.state());
  } catch (const std::bad_alloc&) {  // the transaction is thrown away
    return Fail(Code::kUnavailable,
                "There is not enough memory for this command, and nothing of it was written.");
  }
}

// Appends one entry that says what became of a command that was not done. Keeps a sentence, never
// the command's text, and not its idempotency key; a reason that is itself over its limit stays
// out.
Result<Seq> Note(Overlay& group, const Circumstances& circumstances, fb::EventUnion event,
                 std::string message, Execution& execution) {
  fb::PayloadT payload;
  payload.message = std::move(message);
  WriteOptions bare;
  if (CheckOptions(*circumstances.options)) bare.reason = circumstances.options->reason;
  Circumstances without_key = circumstances;
  without_key.options = &bare;
  Transaction txn(group, without_key);
  ASSIGN_OR_RETURN(const Seq seq, txn.Append(std::move(event), std::move(payload)));
  execution.entries = std::move(txn).TakeEntries();
  execution.head = txn.head();
  group.Absorb(std::move(txn).TakeState());
  return seq;
}

// The refusal as an entry of its own.
Execution Refused(Overlay& group, const Circumstances& circumstances, const Command& command,
                  Error error, std::uint32_t count) {
  Execution execution{std::unexpected(error), {}, circumstances.head};
  if (count == 0) return execution;
  fb::WriteRefusedT event = RefusalEvent(error, static_cast<std::uint8_t>(command.index()));
  event.count = count;
  if (!event.memory) event.memory = ToIdPtr(SubjectOf(command));
  const Result<Seq> seq =
      Note(group, circumstances, MakeEvent(std::move(event)), error.message, execution);
  if (!seq) {
    execution.answer = std::unexpected(seq.error());
    return execution;
  }
  execution.answer.error().details.emplace_back("refused_seq", std::to_string(*seq));
  return execution;
}

// A dry run changes nothing; where its caller asked to keep it, an entry says what it came to.
Execution RanDry(Overlay& group, const Circumstances& circumstances, const Command& command,
                 Result<WriteOutcome> answer) {
  Execution execution{std::move(answer), {}, circumstances.head};
  if (execution.answer) {
    execution.answer->dry_run = true;
    execution.answer->seq = execution.answer->first_seq = 0;
    execution.answer->record_time = 0;
  }
  const bool was_decided = execution.answer || RuleOf(execution.answer.error());
  if (!circumstances.options->keep || !was_decided) return execution;
  fb::DryRunKeptT event;
  event.command = static_cast<std::uint8_t>(command.index());
  event.memory = ToIdPtr(SubjectOf(command));
  std::string message;
  if (execution.answer) {
    const auto& memories = execution.answer->memories;
    event.memories = static_cast<std::uint32_t>(memories.size());
    if (memories.size() == 1) event.version = memories.front().version;
  } else {
    fb::WriteRefusedT refusal = RefusalEvent(execution.answer.error(), event.command);
    event.gate = refusal.gate;
    event.rule = refusal.rule;
    if (refusal.memory)
      event.memory = std::move(refusal.memory);  // whose text the message may have
    message = execution.answer.error().message;
  }
  const Result<Seq> seq =
      Note(group, circumstances, MakeEvent(std::move(event)), std::move(message), execution);
  if (!seq) {
    execution.answer = std::unexpected(seq.error());
  } else if (execution.answer) {
    execution.answer->kept_seq = *seq;
  } else {
    execution.answer.error().details.emplace_back("kept_seq", std::to_string(*seq));
  }
  return execution;
}

}  // namespace

Execution Execute(Overlay& group, const Circumstances& circumstances, const Command& command,
                  const std::function<std::uint32_t()>& refusal_count) {
  Transaction txn(group, circumstances);
  Result<WriteOutcome> answer = TryCommand(txn, command);
  if (answer && answer->repeated) return {std::move(answer), {}, circumstances.head};
  if (circumstances.options->dry_run) {
    return RanDry(group, circumstances, command, std::move(answer));
  }
  if (!answer) {
    if (!RuleOf(answer.error())) return {std::move(answer), {}, circumstances.head};
    return Refused(group, circumstances, command, std::move(answer.error()), refusal_count());
  }
  Execution execution{std::move(answer), std::move(txn).TakeEntries(), txn.head()};
  group.Absorb(std::move(txn).TakeState());
  return execution;
}

}  // namespace perdure
