// The suppression gate: what was rejected stays out, whichever way it comes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/decide/fact_commands.h"
#include "engine/decide/transaction.h"
#include "schema/records_generated.h"

namespace perdure {

// What a suppression would know a value by: a fact's value and what it says in words; a text.
std::vector<ValueKey> RefusedKeys(const Secret& secret, const FactValue& value, bool symmetric,
                                  std::string_view text);
std::vector<ValueKey> RefusedKeys(const Secret& secret, std::string_view text);
// Of the version that `record` describes.
Result<std::vector<ValueKey>> RefusedKeysOf(const Transaction& txn,
                                            const fb::MemoryRecordT& record);

// The suppression that keeps a value out of `scope` now, or nullopt. Cost: one look-up while the
// space has no suppression; `keys` is called only when it has one.
template <typename Keys>
Status CheckNotSuppressed(const Transaction& txn, const fb::ScopeRef& scope, Keys&& keys);

Result<bool> HasSuppressions(const Transaction& txn);
Status RefuseSuppressed(const Transaction& txn, const fb::ScopeRef& scope,
                        std::span<const ValueKey> keys);

template <typename Keys>
Status CheckNotSuppressed(const Transaction& txn, const fb::ScopeRef& scope, Keys&& keys) {
  ASSIGN_OR_RETURN(const bool any, HasSuppressions(txn));
  if (!any) return {};
  ASSIGN_OR_RETURN(const std::vector<ValueKey> refused, keys());
  return RefuseSuppressed(txn, scope, refused);
}

// The same for a memory that is to be shown again.
Status CheckMayReturn(const Transaction& txn, const fb::MemoryRecordT& record);

// Keeps the value out from here on.
struct Rejected {
  std::vector<ValueKey> keys;
  fb::ScopeRef scope;
  std::optional<Uuid> memory;  // that had the value
  std::optional<Micros> until;
  std::string text;  // of a value without a memory
};
Status Suppress(Transaction& txn, const Rejected& rejected);
// The value of the memory with this record; to the whole space when `refusing` is wide. Whatever
// live memory within reach has the value, or says it, is forgotten.
Status SuppressMemory(Transaction& txn, const Uuid& id, const fb::MemoryRecordT& record,
                      const Refusing& refusing);

// A suppression within the principal's scope; refuses with kNothing.
Result<fb::SuppressionRecordT> RequireSuppression(const Transaction& txn, Seq seq);

// Takes the suppression back. Refuses one that reaches beyond the principal's scope.
Status LiftIfInForce(Transaction& txn, Seq suppression);

}  // namespace perdure
