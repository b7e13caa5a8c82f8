// Memories that say the same, wherever they are.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/decide/slot.h"
#include "engine/decide/transaction.h"

namespace perdure {

// What a memory says in canonical form: its text, or that of a fact in words.
Result<std::string> SaidBy(const Transaction& txn, const fb::MemoryRecordT& record);

// The memories that `wanted` takes, by what they say, where that is one of `texts` (canonical).
// Cost: the record of every memory of the space, and the text of each wanted one.
using Twins = std::multimap<std::string, Member>;
Result<Twins> TwinsOf(const Transaction& txn, const std::vector<std::string>& texts,
                      const std::function<Result<bool>(const fb::MemoryRecordT&)>& wanted);

}  // namespace perdure
