// The one writer. Takes the waiting commands in groups, decides and applies them one after another
// into one batch, writes it with sync, and only then answers and moves the visible watermark.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/decide/command.h"
#include "engine/log/entry.h"
#include "engine/proof/keys.h"
#include "engine/proof/merkle.h"
#include "engine/storage/store.h"
#include "engine/write/refusal_meter.h"

namespace perdure {

// When an answered write is on disk: always; within interval_ms; or whenever the kernel likes.
enum class SyncMode { kAlways, kInterval, kNever };
struct SyncPolicy {
  SyncMode mode = SyncMode::kAlways;
  int interval_ms = 1000;  // of kInterval
};

struct WriteRequest {
  Principal principal;
  Command command;
  WriteOptions options;
};

// What the sequencer needs of a space when it starts to write to it.
struct SpaceStart {
  LogHead head;
  TreeState tree;
  const SpaceKeys* keys = nullptr;  // must outlive the sequencer
  std::string origin;               // of signed tree heads, e.g. "perdure/main"
};

// The space whose log takes the command's entries.
SpaceId SpaceOf(const Command& command, const Principal& principal);

class Sequencer {
 public:
  // All references must outlive the sequencer.
  Sequencer(Store& store, Clock& clock, Random& random, SyncPolicy sync);
  ~Sequencer();  // answers what waits, then stops

  void AddSpace(SpaceId space, SpaceStart start);

  // Blocks until the command is durable and visible. kUnavailable when the queue is full or the
  // writer has stopped.
  Result<WriteOutcome> Submit(WriteRequest request);

  LogHead Visible(SpaceId space) const;
  LogHead WaitFor(SpaceId space, Seq seq, std::chrono::milliseconds timeout) const;
  TreeState Tree(SpaceId space) const;
  Status State() const;

 private:
  struct Waiting {
    WriteRequest request;
    std::promise<Result<WriteOutcome>> answer;
  };
  struct Group;

  void Run();
  std::vector<Waiting> Take();
  void WriteGroup(std::vector<Waiting> waiting);
  Result<WriteOutcome> Execute(Group& group, const WriteRequest& request);
  Status Commit(Group& group);
  void Publish(Group& group);
  bool SyncNow();

  Store& store_;
  Clock& clock_;
  Random& random_;
  SyncPolicy sync_;
  RefusalMeter refusals_;
  std::chrono::steady_clock::time_point last_sync_;

  mutable std::mutex queue_mutex_;
  std::condition_variable queue_filled_;
  std::deque<Waiting> queue_;
  bool stopping_ = false;

  mutable std::mutex visible_mutex_;
  mutable std::condition_variable visible_moved_;
  std::map<SpaceId, SpaceStart> spaces_;
  std::optional<Error> stopped_;

  std::thread thread_;
};

}  // namespace perdure
