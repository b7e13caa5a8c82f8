// When several facts have come to claim one place without having been asserted against each other.
#pragma once

#include <vector>

#include "engine/decide/slot.h"
#include "engine/decide/transaction.h"

namespace perdure {

// One value stands in each place of these facts: what is pinned or verified, else the latest. The
// others fade as if it had been asserted now. Refuses where a reviewer holds up two.
Status SettlePlaces(Transaction& txn, std::vector<Member> facts);

}  // namespace perdure
