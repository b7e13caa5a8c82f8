// The write path without its threads: the queue, the decider, the watermark, and two writers that
// take turns. While one has a group written with sync, the other decides the next one over it.
// Answers and the watermark wait for a group's sync, and groups are written in the order they were
// decided in.
//
// Nothing here sleeps, reads the steady clock or touches the disk. Whoever drives the writers does:
// the sequencer with two threads, or a test that is the scheduler and the disk.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/mutex.h"
#include "engine/base/random.h"
#include "engine/storage/state.h"
#include "engine/write/decider.h"
#include "engine/write/group.h"
#include "engine/write/sync_policy.h"
#include "engine/write/watermark.h"
#include "engine/write/write_queue.h"

namespace perdure {

// Who drives the writers. The wakes come under the lock of the path.
class WriteDriver {
 public:
  virtual ~WriteDriver() = default;
  virtual WriteQueue::Time Now() = 0;
  // Wakes one writer, if any, that was told to wait by Writer::Step.
  virtual void WakeForTurn() = 0;
  virtual void WakeForCommands() = 0;
};

// What the two writers share. Thread-safe.
class WritePath {
 public:
  // Reads `latest`, which shows what was written. All references must outlive the path.
  struct Surroundings {
    const StateReader& latest;
    Clock& clock;
    Random& random;
    Watermark& watermark;
    WriteDriver& driver;
  };
  WritePath(const Surroundings& around, SyncPolicy sync);

  void AddSpace(SpaceId space, SpaceStart start);

  // kUnavailable when the queue is full or the writers have stopped.
  Status Put(WaitingPtr command);
  // Nothing more is taken in. What waits is still decided; then the writers end.
  void CloseDoor();

  std::size_t Depth() const;  // commands without an answer
  Status State() const;       // why the writers have stopped, if they have

 private:
  friend class Writer;
  bool SyncNow() REQUIRES(mutex_);

  SyncPolicy sync_;
  Decider decider_;  // of the writer whose turn it is to decide
  Watermark& watermark_;
  WriteDriver& driver_;

  mutable Mutex mutex_;
  WriteQueue queue_ GUARDED_BY(mutex_);
  bool deciding_ GUARDED_BY(mutex_) = false;           // whose turn it is, a writer's or nobody's
  std::shared_ptr<Group> writing_ GUARDED_BY(mutex_);  // closed, and not in the store yet
  std::optional<Error> stopped_ GUARDED_BY(mutex_);
  WriteQueue::Time last_sync_ GUARDED_BY(mutex_);
};

// One of the two. Not thread-safe: each has a thread of its own.
class Writer {
 public:
  explicit Writer(WritePath& path) : path_(path) {}  // which must outlive it

  enum class Next {
    kStep,             // Step again
    kWaitForTurn,      // Step again once woken for a turn
    kWaitForCommands,  // Step again once woken for commands, or at due()
    kWrite,            // write group(), call Written, and Step again
    kEnd,              // the door is closed and nothing is left
  };
  Mutex& mutex() const RETURN_CAPABILITY(path_.mutex_) { return path_.mutex_; }
  // Does what comes next. The mutex is let go meanwhile where work is done. A writer that is told
  // to wait must do so without having let go of it.
  Next Step() REQUIRES(path_.mutex_);

  // Of kWaitForCommands; Time::max() when only a wake helps.
  WriteQueue::Time due() const { return due_; }
  // What is being decided or written; nullptr at rest.
  const Group* group() const { return group_.get(); }
  // Whether the group is to be on disk before Written.
  bool sync() const { return sync_; }
  // How writing group() went: makes it visible, or fails its commands. `disk_time`: for how long
  // the disk was waited for.
  void Written(const Status& written, WriteQueue::Time::duration disk_time);

 private:
  enum class Stage { kRest, kDecide, kClose, kFinish, kAnswer };
  Next TakeTurn() REQUIRES(path_.mutex_);
  Next DecideSome() REQUIRES(path_.mutex_);
  Next Close() REQUIRES(path_.mutex_);
  Next Finish() REQUIRES(path_.mutex_);
  Next Answer() REQUIRES(path_.mutex_);

  WritePath& path_;
  Stage stage_ = Stage::kRest;
  std::shared_ptr<Group> group_;
  WriteQueue::Time due_{};
  bool sync_ = true;
  Status written_;
  WriteQueue::Time::duration disk_time_{};
};

}  // namespace perdure
