// The threads of the write path. Two take turns: while one writes a group with sync, the other
// decides the next one over it. Answers and the visible watermark wait for a group's sync, and
// groups are written in the order they were decided in.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/storage/state.h"
#include "engine/write/decider.h"
#include "engine/write/group.h"
#include "engine/write/sync_policy.h"
#include "engine/write/watermark.h"
#include "engine/write/write_queue.h"

namespace perdure {

class Sequencer {
 public:
  // Reads `latest` and writes to `store`, which `latest` then shows. All references must outlive
  // the sequencer.
  struct Surroundings {
    const StateReader& latest;
    StateWriter& store;
    Clock& clock;
    Random& random;
  };
  Sequencer(const Surroundings& around, SyncPolicy sync);
  ~Sequencer();  // answers what waits, then stops

  void AddSpace(SpaceId space, SpaceStart start);

  // Blocks until the command is durable and visible. kUnavailable when the queue is full or the
  // writer has stopped.
  Result<WriteOutcome> Submit(WriteRequest request);

  const Watermark& Visible() const { return watermark_; }
  std::size_t Depth() const;  // commands without an answer
  Status State() const;

 private:
  void Run();
  bool TakeTurn();
  std::shared_ptr<Group> DecideGroup();
  std::vector<WaitingPtr> TakeOrClose(std::size_t size);
  Status Write(const Group& group);
  void Finish(Group& group, const Status& written, WriteQueue::Time::duration disk_time);
  bool SyncNow();

  StateWriter& store_;
  SyncPolicy sync_;
  std::chrono::steady_clock::time_point last_sync_;
  Decider decider_;  // of the thread whose turn it is to decide
  Watermark watermark_;

  mutable std::mutex mutex_;              // guards what follows
  std::condition_variable turn_is_free_;  // and a command waits, or the end has come
  std::condition_variable group_waits_;   // no more: for commands, or for the group before it
  WriteQueue queue_;
  bool deciding_ = false;           // whose turn it is, a thread's or nobody's
  std::shared_ptr<Group> writing_;  // closed, and not in the store yet
  std::optional<Error> stopped_;

  std::array<std::thread, 2> threads_;
};

}  // namespace perdure
