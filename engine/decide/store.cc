#include <fmt/format.h>

#include <algorithm>

#include "engine/apply/memory_fold.h"
#include "engine/base/limits.h"
#include "engine/decide/admission.h"
#include "engine/decide/decide.h"
#include "engine/decide/derived.h"
#include "engine/decide/labels.h"
#include "engine/decide/notes.h"
#include "engine/decide/policy.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/decide/scores.h"
#include "engine/decide/slot.h"
#include "engine/decide/suppression.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

Status CheckKind(fb::MemoryKind kind) {
  if (kind != fb::MemoryKind::fact) return {};
  return Refuse(Rule::kKind, "Facts go in by fact_assert: subject, predicate, object and evidence.",
                "kind");
}

Status CheckDraft(const NoteDraft& draft, Micros now) {
  if (draft.text.empty()) {
    return Refuse(Rule::kMalformed, "text is empty; a memory needs one.", "text");
  }
  RETURN_IF_ERROR(CheckKind(draft.kind));
  RETURN_IF_ERROR(CheckText(draft.text, limits::kTextBytesMax, "text"));
  RETURN_IF_ERROR(CheckTitle(draft.title));
  RETURN_IF_ERROR(CheckTags(draft.tags));
  RETURN_IF_ERROR(CheckMetadata(draft.metadata));
  RETURN_IF_ERROR(CheckImportance(draft.importance));
  RETURN_IF_ERROR(CheckText(draft.type, limits::kLabelBytesMax, "type"));
  RETURN_IF_ERROR(CheckText(draft.theme, limits::kLabelBytesMax, "theme"));
  RETURN_IF_ERROR(CheckText(draft.source, limits::kLabelBytesMax, "source"));
  RETURN_IF_ERROR(CheckText(draft.conversation, limits::kLabelBytesMax, "conversation"));
  RETURN_IF_ERROR(CheckText(draft.speaker, limits::kLabelBytesMax, "speaker"));
  RETURN_IF_ERROR(CheckText(draft.session, limits::kLabelBytesMax, "session"));
  RETURN_IF_ERROR(CheckText(draft.store, limits::kLabelBytesMax, "store"));
  RETURN_IF_ERROR(CheckValidTime(draft.valid_from, draft.valid_until));
  return CheckExpiry(draft.expires_at, now);
}

// Where a note lies.
struct Home {
  fb::ScopeRef scope;
  Seq store = 0;
};

ValueKey KeyOf(const Transaction& txn, const NoteDraft& draft, const Home& home) {
  return ContentKey(txn.secret(), {.title = draft.title,
                                   .text = draft.text,
                                   .conversation = draft.conversation,
                                   .position = draft.position,
                                   .reference_time = draft.reference_time,
                                   .scope = home.scope,
                                   .store = home.store});
}

// The memory in `state` that is the note with this content; nullopt when there is none.
using Found = std::optional<std::pair<Uuid, fb::MemoryRecordT>>;
Result<Found> FindSame(const Transaction& txn, const ValueKey& key, fb::MemoryState state) {
  const std::string prefix = tables::ValuePrefix(txn.space(), key);
  std::vector<std::pair<Uuid, std::uint64_t>> candidates;
  RETURN_IF_ERROR(txn.state().Scan(
      Family::kRows, prefix, PrefixEnd(prefix), [&](std::string_view row, std::string_view) {
        row.remove_prefix(prefix.size());
        candidates.emplace_back(*UuidFromBytes(row.substr(0, 16)), ReadBigEndian(row.substr(16)));
        return true;
      }));
  for (const auto& [id, version] : candidates) {
    ASSIGN_OR_RETURN(auto record, ReadMemory(txn.state(), txn.space(), id));
    if (!record || record->version != version || record->state != state) continue;
    if (record->expires_at && *record->expires_at <= txn.NextTime()) continue;
    return Found(std::in_place, id, std::move(*record));
  }
  return std::nullopt;
}

// What keeps a note from being live at once.
struct Parked {
  fb::MemoryState state = fb::MemoryState::live;
  std::uint16_t because = 0;
};

Result<Uuid> StoreNew(Transaction& txn, const NoteDraft& draft, const Home& home,
                      const Parked& parked) {
  const Uuid id = txn.NewId();
  fb::MemoryStoredT event;
  event.memory = ToId(id);
  event.kind = draft.kind;
  event.scope = home.scope;
  event.store = home.store;
  event.memory_class = draft.memory_class.value_or(fb::MemoryClass::document);
  event.is_record = draft.is_record;
  event.rival = ToIdPtr(draft.supersedes);
  event.authorship = draft.authorship.value_or(fb::Authorship::authored);
  event.importance = draft.importance.value_or(kDefaultImportance);
  event.position = ToFlat(draft.position);
  event.reference_time = ToFlat(draft.reference_time);
  event.valid_from = ToFlat(draft.valid_from);
  event.valid_until = ToFlat(draft.valid_until);
  event.expires_at = ToFlat(draft.expires_at);
  event.genre = draft.genre.value_or(fb::Genre::factual);
  event.state = parked.state;
  event.because = parked.because;
  ASSIGN_OR_RETURN(event.derived_from, SourcesOf(txn, draft.derived_from));
  fb::PayloadT payload;
  payload.text = draft.text;
  payload.title = draft.title;
  payload.tags = draft.tags;
  payload.type = draft.type;
  payload.theme = draft.theme;
  payload.metadata = draft.metadata;
  payload.source = draft.source;
  payload.conversation = draft.conversation;
  payload.speaker = draft.speaker;
  payload.session = draft.session;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), std::move(payload)));
  return id;
}

// Names the arguments of a repeated store that differ from the memory and that a describe cannot
// change.
std::string NotApplied(const NoteDraft& draft, const fb::MemoryRecordT& record,
                       const fb::Payload& label) {
  std::string names;
  const auto note = [&names](bool differs, std::string_view name) {
    if (!differs) return;
    if (!names.empty()) names += ' ';
    names += name;
  };
  const auto differs = [](const std::string& given, const flatbuffers::String* held) {
    return !given.empty() && given != (held ? held->string_view() : std::string_view());
  };
  note(draft.kind != record.kind, "kind");
  note(draft.is_record && !record.is_record, "record");
  note(draft.valid_from && draft.valid_from != ToStd(record.valid_from), "valid_from");
  note(draft.valid_until && draft.valid_until != ToStd(record.valid_until), "valid_until");
  note(differs(draft.source, label.source()), "source");
  note(differs(draft.speaker, label.speaker()), "speaker");
  note(differs(draft.session, label.session()), "session");
  return names;
}

Status StoreAgain(Transaction& txn, const NoteDraft& draft, const Uuid& id,
                  const fb::MemoryRecordT& record) {
  ASSIGN_OR_RETURN(const PayloadRow label, RequirePayload(txn, record.label_seq));
  DescribeMemory change{.id = id};
  if (!draft.tags.empty()) change.tags = draft.tags;
  if (!draft.type.empty()) change.type = draft.type;
  if (!draft.theme.empty()) change.theme = draft.theme;
  if (!draft.metadata.empty()) change.metadata = draft.metadata;
  change.expires_at = draft.expires_at;
  change.authorship = draft.authorship;
  if (draft.memory_class == fb::MemoryClass::communication)
    change.memory_class = draft.memory_class;
  std::string not_applied = NotApplied(draft, record, *label);
  if (draft.importance && *draft.importance != record.importance) {
    const Status allowed = CheckImportanceBound(txn, id, record, *draft.importance);
    if (!allowed && !RuleOf(allowed.error())) return allowed;
    if (allowed) {
      change.importance = draft.importance;
    } else {
      not_applied += not_applied.empty() ? "importance" : " importance";
    }
  }
  return AppendDescription(txn, change, record, not_applied);
}

// The memory that the draft corrects.
Result<std::optional<Member>> Corrected(const Transaction& txn, const NoteDraft& draft) {
  if (!draft.supersedes) return std::nullopt;
  ASSIGN_OR_RETURN(auto record, FindMemory(txn, *draft.supersedes));
  RETURN_IF_ERROR(RequireLive(record, "Superseding"));
  RETURN_IF_ERROR(RequireMayPutAway(txn, record, "Superseding"));
  RETURN_IF_ERROR(RequireEditable(txn, record));
  if (record.kind != fb::MemoryKind::fact) return Member{*draft.supersedes, std::move(record)};
  return Refuse(Rule::kKind, "A fact is superseded by asserting what is true.", "supersedes");
}

Status Supersede(Transaction& txn, const Member& old, const Uuid& by) {
  if (old.id == by) {
    return Refuse(Rule::kMalformed, "A memory does not supersede itself.", "supersedes");
  }
  fb::MemorySupersededT event;
  event.memory = ToId(old.id);
  event.version = old.record.version;
  event.confidence = old.record.confidence;
  event.by = ToId(by);
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), {}, {.with_reason = false}));
  return {};
}

// Checks the draft and passes the suppression gate.
Result<Home> Admit(Transaction& txn, const NoteDraft& draft) {
  RETURN_IF_ERROR(CheckDraft(draft, txn.NextTime()));
  ASSIGN_OR_RETURN(const fb::ScopeRef scope,
                   EnsureScope(txn, draft.scope.value_or(txn.principal().scope)));
  RETURN_IF_ERROR(CheckNotSuppressed(txn, scope, [&]() -> Result<std::vector<ValueKey>> {
    return RefusedKeys(txn.secret(), draft.text);
  }));
  ASSIGN_OR_RETURN(const Seq store, EnsureStore(txn, draft.store));
  RETURN_IF_ERROR(RequireMayFill(txn, store));
  return Home{scope, store};
}

// Whether an admission rule sends the note to a reviewer; it may refuse it.
Result<Parked> Quarantine(const Transaction& txn, const NoteDraft& draft) {
  ASSIGN_OR_RETURN(const Policy policy, ReadPolicy(txn.state(), txn.space()));
  ASSIGN_OR_RETURN(const auto parked, AdmitNote(txn, policy, draft.text));
  if (!parked) return Parked{};
  return Parked{fb::MemoryState::pending, static_cast<std::uint16_t>(*parked)};
}

Status StoreOne(Transaction& txn, const NoteDraft& draft) {
  ASSIGN_OR_RETURN(const auto corrected, Corrected(txn, draft));
  ASSIGN_OR_RETURN(const Home home, Admit(txn, draft));
  ASSIGN_OR_RETURN(const Parked parked, Quarantine(txn, draft));
  if (corrected && parked.state != fb::MemoryState::live) {
    return Refuse(Rule::kInjection, "The correction gives orders to whoever reads it.", "text");
  }
  ASSIGN_OR_RETURN(const Found same, FindSame(txn, KeyOf(txn, draft, home), parked.state));
  if (same) {
    RETURN_IF_ERROR(StoreAgain(txn, draft, same->first, same->second));
    return corrected ? Supersede(txn, *corrected, same->first) : Status{};
  }
  ASSIGN_OR_RETURN(const Uuid id, StoreNew(txn, draft, home, parked));
  return corrected ? Supersede(txn, *corrected, id) : Status{};
}

std::unexpected<Error> Repeats(Rule rule, const Uuid& id, std::string_view how) {
  return RefuseWith(rule, fmt::format("The same note {} as memory {}.", how, ToString(id)),
                    {.suppression = 0, .memory = ToString(id)});
}

}  // namespace

Status ProposeNote(Transaction& txn, const NoteDraft& draft) {
  if (draft.supersedes) {
    return Refuse(Rule::kMalformed, "A candidate supersedes nothing.", "supersedes");
  }
  ASSIGN_OR_RETURN(const Home home, Admit(txn, draft));
  const ValueKey key = KeyOf(txn, draft, home);
  ASSIGN_OR_RETURN(const Found live, FindSame(txn, key, fb::MemoryState::live));
  if (live) return Repeats(Rule::kStands, live->first, "stands already");
  ASSIGN_OR_RETURN(const Found waits, FindSame(txn, key, fb::MemoryState::pending));
  if (waits) return Repeats(Rule::kWaits, waits->first, "waits for review");
  ASSIGN_OR_RETURN([[maybe_unused]] const Uuid id,
                   StoreNew(txn, draft, home, {.state = fb::MemoryState::pending}));
  return {};
}

Result<Uuid> StoreMerged(Transaction& txn, const NoteDraft& draft) {
  ASSIGN_OR_RETURN(const Home home, Admit(txn, draft));
  ASSIGN_OR_RETURN(const Parked parked, Quarantine(txn, draft));
  if (parked.state == fb::MemoryState::live) return StoreNew(txn, draft, home, parked);
  return Refuse(Rule::kInjection, "The merged text gives orders to whoever reads it.", "text");
}

Status CheckNoSameNote(const Transaction& txn, const fb::MemoryRecordT& record) {
  ASSIGN_OR_RETURN(const auto key, ContentKeyOf(txn.state(), txn.space(), record, txn.secret()));
  if (!key) return {};
  ASSIGN_OR_RETURN(const Found same, FindSame(txn, *key, fb::MemoryState::live));
  return same ? Repeats(Rule::kStands, same->first, "stands already") : Status{};
}

Status DecideStore(Transaction& txn, const StoreMemories& command) {
  RETURN_IF_ERROR(RequireRole(txn, kAgent | kReviewer | kOperator, "Storing a memory"));
  if (command.memories.empty() || command.memories.size() > limits::kStoreManyMax) {
    return Refuse(Rule::kTooMany,
                  fmt::format("One call stores 1 to {} memories; this one has {}.",
                              limits::kStoreManyMax, command.memories.size()),
                  "memories");
  }
  for (std::size_t i = 0; i < command.memories.size(); ++i) {
    Status stored = StoreOne(txn, command.memories[i]);
    if (stored) continue;
    if (command.memories.size() == 1) return stored;
    std::string& field = stored.error().field;
    field = fmt::format("memories[{}]{}{}", i, field.empty() ? "" : ".", field);
    return stored;
  }
  return {};
}

}  // namespace perdure
