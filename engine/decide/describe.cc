#include <fmt/format.h>

#include <algorithm>

#include "engine/base/limits.h"
#include "engine/decide/decide.h"
#include "engine/decide/labels.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/decide/scores.h"
#include "engine/decide/slot.h"
#include "engine/decide/suppression.h"

namespace perdure {
namespace {

bool Same(const fb::PayloadT& a, const fb::PayloadT& b) {
  return a.title == b.title && a.tags == b.tags && a.type == b.type && a.theme == b.theme &&
         a.metadata == b.metadata;
}

bool Same(const fb::MemoryDescribedT& event, const fb::MemoryRecordT& record) {
  return SameScope(event.scope, record.scope) && event.authorship == record.authorship &&
         event.importance == record.importance && event.expires_at == record.expires_at &&
         event.store == record.store && event.memory_class == record.memory_class;
}

Status Clear(const std::vector<std::string>& fields, fb::PayloadT& payload,
             fb::MemoryDescribedT& event) {
  for (const std::string& field : fields) {
    if (field == "title") {
      payload.title.clear();
    } else if (field == "tags") {
      payload.tags.clear();
    } else if (field == "type") {
      payload.type.clear();
    } else if (field == "theme") {
      payload.theme.clear();
    } else if (field == "metadata") {
      payload.metadata.clear();
    } else if (field == "expires_at") {
      event.expires_at = {};
    } else {
      return Refuse(Rule::kMalformed,
                    fmt::format("'{}' cannot be cleared; title, tags, type, theme, metadata and "
                                "expires_at can.",
                                field),
                    "clear");
    }
  }
  return {};
}

void Set(const DescribeMemory& change, fb::PayloadT& payload, fb::MemoryDescribedT& event) {
  if (change.title) payload.title = *change.title;
  if (change.tags) payload.tags = *change.tags;
  if (change.type) payload.type = *change.type;
  if (change.theme) payload.theme = *change.theme;
  if (change.metadata) payload.metadata = *change.metadata;
  if (change.expires_at) event.expires_at = *change.expires_at;
  if (change.importance) event.importance = *change.importance;
  if (change.authorship) event.authorship = *change.authorship;
  if (change.memory_class) event.memory_class = *change.memory_class;
}

// A communication may be sent nowhere; that it is none is for a reviewer to say.
Status CheckClass(const Transaction& txn, const DescribeMemory& change,
                  const fb::MemoryRecordT& record) {
  const bool opens = change.memory_class == fb::MemoryClass::document &&
                     record.memory_class == fb::MemoryClass::communication;
  return opens ? RequireRole(txn, kReviewer | kOperator, "Making a document of a communication")
               : Status{};
}

// A record keeps what it says.
Status CheckRecordStays(const DescribeMemory& change, const fb::MemoryRecordT& record) {
  if (!record.is_record) return {};
  const auto rewrites = [](const std::string& field) {
    return field == "title" || field == "metadata";
  };
  if (!change.title && !change.metadata && std::ranges::none_of(change.clear, rewrites)) return {};
  return Refuse(Rule::kRecord,
                "This memory is a record: its title and metadata stay. Store the correction as a "
                "new memory with supersedes.",
                "id");
}

// The gates at the place that a memory moves to, and at its own when its time had run out.
Status CheckMayBeThere(const Transaction& txn, const Uuid& id, fb::MemoryRecordT record,
                       const fb::MemoryDescribedT& event) {
  const bool moves = !SameScope(record.scope, event.scope);
  if (moves || event.expires_at != record.expires_at) {
    RETURN_IF_ERROR(RequireMayPutAway(txn, record, "Moving or dating it"));
  }
  const bool was_gone = HasExpired(record, txn.NextTime());
  record.scope = event.scope;
  record.expires_at = event.expires_at;
  const bool returns = was_gone && !HasExpired(record, txn.NextTime());
  if (!moves && !returns) return {};
  RETURN_IF_ERROR(CheckMayReturn(txn, record));
  return CheckNoRival(txn, id, record);
}

}  // namespace

Status CheckTitle(const std::string& title) {
  return CheckText(title, limits::kTitleBytesMax, "title");
}

Status CheckTags(const std::vector<std::string>& tags) {
  if (tags.size() > limits::kTagsMax) {
    return Refuse(Rule::kLimit,
                  fmt::format("A memory has at most {} tags; this one would have {}.",
                              limits::kTagsMax, tags.size()),
                  "tags");
  }
  for (const std::string& tag : tags) {
    if (tag.empty()) return Refuse(Rule::kMalformed, "A tag is empty. Leave it out.", "tags");
    RETURN_IF_ERROR(CheckText(tag, limits::kTagBytesMax, "tags"));
  }
  return {};
}

Status CheckMetadata(const std::string& metadata) {
  return CheckText(metadata, limits::kMetadataBytesMax, "metadata");
}

Status CheckImportance(const std::optional<float>& importance) {
  if (!importance || (*importance >= 0 && *importance <= 1)) return {};
  return Refuse(Rule::kMalformed,
                fmt::format("importance is {}; it must lie in 0..1, e.g. 0.8.", *importance),
                "importance");
}

Status CheckValidTime(const std::optional<Micros>& from, const std::optional<Micros>& until) {
  if (!from || !until || *until > *from) return {};
  return Refuse(Rule::kInterval,
                fmt::format("valid_until ({}) must lie after valid_from ({}).", FormatTime(*until),
                            FormatTime(*from)),
                "valid_until");
}

Status CheckExpiry(const std::optional<Micros>& expires_at, Micros now) {
  if (!expires_at || *expires_at > now) return {};
  return Refuse(Rule::kInterval,
                fmt::format("expires_at ({}) has passed; to hide the memory, archive it instead.",
                            FormatTime(*expires_at)),
                "expires_at");
}

Status AppendDescription(Transaction& txn, const DescribeMemory& change,
                         const fb::MemoryRecordT& record, const std::string& not_applied) {
  ASSIGN_OR_RETURN(const PayloadRow label, RequirePayload(txn, record.label_seq));
  fb::PayloadT held;
  label->UnPackTo(&held);
  fb::PayloadT payload;
  payload.title = held.title;
  payload.tags = held.tags;
  payload.type = held.type;
  payload.theme = held.theme;
  payload.metadata = held.metadata;
  payload.source = held.source;
  payload.conversation = held.conversation;
  payload.speaker = held.speaker;
  payload.session = held.session;
  payload.message = not_applied;
  fb::MemoryDescribedT event;
  event.memory = ToId(change.id);
  event.version = record.version + 1;
  event.authorship = record.authorship;
  event.importance = record.importance;
  event.expires_at = record.expires_at;
  event.scope = record.scope;
  event.store = record.store;
  event.memory_class = record.memory_class;
  RETURN_IF_ERROR(Clear(change.clear, payload, event));
  Set(change, payload, event);
  if (change.scope) {
    ASSIGN_OR_RETURN(event.scope, EnsureScope(txn, *change.scope));
    RETURN_IF_ERROR(RequireSameOwner(txn, record.scope, event.scope));
  }
  if (change.store) {
    ASSIGN_OR_RETURN(event.store, EnsureStore(txn, *change.store));
    RETURN_IF_ERROR(RequireMayFill(txn, event.store));
  }
  RETURN_IF_ERROR(CheckMayBeThere(txn, change.id, record, event));
  if (event.importance != record.importance) {
    RETURN_IF_ERROR(CheckImportanceBound(txn, change.id, record, event.importance));
    if (!txn.principal().Has(kReviewer | kOperator)) payload.pass = PassOfDescriptions(txn);
  }
  if (Same(payload, held) && Same(event, record)) {
    fb::MemorySeenAgainT seen;
    seen.memory = event.memory;
    seen.version = record.version;
    fb::PayloadT note;
    note.message = not_applied;
    ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                     txn.Append(MakeEvent(std::move(seen)), std::move(note)));
    return {};
  }
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), std::move(payload)));
  return {};
}

Status DecideDescribe(Transaction& txn, const DescribeMemory& command) {
  RETURN_IF_ERROR(RequireRole(txn, kAgent | kReviewer | kOperator, "Describing a memory"));
  ASSIGN_OR_RETURN(const auto record, RequireMemory(txn, command.id));
  RETURN_IF_ERROR(RequireLive(record, "Describing"));
  RETURN_IF_ERROR(RequireEditable(txn, record));
  RETURN_IF_ERROR(CheckRecordStays(command, record));
  RETURN_IF_ERROR(CheckClass(txn, command, record));
  if (command.title) RETURN_IF_ERROR(CheckTitle(*command.title));
  if (command.tags) RETURN_IF_ERROR(CheckTags(*command.tags));
  if (command.type) RETURN_IF_ERROR(CheckText(*command.type, limits::kLabelBytesMax, "type"));
  if (command.theme) RETURN_IF_ERROR(CheckText(*command.theme, limits::kLabelBytesMax, "theme"));
  if (command.metadata) RETURN_IF_ERROR(CheckMetadata(*command.metadata));
  RETURN_IF_ERROR(CheckImportance(command.importance));
  RETURN_IF_ERROR(CheckExpiry(command.expires_at, txn.NextTime()));
  return AppendDescription(txn, command, record, "");
}

}  // namespace perdure
