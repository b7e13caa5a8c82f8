#include <fmt/format.h>

#include "engine/base/limits.h"
#include "engine/decide/admission.h"
#include "engine/decide/decide.h"
#include "engine/decide/policy.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/decide/suppression.h"

namespace perdure {
namespace {

std::size_t CountOf(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

std::string ReplaceIn(std::string_view text, const ReplaceText& change) {
  std::string out;
  for (;;) {
    const std::size_t at = text.find(change.old_text);
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    out += change.new_text;
    text.remove_prefix(at + change.old_text.size());
  }
}

Result<std::string> Changed(std::string_view text, const ReplaceText& change) {
  if (change.old_text.empty()) {
    return Refuse(Rule::kMalformed,
                  "old_text is empty. Give the text to replace, or use append or text.",
                  "old_text");
  }
  const std::size_t count = CountOf(text, change.old_text);
  if (count == 0) {
    return Refuse(Rule::kTextNotFound,
                  "old_text does not stand in the memory. Read it with memory_get and copy the "
                  "passage exactly, white space included.",
                  "old_text");
  }
  if (count > 1 && !change.all) {
    return Refuse(Rule::kTextNotUnique,
                  fmt::format("old_text stands in the memory {} times. Give more of its "
                              "surroundings, or set replace_all.",
                              count),
                  "old_text");
  }
  const std::size_t grown = text.size() + count * change.new_text.size();
  if (grown - count * change.old_text.size() > limits::kTextBytesMax) {
    return Refuse(Rule::kLimit,
                  fmt::format("The text would have more than {} bytes.", limits::kTextBytesMax),
                  "new_text");
  }
  return ReplaceIn(text, change);
}

Result<std::string> Changed(std::string_view text, const AppendText& change) {
  return std::string(text) + change.text;
}

Result<std::string> Changed(std::string_view, const WholeText& change) { return change.text; }

Status CheckChange(const ReplaceText& change) {
  RETURN_IF_ERROR(CheckText(change.old_text, limits::kTextBytesMax, "old_text"));
  return CheckText(change.new_text, limits::kTextBytesMax, "new_text");
}
Status CheckChange(const AppendText& change) {
  return CheckText(change.text, limits::kTextBytesMax, "append");
}
Status CheckChange(const WholeText& change) {
  return CheckText(change.text, limits::kTextBytesMax, "text");
}

}  // namespace

Status DecideEdit(Transaction& txn, const EditMemory& command) {
  RETURN_IF_ERROR(RequireRole(txn, kAgent | kReviewer | kOperator, "Editing a memory"));
  ASSIGN_OR_RETURN(const auto record, RequireMemory(txn, command.id));
  RETURN_IF_ERROR(RequireLive(record, "Editing"));
  if (record.kind == fb::MemoryKind::fact) {
    return Refuse(Rule::kKind,
                  "A fact is not edited: assert the new value with its evidence, and this one "
                  "becomes history.",
                  "id");
  }
  RETURN_IF_ERROR(RequireMayRewrite(txn, record));
  RETURN_IF_ERROR(std::visit([](const auto& c) { return CheckChange(c); }, command.change));
  ASSIGN_OR_RETURN(const PayloadRow held, RequirePayload(txn, record.text_seq));
  const std::string_view before = held->text() ? held->text()->string_view() : std::string_view();
  ASSIGN_OR_RETURN(std::string text,
                   std::visit([&](const auto& c) { return Changed(before, c); }, command.change));
  if (text.empty()) {
    return Refuse(Rule::kMalformed,
                  "The edit would leave an empty text. To put the memory away, archive it.",
                  "text");
  }
  RETURN_IF_ERROR(CheckText(text, limits::kTextBytesMax, "text"));
  if (text == before) {
    fb::MemorySeenAgainT seen;
    seen.memory = ToId(command.id);
    seen.version = record.version;
    ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(seen))));
    return {};
  }
  RETURN_IF_ERROR(CheckNotSuppressed(txn, record.scope, [&]() -> Result<std::vector<ValueKey>> {
    return RefusedKeys(txn.secret(), text);
  }));
  ASSIGN_OR_RETURN(const Policy policy, ReadPolicy(txn.state(), txn.space()));
  ASSIGN_OR_RETURN(const auto parked, AdmitNote(txn, policy, text));
  if (parked) {
    return Refuse(*parked, "A reviewer has to see the new text: propose it as a candidate.",
                  "text");
  }
  fb::MemoryRevisedT event;
  event.memory = ToId(command.id);
  event.version = record.version + 1;
  fb::PayloadT payload;
  payload.text = std::move(text);
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), std::move(payload)));
  return {};
}

}  // namespace perdure
