// Checks that several commands share: authority, limits, scopes and the memory a command is about.
#pragma once

#include <optional>
#include <string_view>

#include "engine/decide/transaction.h"
#include "schema/records_generated.h"

namespace perdure {

Status RequireRole(const Transaction& txn, RoleMask any_of, std::string_view command);

// What touches more than the principal's own space or scope needs an operator of the whole house:
// one of the space main without a scope.
Status RequireHouse(const Transaction& txn, std::string_view what);

// What holds for the whole space needs a token without a scope.
Status RequireWholeSpace(const Transaction& txn, std::string_view what);

// A caller's text: well-formed UTF-8 of at most `bytes_max` bytes.
Status CheckText(std::string_view text, std::size_t bytes_max, std::string_view field);

// The nodes of `path`; nullopt when one of them does not exist.
Result<std::optional<fb::ScopeRef>> FindScope(const StateReader& reader, SpaceId space,
                                              const Secret& secret, const ScopePath& path);
// The same, appending an entry for each node that does not exist. Refuses what lies outside the
// principal's scope.
Result<fb::ScopeRef> EnsureScope(Transaction& txn, const ScopePath& path);

// The node of the name; nullopt for none.
Result<std::optional<Seq>> FindNode(const StateReader& reader, SpaceId space, const Secret& secret,
                                    fb::NodeClass node_class, Seq parent, std::string_view name);
// The node of the store, 0 for `default`; nullopt when there is none.
Result<std::optional<Seq>> FindStore(const StateReader& reader, SpaceId space, const Secret& secret,
                                     std::string_view name);
// The node of the store, made where there is none; 0 for `default` and for no name.
Result<Seq> EnsureStore(Transaction& txn, const std::string& name);
// What belongs to one user, agent or run goes to another's only when the caller says so.
Status RequireSameOwner(const Transaction& txn, const fb::ScopeRef& from, const fb::ScopeRef& to);
// Whether the one path names a part of what the other names, by current or former names.
Result<bool> PathLiesWithin(const StateReader& reader, SpaceId space, const Secret& secret,
                            const ScopePath& path, const ScopePath& outer);
// The nodes of a scope in the principal's own; refused when it lies outside.
Result<std::optional<fb::ScopeRef>> FindOwnScope(const Transaction& txn, const ScopePath& path);
// Whether the scope lies in the principal's own.
Result<bool> MayReach(const Transaction& txn, const fb::ScopeRef& scope);

// Whether `inner` lies in the subtree that `outer` names.
Result<bool> ScopeContains(const StateReader& reader, SpaceId space, const fb::ScopeRef& outer,
                           const fb::ScopeRef& inner);

// A memory in the principal's scope, neither erased nor hidden from it.
Result<fb::MemoryRecordT> FindMemory(const Transaction& txn, const Uuid& id);
// The same, of a memory that the command wants to change: at the expected version where one is
// given.
Result<fb::MemoryRecordT> RequireMemory(const Transaction& txn, const Uuid& id);

bool HasExpired(const fb::MemoryRecordT& record, Micros now);

// Whether a reviewer pinned or verified the memory.
bool IsProtected(const fb::MemoryRecordT& record);
// An agent puts nothing away that a reviewer holds up: it would make room for a rival.
Status RequireMayPutAway(const Transaction& txn, const fb::MemoryRecordT& record,
                         std::string_view command);

// Refuses to rewrite a record, or what mirrors a file that another than its source asks to change.
Status RequireMayRewrite(const Transaction& txn, const fb::MemoryRecordT& record);
// The same of a file's memory alone.
Status RequireEditable(const Transaction& txn, const fb::MemoryRecordT& record);
// Refuses a store that mirrors a folder to all but its source.
Status RequireMayFill(const Transaction& txn, Seq store);

// Refuses unless the memory is live.
Status RequireLive(const fb::MemoryRecordT& record, std::string_view command);

// The same, and for a fact that it stands in its slot.
Status RequireStanding(const fb::MemoryRecordT& record, std::string_view command);

// The payload of `seq`, which a live version needs.
Result<PayloadRow> RequirePayload(const Transaction& txn, Seq seq);

}  // namespace perdure
