#include <string>

#include "engine/decide/assert.h"
#include "engine/decide/rules.h"

namespace perdure {
namespace {

// The arguments of a repeated assertion that differ from what stands: a repetition changes none.
Result<std::string> LeftAlone(const Transaction& txn, const FactDraft& draft,
                              const fb::MemoryRecordT& standing) {
  ASSIGN_OR_RETURN(const PayloadRow text, RequirePayload(txn, standing.text_seq));
  ASSIGN_OR_RETURN(const PayloadRow label, RequirePayload(txn, standing.label_seq));
  std::string names;
  const auto note = [&names](bool differs, std::string_view name) {
    if (!differs) return;
    if (!names.empty()) names += ' ';
    names += name;
  };
  const auto differs = [](const std::string& given, const flatbuffers::String* held) {
    return !given.empty() && given != (held ? held->string_view() : std::string_view());
  };
  fb::PayloadT held;
  label->UnPackTo(&held);
  const bool said_otherwise = draft.text != InWords(draft.value);
  note(said_otherwise && differs(draft.text, text->text()), "text");
  note(!draft.tags.empty() && draft.tags != held.tags, "tags");
  note(differs(draft.theme, label->theme()), "theme");
  note(differs(draft.metadata, label->metadata()), "metadata");
  note(draft.importance && *draft.importance != standing.importance, "importance");
  note(draft.confidence.has_value(), "confidence");
  note(draft.authorship && *draft.authorship != standing.authorship, "authorship");
  note(!draft.derived_from.empty(), "derived_from");
  note(draft.valid_from && draft.valid_from != ToStd(standing.valid_from), "valid_from");
  note(draft.valid_until && draft.valid_until != ToStd(standing.valid_until), "valid_until");
  note(draft.expires_at && draft.expires_at != ToStd(standing.expires_at), "expires_at");
  return names;
}

}  // namespace

Status Repeat(Transaction& txn, const Claim& claim, const Member& standing, const Slot& slot) {
  ASSIGN_OR_RETURN(const std::string left_alone, LeftAlone(txn, claim.draft, standing.record));
  return Reinforce(txn, standing, {claim.support, left_alone}, slot, claim.policy);
}

}  // namespace perdure
