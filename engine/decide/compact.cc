#include "engine/apply/compact.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/decide/decide.h"
#include "engine/decide/refusal.h"
#include "engine/decide/rules.h"
#include "engine/model/tables.h"

namespace perdure {
namespace {

// The newest record time of any space: the wall clock may stand behind it.
Result<Micros> LatestTime(const Transaction& txn) {
  Micros latest = txn.NextTime();
  Status malformed;
  const std::string prefix = Key().U8(1).Take();
  RETURN_IF_ERROR(txn.state().Scan(Family::kMeta, prefix, PrefixEnd(prefix),
                                   [&](std::string_view, std::string_view value) {
                                     const auto head = LogHead::Decode(value);
                                     if (!head) malformed = std::unexpected(head.error());
                                     if (head) latest = std::max(latest, head->time);
                                     return malformed.has_value();
                                   }));
  RETURN_IF_ERROR(malformed);
  return latest;
}

}  // namespace

Status DecideCompactHistory(Transaction& txn, const CompactHistory& command) {
  RETURN_IF_ERROR(RequireHouse(txn, "Compacting history"));
  ASSIGN_OR_RETURN(const Micros latest, LatestTime(txn));
  if (command.before > latest) {
    return Refuse(Rule::kInterval, "History can be compacted up to now, not into the future.",
                  "before");
  }
  ASSIGN_OR_RETURN(const auto horizon, txn.state().Get(Family::kMeta, tables::Horizon()));
  if (horizon && static_cast<Micros>(ReadBigEndian(*horizon)) > command.before) {
    return Refuse(Rule::kInterval,
                  fmt::format("History before {} is compacted already; the horizon is never "
                              "lowered.",
                              FormatTime(static_cast<Micros>(ReadBigEndian(*horizon)))),
                  "before");
  }
  fb::HistoryCompactedT event;
  event.before = command.before;
  event.payloads = command.payloads;
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq, txn.Append(MakeEvent(std::move(event))));
  return {};
}

Status DecideDropPayloads(Transaction& txn, const DropPayloads& command) {
  RETURN_IF_ERROR(RequireRole(txn, kOperator, "Dropping payloads"));
  ASSIGN_OR_RETURN(const auto horizon, txn.state().Get(Family::kMeta, tables::Horizon()));
  if (!horizon || static_cast<Micros>(ReadBigEndian(*horizon)) < command.before) {
    return Refuse(Rule::kInterval, "Payloads go only below the horizon of history.", "before");
  }
  fb::PayloadsCompactedT event;
  event.before = command.before;
  event.complete = command.complete;
  for (const Uuid& id : command.memories) {
    ASSIGN_OR_RETURN(const std::vector<Seq> seqs,
                     SupersededPayloads(txn.state(), txn.space(), id, command.before));
    event.covered.insert(event.covered.end(), seqs.begin(), seqs.end());
  }
  std::ranges::sort(event.covered);
  ASSIGN_OR_RETURN([[maybe_unused]] const Seq seq,
                   txn.Append(MakeEvent(std::move(event)), {}, {.with_reason = false}));
  return {};
}

}  // namespace perdure
