// What stands in a fact's slot: the facts that it repeats or contends with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/decide/fact_commands.h"
#include "engine/decide/policy.h"
#include "engine/decide/transaction.h"
#include "engine/model/fact_keys.h"
#include "schema/records_generated.h"

namespace perdure {

// Whether default reads show the fact as its slot's value, when its time has not run out.
bool Stands(const fb::MemoryRecordT& record);

struct Member {
  Uuid id;
  fb::MemoryRecordT record;
};

// A half-open interval of valid time; absent ends are open.
struct ValidTime {
  std::optional<Micros> from;
  std::optional<Micros> until;

  static ValidTime Of(const fb::MemoryRecordT& record);
  bool Overlaps(const ValidTime& other) const;
  // What of this interval lies before, and after, all of `other`; nullopt for nothing.
  std::optional<ValidTime> Before(const ValidTime& other) const;
  std::optional<ValidTime> After(const ValidTime& other) const;
};

// Where a fact would stand: what has another scope, another genre or another time is no rival.
struct Seat {
  fb::ScopeRef scope;
  fb::Genre genre = fb::Genre::factual;
  ValidTime valid;
};

// The facts that claim the same seat.
struct Slot {
  std::vector<Member> same;    // with the same value, in any state but erased
  std::vector<Member> rivals;  // live, with another value; none where many values may stand

  const Member* Standing() const;   // of the same value: the one that default reads show
  const Member* Candidate() const;  // of the same value: the one that waits for review
  const Member* Rival() const;      // the rival that default reads show; of several the latest
  const Member* Protected() const;  // a rival among them that is pinned or verified
};
Result<Slot> ReadSlot(const Transaction& txn, const FactKeys& keys, const Seat& seat,
                      bool multi_valued);

// Every fact with this subject and predicate, in any scope and state but erased; from both ends
// when they are symmetric.
Result<std::vector<Member>> FactsOfSlot(const Transaction& txn, const FactWords& words,
                                        bool symmetric);

// Refuses when another value stands where the fact of `record` would.
Status CheckNoRival(const Transaction& txn, const Uuid& id, const fb::MemoryRecordT& record);
// The slot of a stored fact, itself left out.
Result<Slot> SlotOf(const Transaction& txn, const Uuid& id, const fb::MemoryRecordT& record);

// The fact that rivals make way for.
struct Winner {
  Uuid id;
  ValidTime valid;
  bool displaces = false;  // pinned and verified rivals, too: a reviewer said so
};
// Rivals that the winner covers lose confidence: faded, or superseded when little is left. One that
// stands and holds at other times, too, is bounded to those.
Status FadeRivals(Transaction& txn, const std::vector<Member>& rivals, const Winner& winner,
                  const Policy& policy);

Status CheckFactValue(const FactValue& value);
std::string InWords(const FactValue& value);  // "alice drinks oat milk"

}  // namespace perdure
