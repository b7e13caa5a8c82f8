// What store and describe share: the checks of labels, and the entry that changes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/decide/command.h"
#include "engine/decide/transaction.h"
#include "schema/records_generated.h"

namespace perdure {

inline constexpr float kDefaultImportance = 0.5f;

Status CheckTitle(const std::string& title);
Status CheckTags(const std::vector<std::string>& tags);
Status CheckMetadata(const std::string& metadata);
Status CheckImportance(const std::optional<float>& importance);
Status CheckValidTime(const std::optional<Micros>& from, const std::optional<Micros>& until);
Status CheckExpiry(const std::optional<Micros>& expires_at, Micros now);

// Appends MemoryDescribed when `change` differs from what holds, MemorySeenAgain otherwise.
// `not_applied` names arguments that the caller learns were left alone.
Status AppendDescription(Transaction& txn, const DescribeMemory& change,
                         const fb::MemoryRecordT& record, const std::string& not_applied);

}  // namespace perdure
