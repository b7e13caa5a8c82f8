// What was made from other memories: it does not outlive what it says.
#pragma once

#include <vector>

#include "engine/decide/transaction.h"

namespace perdure {

// Every memory that was made from `source`, directly or through others; itself left out. Refuses
// more than limits::kRollbackMemoriesMax.
Result<std::vector<Uuid>> DerivedFrom(const Transaction& txn, const Uuid& source);

// The source is gone: what is live and came from it is disputed until it is derived again. A fact
// that has other evidence, or that a reviewer verified, stays; so does the rest of a bounded one.
Status DisputeDerived(Transaction& txn, const Uuid& source);

// The ids of a draft's sources, which the caller must see.
Result<std::vector<fb::Id>> SourcesOf(const Transaction& txn, const std::vector<Uuid>& sources);

}  // namespace perdure
