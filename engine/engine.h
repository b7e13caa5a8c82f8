// The engine: one directory, one log a space, everything else folded from it. Writes go through
// one sequencer; reads never block it and never wait for it.
//
// Thread-safe. Durability: an answered write is on disk (SyncMode::kAlways, the default) and
// visible to every read that starts afterwards. After a failed write reads go on and writes fail:
// until the next Open, or with kStorageFull until there is space again.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/mutex.h"
#include "engine/base/random.h"
#include "engine/base/result.h"
#include "engine/base/ticker.h"
#include "engine/decide/command.h"
#include "engine/log/entry.h"
#include "engine/proof/keys.h"
#include "engine/proof/merkle.h"
#include "engine/read/read_view.h"
#include "engine/storage/store.h"
#include "engine/write/clock_guard.h"
#include "engine/write/refusal_counts.h"
#include "engine/write/sync_policy.h"

namespace perdure {

class Sequencer;
struct WriteRequest;

struct EngineOptions {
  std::string directory;
  SyncPolicy sync;
  bool read_only = false;
  bool check_tail = true;  // false only to look at a log that fails the check
};

struct SpaceInfo {
  SpaceId id = 0;
  std::string name;
};

// Who the program itself writes as: an operator without a token.
Principal BootstrapPrincipal();

// Makes what was erased leave the indexes too: called with the memories of one erasure after
// their payloads are gone from the store, returns the number of the index generation without them.
using IndexEraser =
    std::function<Result<std::uint64_t>(SpaceId space, const std::vector<Uuid>& memories)>;

class Engine {
 public:
  // Makes an empty store: keys, the spaces `system` and `main`. kConflict when there is one.
  static Status Create(const std::string& directory, Clock& clock, Random& random);
  // `clock` and `random` must outlive the engine. Checks the tail of every log since its last
  // checkpoint, in time independent of the log's length.
  static Result<std::unique_ptr<Engine>> Open(const EngineOptions& options, Clock& clock,
                                              Random& random);
  ~Engine();

  // Decides, appends and applies one command; answers when it is durable and visible.
  Result<WriteOutcome> Write(const Principal& principal, Command command, WriteOptions options);
  // The same for several commands that one caller has at hand. Each stands for itself: none is
  // undone or left out because of another. They are durable together where they can be, so one
  // caller writes about as many a second as many callers do. The answers, in the order of `calls`.
  std::vector<Result<WriteOutcome>> WriteAll(const Principal& principal,
                                             std::vector<WriteCall> calls);

  // Erases memories for good: appends MemoryErased, makes the bytes leave store and indexes, and
  // appends the receipt. A dry run says what would be covered.
  struct Erasure {
    WriteOutcome outcome;
    std::vector<Seq> receipts;  // the ErasureCompleted entries
    std::uint32_t payloads = 0;
  };
  Result<Erasure> Erase(const Principal& principal, EraseMemories command, WriteOptions options);
  // The same for all that matches; `erase` must be set.
  Result<Erasure> EraseMatching(const Principal& principal, ForgetMatching all, WriteOptions how);
  void SetIndexEraser(IndexEraser eraser);
  // Finishes erasures that a crash interrupted. Called once after SetIndexEraser; from then on the
  // engine tries again by itself what it could not finish.
  Status ResumeErasures();

  // Makes a space with keys of its own, of the next number or the wanted one if that is free.
  Result<SpaceInfo> AddSpace(const Principal& principal, const std::string& name,
                             WriteOptions options, std::optional<SpaceId> number = {});

  // Trims projection history; with `payloads`, in every space, also what only it needed.
  Result<WriteOutcome> Compact(const Principal& principal, CompactHistory command,
                               WriteOptions options);
  // What a compaction with payloads would drop. Reads the history of every space.
  struct Droppable {
    std::uint64_t payloads = 0;
    std::uint64_t bytes = 0;
  };
  Result<Droppable> PayloadsBefore(Micros before) const;
  // Finishes a compaction that a crash interrupted.
  Status FinishCompaction();

  // A view of the principal's space at `at`. kCompacted below the horizon.
  Result<ReadView> Read(const Principal& principal, const ReadAt& at = {}) const;

  // The principal behind "perdure_<id>_<secret>". kUnauthenticated when unknown, revoked, expired.
  Result<Principal> Authenticate(std::string_view token) const;
  // Issues a token and returns its text, which is shown this once.
  Result<std::pair<std::string, WriteOutcome>> Issue(const Principal& principal, IssueToken command,
                                                     WriteOptions options);

  // --- for followers of the log
  std::vector<SpaceInfo> Spaces() const;
  Result<SpaceId> SpaceByName(std::string_view name) const;
  LogHead Visible(SpaceId space) const;
  // Blocks until entry `seq` is visible or the time is up; returns the visible head.
  LogHead WaitFor(SpaceId space, Seq seq, std::chrono::milliseconds timeout) const;
  const StateReader& Latest() const { return latest_; }
  const SpaceKeys& KeysOf(SpaceId space) const;

  // --- proofs and maintenance
  // Of its signed tree heads, as long as its log was never restored; and as it is now.
  static std::string OriginOf(std::string_view space_name);
  Result<std::string> Origin(const SpaceInfo& space) const;
  TreeState Tree(SpaceId space) const;
  const TileReader& Tiles(SpaceId space) const;
  Store& store() const { return *store_; }
  const std::string& directory() const { return options_.directory; }
  Clock& clock() const { return clock_; }
  Random& random() const { return random_; }
  Micros Horizon() const;  // reads below it fail; kTimeMin when nothing was compacted
  // Whether writes are taken, and if not, why.
  Status WriterState() const;
  // Commands that wait for their answer.
  std::size_t WriteQueueDepth() const;
  // Writes refused since the start, by rule.
  const RefusalCounts& Refusals() const { return refusals_; }
  // What was odd about the wall clock when the store was opened, or nothing.
  const std::string& clock_warning() const { return clock_warning_; }
  // Says that the wall clock is right, when WriterState says that it has run away.
  void ConfirmClock() { time_.Confirm(); }

  // Only Open can call it.
  class Passkey {
    friend class Engine;
    Passkey() {}
  };
  Engine(Passkey, EngineOptions options, Clock& clock, Random& random,
         std::unique_ptr<Store> store);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

 private:
  struct OpenSpace;
  static Result<std::unique_ptr<Engine>> OpenStore(const EngineOptions& options,
                                                   const std::string& store_directory, Clock& clock,
                                                   Random& random);
  Status LoadSpaces();
  Status LoadSpace(SpaceId space);
  Status KnowKeys(SpaceId space, const SpaceKeys& keys);
  Result<Erasure> EraseBy(const Principal& principal, Command command, WriteOptions options);
  Result<std::vector<Seq>> FinishErasures(SpaceId space) EXCLUDES(erasure_mutex_);
  Result<std::vector<Seq>> FinishErasuresAlone(SpaceId space) REQUIRES(erasure_mutex_);
  std::vector<Result<WriteOutcome>> Submit(std::vector<WriteRequest> requests);
  std::shared_ptr<Sequencer> sequencer() const;
  std::shared_ptr<Sequencer> NewSequencer();
  void WatchDisk();
  Status Recover();
  static void AddRowsOfTexts(SpaceId space, std::vector<Store::Range>& ranges);
  Status TrimTo(Micros horizon) REQUIRES(erasure_mutex_);
  Status DropSuperseded(SpaceId space, Micros before) REQUIRES(erasure_mutex_);

  EngineOptions options_;
  Clock& clock_;
  ClockGuard time_;
  Random& random_;
  std::unique_ptr<Store> store_;
  StoreView latest_;
  mutable Mutex spaces_mutex_;
  std::map<SpaceId, std::unique_ptr<OpenSpace>> spaces_ GUARDED_BY(spaces_mutex_);
  Mutex erasure_mutex_;  // one erasure or compaction at a time changes the files
  std::string clock_warning_;
  RefusalCounts refusals_;
  std::atomic<bool> recovering_ = false;
  SharedMutex submitting_;  // shared by each write, whole to change the sequencer
  std::shared_ptr<Sequencer> sequencer_ GUARDED_BY(spaces_mutex_);
  IndexEraser eraser_ GUARDED_BY(erasure_mutex_);
  bool may_resume_ GUARDED_BY(erasure_mutex_) = false;  // ResumeErasures was called since
  std::atomic<bool> erasures_wait_ = false;  // for what kept one from being finished to pass
  int rest_ = 0;                             // of disk_watch_'s thread
  std::unique_ptr<Ticker> disk_watch_;       // goes first
};

}  // namespace perdure
