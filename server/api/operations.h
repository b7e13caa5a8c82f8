// The operations, one function each. `engine` and `search` outlive what is returned.
#pragma once

#include <functional>
#include <optional>

#include "engine/engine.h"
#include "engine/replay/scrub.h"
#include "index/search/search_service.h"
#include "server/api/operation.h"

namespace perdure {

// How the background scrub stands; nullopt where none runs.
using ScrubReader = std::function<std::optional<ScrubStatus>()>;

namespace operations {

// --- an agent's tools
Operation MemoryStore(Engine& engine);
Operation MemorySearch(Engine& engine, SearchService& search);
Operation MemoryGet(Engine& engine);
Operation MemoryEdit(Engine& engine);
Operation MemoryDescribe(Engine& engine);
Operation MemoryList(Engine& engine);
Operation MemoryHistory(Engine& engine);
Operation MemoryArchive(Engine& engine);
Operation MemoryRestore(Engine& engine);
Operation MemoryForget(Engine& engine);
Operation MemoryRevert(Engine& engine);
Operation FactAssert(Engine& engine);
Operation FactAbout(Engine& engine);
Operation CandidatePropose(Engine& engine);
Operation ScopeList(Engine& engine);

// --- for anyone, but no tools: REST and command line only
Operation MemoryStoreMany(Engine& engine);
Operation FactAssertMany(Engine& engine);
Operation MemoryScore(Engine& engine);
Operation MemoryMerge(Engine& engine);
Operation MemoryUnmerge(Engine& engine);
Operation MemoryDiff(Engine& engine);
Operation MemoryContents(Engine& engine);
Operation ContainerCreate(Engine& engine);
Operation ContainerDescribe(Engine& engine);
Operation LinkAdd(Engine& engine);
Operation LinkRemove(Engine& engine);
Operation LinkList(Engine& engine);

// --- reviewers and operators
Operation MemoryPin(Engine& engine);
Operation MemoryUnpin(Engine& engine);
Operation ReviewList(Engine& engine);
Operation ReviewDecide(Engine& engine);
Operation ReviewUndo(Engine& engine);
Operation ReviewDismiss(Engine& engine);
Operation SuppressionList(Engine& engine);
Operation SuppressionCreate(Engine& engine);
Operation SuppressionLift(Engine& engine);
Operation SuppressionErase(Engine& engine);
Operation MemoryVerify(Engine& engine);
Operation GenreChange(Engine& engine);
Operation PredicateDeclare(Engine& engine);
Operation PolicySet(Engine& engine);
Operation PolicyGet(Engine& engine);
Operation ContainerMove(Engine& engine);
Operation ContainerDelete(Engine& engine);
Operation MemoryForgetMatching(Engine& engine);
Operation ScopeRollback(Engine& engine);
Operation SnapshotCreate(Engine& engine);
Operation SnapshotList(Engine& engine);

// --- auditors too
Operation LogQueryOperation(Engine& engine);
Operation LogEntry(Engine& engine);
Operation LogProof(Engine& engine);

// --- operators
Operation MemoryErase(Engine& engine);
Operation MemoryEraseMatching(Engine& engine);
Operation SourceAdd(Engine& engine);
Operation SourceRemove(Engine& engine);
Operation SourceList(Engine& engine);
Operation SourceFiles(Engine& engine);
Operation SourceSync(Engine& engine);
Operation TokenIssue(Engine& engine);
Operation TokenRevoke(Engine& engine);
Operation TokenList(Engine& engine);
Operation SpaceCreate(Engine& engine);
Operation Compact(Engine& engine);
Operation Backup(Engine& engine);
Operation IndexStatusOperation(Engine& engine, SearchService& search);
Operation ClockConfirm(Engine& engine);
Operation IndexRebuild(Engine& engine, SearchService& search);
Operation StatusOperation(Engine& engine, SearchService& search, ScrubReader scrubbed);

inline constexpr Caller::RoleMask kWriters = Caller::kAgent | Caller::kReviewer | Caller::kOperator;
inline constexpr Caller::RoleMask kReviewers = Caller::kReviewer | Caller::kOperator;
inline constexpr Caller::RoleMask kAuditors =
    Caller::kReviewer | Caller::kAuditor | Caller::kOperator;

inline constexpr OperationHints kReads = {.read_only = true, .idempotent = true};
inline constexpr OperationHints kAdds = {};                       // a write that takes nothing away
inline constexpr OperationHints kSettles = {.idempotent = true};  // again: no further effect
inline constexpr OperationHints kDestroys = {.destructive = true, .idempotent = true};

}  // namespace operations
}  // namespace perdure
