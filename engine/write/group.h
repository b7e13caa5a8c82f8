// A group: commands that are decided one after another and become durable together.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/decide/command.h"
#include "engine/log/entry.h"
#include "engine/proof/merkle.h"
#include "engine/storage/state.h"

namespace perdure {

struct WriteRequest {
  Principal principal;
  Command command;
  WriteOptions options;
};

// A command and, once its group is durable, its answer. Shared by the caller, who waits, and the
// group, which may outlive the caller's waiting by a moment.
class Waiting {
 public:
  explicit Waiting(WriteRequest what) : request(std::move(what)) {}

  const WriteRequest request;
  Result<WriteOutcome> answer;  // the writer's until Give, then the caller's

  void Give();  // once
  bool IsGiven() const;
  Result<WriteOutcome> Take();  // blocks until Give

 private:
  mutable Mutex mutex_;
  CondVar given_;
  bool is_given_ GUARDED_BY(mutex_) = false;
};
using WaitingPtr = std::shared_ptr<Waiting>;

// Where a space's log ends.
struct LogEnd {
  LogHead head;
  TreeState tree;
};

struct Group {
  explicit Group(const StateReader& base) : state(base) {}

  Overlay state;                     // what its commands changed
  std::map<SpaceId, LogEnd> ends;    // of the logs it appends to; known once it is closed
  std::vector<WaitingPtr> commands;  // with their answers, not given out yet
  std::shared_ptr<Group> below;      // the one that `state` lies over, while it is being written
};

}  // namespace perdure
