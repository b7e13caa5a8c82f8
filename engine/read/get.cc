#include <fmt/format.h>

#include "engine/apply/memory_fold.h"
#include "engine/apply/place_fold.h"
#include "engine/decide/containers.h"
#include "engine/decide/rules.h"
#include "engine/model/tables.h"
#include "engine/read/read_view.h"

namespace perdure {
namespace {

constexpr std::size_t kCandidatesShown = 10;

std::string TextOf(const flatbuffers::String* text) { return text ? text->str() : std::string(); }

std::unexpected<Error> NoSuchMemory(const Uuid& id) {
  return Fail(Code::kNotFound,
              fmt::format("There is no memory {} that this token may see. memory_list shows those "
                          "there are.",
                          ToString(id)),
              "id");
}

std::unexpected<Error> Erased(const Uuid& id, Seq seq) {
  auto failed = Fail(
      Code::kErased,
      fmt::format("Memory {} was erased at seq {}; its text is gone for good.", ToString(id), seq),
      "id");
  failed.error().details.emplace_back("erased_seq", std::to_string(seq));
  return failed;
}

}  // namespace

Result<std::optional<fb::MemoryRecordT>> ReadView::RecordThen(const Uuid& id) const {
  return ReadMemory(then_, in_.space, id);
}

Result<bool> ReadView::Allowed(const fb::MemoryRecordT& then, const fb::MemoryRecordT& now) const {
  const auto hidden = [](fb::MemoryState state) {
    return state == fb::MemoryState::forgotten || state == fb::MemoryState::rejected ||
           state == fb::MemoryState::pending;
  };
  if ((hidden(then.state) || hidden(now.state)) &&
      !in_.principal.Has(kReviewer | kAuditor | kOperator)) {
    return false;
  }
  if (in_.principal.scope.empty()) return true;
  ASSIGN_OR_RETURN(const auto own, ResolveScope(std::nullopt));
  if (!own) return false;
  return ScopeContains(now_, in_.space, *own, now.scope);
}

// The record at the view's time, if the caller may see the memory at all.
Result<fb::MemoryRecordT> ReadView::Visibly(const Uuid& id) const {
  ASSIGN_OR_RETURN(const auto now, ReadMemory(now_, in_.space, id));
  if (!now) return NoSuchMemory(id);
  ASSIGN_OR_RETURN(auto then, RecordThen(id));
  ASSIGN_OR_RETURN(const bool allowed, Allowed(then ? *then : *now, *now));
  if (!allowed || !then) return NoSuchMemory(id);
  if (now->state == fb::MemoryState::erased) return Erased(id, now->erased_seq);
  return std::move(*then);
}

Result<bool> ReadView::MaySee(const Uuid& id) const {
  const auto record = Visibly(id);
  if (record) return true;
  if (record.error().code == Code::kNotFound || record.error().code == Code::kErased) return false;
  return std::unexpected(record.error());
}

Result<Memory> ReadView::Load(const Uuid& id, fb::MemoryRecordT record, bool with_text) const {
  Memory memory;
  memory.id = id;
  const bool is_fact = record.kind == fb::MemoryKind::fact;
  if (with_text || is_fact || record.label_seq == record.text_seq) {
    ASSIGN_OR_RETURN(const auto text, ReadPayload(now_, in_.space, record.text_seq));
    if (!text) {
      return Fail(
          Code::kCompacted,
          fmt::format("The text of version {} of memory {} went when history was compacted.",
                      record.version, ToString(id)),
          "as_of");
    }
    if (with_text) memory.text = TextOf((*text)->text());
    memory.subject = TextOf((*text)->subject());
    memory.predicate = TextOf((*text)->predicate());
    memory.object = TextOf((*text)->object());
    memory.origin = TextOf((*text)->client());
  }
  ASSIGN_OR_RETURN(const auto label, ReadPayload(now_, in_.space, record.label_seq));
  if (!label) {
    return Fail(Code::kCompacted,
                fmt::format("The description of version {} of memory {} went when history was "
                            "compacted.",
                            record.version, ToString(id)),
                "as_of");
  }
  const fb::Payload& described = **label;
  memory.title = TextOf(described.title());
  if (described.tags()) {
    for (const auto* tag : *described.tags()) memory.tags.push_back(tag->str());
  }
  memory.type = TextOf(described.type());
  memory.theme = TextOf(described.theme());
  memory.metadata = TextOf(described.metadata());
  memory.source = TextOf(described.source());
  memory.conversation = TextOf(described.conversation());
  memory.speaker = TextOf(described.speaker());
  memory.session = TextOf(described.session());
  ASSIGN_OR_RETURN(memory.scope, NameScope(record.scope));
  if (record.store == 0) {
    memory.store = kDefaultStore;
  } else {
    ASSIGN_OR_RETURN(const auto store, ReadNode(now_, in_.space, record.store));
    if (!store) return Fail(Code::kCorrupt, "A store has no record. Run `perdure replay`.");
    ASSIGN_OR_RETURN(memory.store, NameOf(now_, in_.space, record.store, *store));
    memory.editable = store->source == 0;
  }
  memory.valid = (!record.valid_from || *record.valid_from <= in_.valid_at) &&
                 (!record.valid_until || in_.valid_at < *record.valid_until);
  memory.expired = record.expires_at && *record.expires_at <= in_.valid_at;
  memory.record = std::move(record);
  return memory;
}

Result<Memory> ReadView::Get(const Uuid& id) const {
  ASSIGN_OR_RETURN(auto record, Visibly(id));
  return Load(id, std::move(record), true);
}

Result<Memory> ReadView::GetVersion(const Uuid& id, std::uint32_t version) const {
  ASSIGN_OR_RETURN(const auto then, Visibly(id));
  auto no_version = Fail(Code::kNotFound,
                         fmt::format("Memory {} has no version {}; it is at version {}.",
                                     ToString(id), version, then.version),
                         "version");
  if (version == 0 || version > then.version) return no_version;
  ASSIGN_OR_RETURN(auto record, RecordOfVersion(now_, in_.space, id, version));
  if (!record) return no_version;
  return Load(id, std::move(*record), true);
}

Result<Uuid> ReadView::Resolve(std::string_view id_or_prefix, std::string_view field) const {
  ASSIGN_OR_RETURN(const UuidPrefix prefix, ParseUuidPrefix(id_or_prefix, field));
  if (prefix.IsWhole()) return prefix.low;
  const std::string table = tables::MemoryPrefix(in_.space);
  std::vector<Uuid> found;
  RETURN_IF_ERROR(now_.Scan(Family::kState, tables::Memory(in_.space, prefix.low),
                            PrefixEnd(tables::Memory(in_.space, prefix.high)),
                            [&](std::string_view key, std::string_view) {
                              found.push_back(*UuidFromBytes(key.substr(table.size())));
                              return found.size() <= 1000;
                            }));
  std::vector<Uuid> seen;
  std::vector<Uuid> erased;  // within the caller's reach
  for (const Uuid& id : found) {
    const auto record = Visibly(id);
    if (record) {
      seen.push_back(id);
    } else if (record.error().code == Code::kErased) {
      erased.push_back(id);
    } else if (record.error().code != Code::kNotFound) {
      return std::unexpected(record.error());
    }
  }
  if (seen.size() == 1) return seen.front();
  if (seen.empty()) {
    // An erased memory is named, so that the answer can say what became of it.
    if (erased.size() == 1) return erased.front();
    return Fail(Code::kNotFound,
                fmt::format("No memory that this token may see begins with '{}'.", id_or_prefix),
                std::string(field));
  }
  auto ambiguous =
      Fail(Code::kAmbiguous,
           fmt::format("'{}' begins {} memories. Give more characters.", id_or_prefix, seen.size()),
           std::string(field));
  for (std::size_t i = 0; i < seen.size() && i < kCandidatesShown; ++i) {
    ambiguous.error().details.emplace_back("candidate", ToString(seen[i]));
    ambiguous.error().message += (i == 0 ? " Candidates: " : ", ") + ToString(seen[i]);
  }
  return ambiguous;
}

}  // namespace perdure
