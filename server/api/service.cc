#include "server/api/service.h"

#include <utility>

#include "server/api/context.h"

namespace perdure {

namespace o = operations;

void AddOperations(Catalogue& catalogue, Engine& engine, SearchService& search,
                   ScrubReader scrubbed) {
  catalogue.Add(o::MemoryStore(engine));
  catalogue.Add(o::MemorySearch(engine, search));
  catalogue.Add(o::MemoryGet(engine));
  catalogue.Add(o::MemoryEdit(engine));
  catalogue.Add(o::MemoryDescribe(engine));
  catalogue.Add(o::MemoryList(engine));
  catalogue.Add(o::MemoryHistory(engine));
  catalogue.Add(o::MemoryArchive(engine));
  catalogue.Add(o::MemoryRestore(engine));
  catalogue.Add(o::MemoryForget(engine));
  catalogue.Add(o::MemoryRevert(engine));
  catalogue.Add(o::FactAssert(engine));
  catalogue.Add(o::FactAbout(engine));
  catalogue.Add(o::CandidatePropose(engine));
  catalogue.Add(o::ScopeList(engine));
  catalogue.Add(o::MemoryContext(engine, search));

  catalogue.Add(o::MemoryStoreMany(engine));
  catalogue.Add(o::FactAssertMany(engine));
  catalogue.Add(o::MemoryScore(engine));
  catalogue.Add(o::MemoryMerge(engine));
  catalogue.Add(o::MemoryUnmerge(engine));
  catalogue.Add(o::MemoryDiff(engine));
  catalogue.Add(o::MemoryContents(engine));
  catalogue.Add(o::ContainerCreate(engine));
  catalogue.Add(o::ContainerDescribe(engine));
  catalogue.Add(o::LinkAdd(engine));
  catalogue.Add(o::LinkRemove(engine));
  catalogue.Add(o::LinkList(engine));

  catalogue.Add(o::MemoryPin(engine));
  catalogue.Add(o::MemoryUnpin(engine));
  catalogue.Add(o::ReviewList(engine));
  catalogue.Add(o::ReviewDecide(engine));
  catalogue.Add(o::ReviewUndo(engine));
  catalogue.Add(o::ReviewDismiss(engine));
  catalogue.Add(o::SuppressionList(engine));
  catalogue.Add(o::SuppressionCreate(engine));
  catalogue.Add(o::SuppressionLift(engine));
  catalogue.Add(o::SuppressionErase(engine));
  catalogue.Add(o::MemoryVerify(engine));
  catalogue.Add(o::GenreChange(engine));
  catalogue.Add(o::PredicateDeclare(engine));
  catalogue.Add(o::PolicySet(engine));
  catalogue.Add(o::PolicyGet(engine));
  catalogue.Add(o::ContainerMove(engine));
  catalogue.Add(o::ContainerDelete(engine));
  catalogue.Add(o::MemoryForgetMatching(engine));
  catalogue.Add(o::ScopeRollback(engine));
  catalogue.Add(o::SnapshotCreate(engine));
  catalogue.Add(o::SnapshotList(engine));
  catalogue.Add(o::LogQueryOperation(engine));
  catalogue.Add(o::LogEntry(engine));
  catalogue.Add(o::LogProof(engine));

  catalogue.Add(o::MemoryErase(engine));
  catalogue.Add(o::MemoryEraseMatching(engine));
  catalogue.Add(o::SourceAdd(engine));
  catalogue.Add(o::SourceRemove(engine));
  catalogue.Add(o::SourceList(engine));
  catalogue.Add(o::SourceFiles(engine));
  catalogue.Add(o::SourceSync(engine));
  catalogue.Add(o::TokenIssue(engine));
  catalogue.Add(o::TokenRevoke(engine));
  catalogue.Add(o::TokenList(engine));
  catalogue.Add(o::SpaceCreate(engine));
  catalogue.Add(o::Compact(engine));
  catalogue.Add(o::Backup(engine));
  catalogue.Add(o::IndexStatusOperation(engine, search));
  catalogue.Add(o::IndexRebuild(engine, search));
  catalogue.Add(o::ClockConfirm(engine));
  catalogue.Add(o::StatusOperation(engine, search, std::move(scrubbed)));
}

}  // namespace perdure
