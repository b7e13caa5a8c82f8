#include "engine/decide/slot.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/apply/memory_fold.h"
#include "engine/base/limits.h"
#include "engine/decide/derived.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rest.h"
#include "engine/decide/rules.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

using fb::MemoryState;

// Memories and the text_seq with which one of the value keys finds them.
using Words = std::set<std::pair<Uuid, Seq>>;
Result<Words> Found(const Transaction& txn, const std::vector<ValueKey>& keys) {
  Words found;
  for (const ValueKey& key : keys) {
    const std::string prefix = tables::ValuePrefix(txn.space(), key);
    RETURN_IF_ERROR(txn.state().Scan(
        Family::kRows, prefix, PrefixEnd(prefix), [&](std::string_view row, std::string_view) {
          row.remove_prefix(prefix.size());
          found.emplace(*UuidFromBytes(row.substr(0, 16)), ReadBigEndian(row.substr(16)));
          return true;
        }));
  }
  return found;
}

Result<std::set<Uuid>> LiveIn(const Transaction& txn, const ValueKey& slot) {
  std::set<Uuid> live;
  const std::string prefix = tables::SlotPrefix(txn.space(), slot);
  RETURN_IF_ERROR(txn.state().Scan(Family::kRows, prefix, PrefixEnd(prefix),
                                   [&](std::string_view row, std::string_view) {
                                     live.insert(*UuidFromBytes(row.substr(prefix.size())));
                                     return true;
                                   }));
  return live;
}

// The memories that still say what they were found by.
Result<std::vector<Member>> Members(const Transaction& txn, const Words& found) {
  std::vector<Member> members;
  for (const auto& [id, text_seq] : found) {
    ASSIGN_OR_RETURN(auto record, ReadMemory(txn.state(), txn.space(), id));
    if (!record || record->text_seq != text_seq || record->state == MemoryState::erased) continue;
    members.push_back({id, std::move(*record)});
  }
  return members;
}

const Member* FirstOf(const std::vector<Member>& members, auto&& predicate) {
  const auto found = std::ranges::find_if(members, predicate);
  return found == members.end() ? nullptr : &*found;
}

Status Supersede(Transaction& txn, const Member& rival, const Uuid& by, float confidence) {
  fb::MemorySupersededT event;
  event.memory = ToId(rival.id);
  event.version = rival.record.version;
  event.confidence = confidence;
  event.by = ToId(by);
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), {}, {.with_reason = false}));
  return DisputeDerived(txn, rival.id);
}

Status Fade(Transaction& txn, const Member& rival, const Uuid& by, float confidence) {
  fb::FactFadedT event;
  event.memory = ToId(rival.id);
  event.version = rival.record.version;
  event.confidence = confidence;
  event.shadowed = true;
  event.by = ToId(by);
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), {}, {.with_reason = false}));
  return {};
}

Status CheckWords(std::string_view words, std::string_view field) {
  if (words.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return Refuse(Rule::kMalformed, fmt::format("{} is empty; a fact needs one.", field),
                  std::string(field));
  }
  return CheckText(words, limits::kFactPartBytesMax, field);
}

}  // namespace

bool Stands(const fb::MemoryRecordT& record) {
  return record.state == MemoryState::live && !record.shadowed;
}

ValidTime ValidTime::Of(const fb::MemoryRecordT& record) {
  return {ToStd(record.valid_from), ToStd(record.valid_until)};
}

bool ValidTime::Overlaps(const ValidTime& other) const {
  const auto before = [](const std::optional<Micros>& end, const std::optional<Micros>& start) {
    return end && start && *end <= *start;
  };
  return !before(until, other.from) && !before(other.until, from);
}

std::optional<ValidTime> ValidTime::Before(const ValidTime& other) const {
  if (!other.from || (from && *from >= *other.from)) return std::nullopt;
  return ValidTime{from, other.from};
}

std::optional<ValidTime> ValidTime::After(const ValidTime& other) const {
  if (!other.until || (until && *until <= *other.until)) return std::nullopt;
  return ValidTime{other.until, until};
}

const Member* Slot::Standing() const {
  return FirstOf(same, [](const Member& m) { return Stands(m.record); });
}
const Member* Slot::Rival() const {
  const Member* latest = nullptr;
  for (const Member& member : rivals) {
    if (!Stands(member.record)) continue;
    if (!latest || member.record.accepted_time > latest->record.accepted_time) latest = &member;
  }
  return latest;
}
const Member* Slot::Protected() const {
  return FirstOf(rivals, [](const Member& m) { return Stands(m.record) && IsProtected(m.record); });
}
const Member* Slot::Candidate() const {
  return FirstOf(same, [](const Member& m) { return m.record.state == MemoryState::pending; });
}

Result<Slot> ReadSlot(const Transaction& txn, const FactKeys& keys, const Seat& seat,
                      bool multi_valued) {
  const auto claims = [&](const fb::MemoryRecordT& record) {
    return SameScope(record.scope, seat.scope) && record.genre == seat.genre &&
           ValidTime::Of(record).Overlaps(seat.valid) && !HasExpired(record, txn.NextTime());
  };
  Slot slot;
  ASSIGN_OR_RETURN(const Words found, Found(txn, keys.values));
  ASSIGN_OR_RETURN(slot.same, Members(txn, found));
  std::erase_if(slot.same, [&](const Member& member) { return !claims(member.record); });
  if (multi_valued) return slot;
  std::set<Uuid> live;
  for (const ValueKey& key : keys.scoped) {
    ASSIGN_OR_RETURN(std::set<Uuid> more, LiveIn(txn, key));
    live.merge(more);
  }
  for (const Uuid& id : live) {
    if (FirstOf(slot.same, [&](const Member& member) { return member.id == id; })) continue;
    ASSIGN_OR_RETURN(auto record, ReadMemory(txn.state(), txn.space(), id));
    if (!record || !claims(*record)) continue;
    slot.rivals.push_back({id, std::move(*record)});
  }
  return slot;
}

Result<std::vector<Member>> FactsOfSlot(const Transaction& txn, const FactWords& words,
                                        bool symmetric) {
  std::vector<ValueKey> keys = {SlotKey(txn.secret(), words.subject, words.predicate)};
  if (symmetric) keys.push_back(SlotKey(txn.secret(), words.object, words.predicate));
  ASSIGN_OR_RETURN(const Words found, Found(txn, keys));
  return Members(txn, found);
}

Result<Slot> SlotOf(const Transaction& txn, const Uuid& id, const fb::MemoryRecordT& record) {
  ASSIGN_OR_RETURN(const PayloadRow text, RequirePayload(txn, record.text_seq));
  ASSIGN_OR_RETURN(const Predicate predicate,
                   ReadPredicate(txn.state(), txn.space(), txn.secret(),
                                 text->predicate() ? text->predicate()->string_view() : ""));
  const FactKeys keys = KeysOfFact(txn.secret(), FactWords::Of(*text),
                                   record.symmetric || predicate.symmetric, record.scope);
  const Seat seat{record.scope, record.genre, ValidTime::Of(record)};
  ASSIGN_OR_RETURN(Slot slot, ReadSlot(txn, keys, seat, predicate.multi_valued));
  const auto itself = [&](const Member& member) { return member.id == id; };
  std::erase_if(slot.same, itself);
  std::erase_if(slot.rivals, itself);
  return slot;
}

Status CheckNoRival(const Transaction& txn, const Uuid& id, const fb::MemoryRecordT& record) {
  if (record.kind != fb::MemoryKind::fact) return {};
  ASSIGN_OR_RETURN(const Slot slot, SlotOf(txn, id, record));
  const Member* rival = slot.Standing() ? slot.Standing() : slot.Rival();
  if (!rival) return {};
  return RefuseWith(Rule::kRival,
                    fmt::format("Memory {} stands in its place. Assert this value with newer "
                                "evidence, or forget the other first.",
                                ToString(rival->id)),
                    {.suppression = 0, .memory = ToString(rival->id)});
}

Status FadeRivals(Transaction& txn, const std::vector<Member>& rivals, const Winner& winner,
                  const Policy& policy) {
  for (const Member& known : rivals) {
    // What was made from a rival that is superseded may be disputed by now.
    ASSIGN_OR_RETURN(auto now, ReadMemory(txn.state(), txn.space(), known.id));
    if (!now || now->state != MemoryState::live) continue;
    const Member rival{known.id, std::move(*now)};
    const fb::MemoryRecordT& record = rival.record;
    const ValidTime valid = ValidTime::Of(record);
    if (!valid.Overlaps(winner.valid) || (IsProtected(record) && !winner.displaces)) continue;
    const auto before = valid.Before(winner.valid);
    const auto after = valid.After(winner.valid);
    if (before || after) {
      if (!record.shadowed) RETURN_IF_ERROR(Bound(txn, rival, winner.id, before, after));
      continue;
    }
    const float left = record.confidence *
                       (record.importance >= policy.critical ? policy.critical_fade : policy.fade);
    if (IsProtected(record)) {
      RETURN_IF_ERROR(Supersede(txn, rival, winner.id, record.confidence));
    } else {
      RETURN_IF_ERROR(left < policy.archive_below ? Supersede(txn, rival, winner.id, left)
                                                  : Fade(txn, rival, winner.id, left));
    }
  }
  return {};
}

Status CheckFactValue(const FactValue& value) {
  RETURN_IF_ERROR(CheckWords(value.subject, "subject"));
  RETURN_IF_ERROR(CheckWords(value.predicate, "predicate"));
  return CheckWords(value.object, "object");
}

std::string InWords(const FactValue& value) {
  std::string predicate = value.predicate;
  std::ranges::replace(predicate, '_', ' ');
  return fmt::format("{} {} {}", value.subject, predicate, value.object);
}

}  // namespace perdure
