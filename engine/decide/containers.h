// What the commands on containers share: the tree as it is, and what fits into it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/decide/transaction.h"
#include "schema/records_generated.h"

namespace perdure {

// The store that memories go to when none is named.
inline constexpr std::string_view kDefaultStore = "default";

using Nodes = std::map<Seq, fb::ScopeNodeRecordT>;

// Every node of the space, deleted ones too. Cost: one scan of them.
Result<Nodes> ReadNodes(const StateReader& reader, SpaceId space);
// The containers at and below `root` that are not deleted, parents first.
std::vector<Seq> Subtree(const Nodes& nodes, Seq root);

// The current name of a node; empty when its text is gone.
Result<std::string> NameOf(const StateReader& reader, SpaceId space, Seq node,
                           const fb::ScopeNodeRecordT& record);

// A container of the principal's scope that stands; 0 for the empty path.
Result<Seq> RequireContainer(const Transaction& txn, const ScopePath& path, std::string_view field);

// What holds of containers holds for everyone's memories in them: refuses a principal of one user,
// agent or run.
Status RequireAllInside(const Transaction& txn, std::string_view what);

// Refuses when the container, as it lies now, is too deep or its path too long to be named.
Status CheckCanBeNamed(const Transaction& txn, Seq node);

// What lies in the containers and is not erased.
Result<std::vector<std::pair<Uuid, fb::MemoryRecordT>>> MemoriesIn(const Transaction& txn,
                                                                   const std::vector<Seq>& places);

}  // namespace perdure
