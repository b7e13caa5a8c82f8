// The threads of the write path, its waiting and its disk: two threads, a writer each
// (write_path.h).
#pragma once

#include <array>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/mutex.h"
#include "engine/base/random.h"
#include "engine/storage/state.h"
#include "engine/write/group.h"
#include "engine/write/sync_policy.h"
#include "engine/write/watermark.h"
#include "engine/write/write_path.h"

namespace perdure {

class Sequencer final : private WriteDriver {
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
  ~Sequencer() override;  // answers what waits, then stops

  void AddSpace(SpaceId space, SpaceStart start) { path_.AddSpace(space, std::move(start)); }

  // Blocks until every command is durable and visible, or answered with its error: kUnavailable
  // when the queue is full or the writer has stopped. The answers in the order of `requests`.
  std::vector<Result<WriteOutcome>> SubmitAll(std::vector<WriteRequest> requests);
  Result<WriteOutcome> Submit(WriteRequest request);  // one alone

  const Watermark& Visible() const { return watermark_; }
  std::size_t Depth() const { return path_.Depth(); }  // commands without an answer
  Status State() const { return path_.State(); }

 private:
  WriteQueue::Time Now() override { return std::chrono::steady_clock::now(); }
  void WakeForTurn() override { turn_is_free_.NotifyOne(); }
  void WakeForCommands() override { group_waits_.NotifyOne(); }

  void Run();
  void WaitForTurn(Writer& writer) REQUIRES(writer.mutex());
  void WaitForCommands(Writer& writer) REQUIRES(writer.mutex());
  void Write(Writer& writer);

  StateWriter& store_;
  SyncPolicy sync_;
  Watermark watermark_;
  CondVar turn_is_free_;  // and a command waits, or the end has come
  CondVar group_waits_;   // no more: for commands, or for the group before it
  WritePath path_;
  std::array<std::thread, 2> threads_;
};

}  // namespace perdure
