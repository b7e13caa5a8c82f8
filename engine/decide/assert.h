// A fact on its way in, through the gates in their order; what assert, propose and review share.
#pragma once

#include <string>

#include "engine/decide/evidence.h"
#include "engine/decide/policy.h"
#include "engine/decide/refusal.h"
#include "engine/decide/slot.h"
#include "engine/decide/transaction.h"

namespace perdure {

// A checked draft with all that the gates look at.
struct Claim {
  FactDraft draft;  // with its text
  Seat seat;
  Predicate predicate;
  Policy policy;
  FactKeys keys;
  Support support;
  std::optional<Rule> parked;  // the admission rule that sends it to a reviewer
};

// Limits, forms and shapes; then the suppression gate and admission.
Result<Claim> CheckClaim(Transaction& txn, const FactDraft& draft);

Result<Slot> SlotOfClaim(const Transaction& txn, const Claim& claim);

// What the duplicate and conflict gates make of a claim.
struct Verdict {
  enum class Kind : std::uint8_t { kFirst, kNewcomer, kReinforces, kChallenges };
  Kind kind = Kind::kFirst;
  const Member* standing = nullptr;  // of the same value, or the rival in its place

  const Member* Rival() const { return kind == Kind::kReinforces ? nullptr : standing; }
};
Result<Verdict> Judge(const Transaction& txn, const Claim& claim, const Slot& slot);

// Appends the fact: live, or pending when `because` or nothing but a reviewer keeps it out.
struct Entrance {
  fb::MemoryState state = fb::MemoryState::live;
  std::uint16_t because = 0;
  std::optional<Uuid> rival;
  float confidence = 0;
};
Result<Uuid> AppendFact(Transaction& txn, const Claim& claim, const Entrance& entrance);

// The confidence with which the claim enters where `slot` is.
float ConfidenceOf(const Claim& claim, const Slot& slot);

// The standing value gains what new evidence adds, its rivals fade.
struct Reinforcement {
  Support support;
  std::string not_applied;  // what the caller learns was left alone
};
Status Reinforce(Transaction& txn, const Member& standing, const Reinforcement& more,
                 const Slot& slot, const Policy& policy);
// The same by a claim of the value.
Status Repeat(Transaction& txn, const Claim& claim, const Member& standing, const Slot& slot);

// The claim waits as a candidate for the place of `standing`, which shows as disputed.
Status Challenge(Transaction& txn, const Claim& claim, const Member& standing);

}  // namespace perdure
