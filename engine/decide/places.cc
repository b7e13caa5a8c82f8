#include "engine/decide/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <tuple>

#include "engine/apply/memory_fold.h"
#include "engine/decide/derived.h"
#include "engine/decide/policy.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rest.h"
#include "engine/decide/rules.h"

namespace perdure {
namespace {

// The same value stands twice, said from both ends: one takes the other in, where both hold.
Status TakeIn(Transaction& txn, const Slot& slot, const Member& winner) {
  const ValidTime covered = ValidTime::Of(winner.record);
  for (const Member& same : slot.same) {
    if (!Stands(same.record)) continue;
    const auto before = ValidTime::Of(same.record).Before(covered);
    const auto after = ValidTime::Of(same.record).After(covered);
    if (before || after) {
      RETURN_IF_ERROR(Bound(txn, same, winner.id, before, after));
      continue;
    }
    fb::MemorySupersededT event;
    event.memory = ToId(same.id);
    event.version = same.record.version;
    event.confidence = same.record.confidence;
    event.by = ToId(winner.id);
    ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                     txn.Append(MakeEvent(std::move(event)), {}, {.with_reason = false}));
    RETURN_IF_ERROR(DisputeDerived(txn, same.id));
  }
  return {};
}

// Of two that a reviewer holds up neither makes way.
Status CheckOneIsHeldUp(const Slot& slot, const Member& winner) {
  if (!IsProtected(winner.record)) return {};
  const Member* other = slot.Protected();
  if (!other) return {};
  return RefuseWith(Rule::kRival,
                    fmt::format("Memories {} and {} would claim one place, and each is pinned or "
                                "verified. Forget one of them, or unpin it, first.",
                                ToString(winner.id), ToString(other->id)),
                    {.suppression = 0, .memory = ToString(other->id)});
}

// What is pinned or verified goes before anything else, then the latest.
auto RankOf(const Member& fact) {
  return std::tuple(IsProtected(fact.record), fact.record.accepted_time, fact.id);
}

// The standing one that goes before `fact`, and before the others; nullptr for none.
const Member* Stronger(const std::vector<Member>& members, const Member& fact) {
  const Member* best = nullptr;
  for (const Member& member : members) {
    if (!Stands(member.record) || RankOf(member) < RankOf(best ? *best : fact)) continue;
    best = &member;
  }
  return best;
}

// Settles the places of one fact. False: it made way for another, perhaps at a part of its time,
// and what is left of it is to be looked at again.
Result<bool> SettleOne(Transaction& txn, const Member& fact, const Policy& policy) {
  ASSIGN_OR_RETURN(const Slot slot, SlotOf(txn, fact.id, fact.record));
  RETURN_IF_ERROR(CheckOneIsHeldUp(slot, fact));
  if (const Member* same = Stronger(slot.same, fact)) {
    RETURN_IF_ERROR(TakeIn(txn, {.same = {fact}, .rivals = {}}, *same));
    return false;
  }
  if (const Member* rival = Stronger(slot.rivals, fact)) {
    RETURN_IF_ERROR(FadeRivals(txn, {fact}, {rival->id, ValidTime::Of(rival->record)}, policy));
    return false;
  }
  RETURN_IF_ERROR(TakeIn(txn, slot, fact));
  std::vector<Member> rivals = slot.rivals;
  std::erase_if(rivals, [](const Member& rival) { return !Stands(rival.record); });
  RETURN_IF_ERROR(FadeRivals(txn, rivals, {fact.id, ValidTime::Of(fact.record)}, policy));
  return true;
}

}  // namespace

Status SettlePlaces(Transaction& txn, std::vector<Member> facts) {
  ASSIGN_OR_RETURN(const Policy policy, ReadPolicy(txn.state(), txn.space()));
  std::erase_if(facts, [](const Member& fact) { return !Stands(fact.record); });
  std::ranges::sort(facts, std::greater(), RankOf);
  for (const Member& fact : facts) {
    for (bool is_settled = false; !is_settled;) {
      ASSIGN_OR_RETURN(auto now, ReadMemory(txn.state(), txn.space(), fact.id));
      if (!now || !Stands(*now) || HasExpired(*now, txn.NextTime())) break;
      ASSIGN_OR_RETURN(is_settled, SettleOne(txn, {fact.id, std::move(*now)}, policy));
    }
  }
  return {};
}

}  // namespace perdure
