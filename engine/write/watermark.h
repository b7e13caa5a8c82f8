// How far each space's log is durable, and so visible. Thread-safe.
#pragma once

#include <chrono>
#include <map>

#include "engine/base/mutex.h"
#include "engine/write/group.h"

namespace perdure {

class Watermark {
 public:
  void AddSpace(SpaceId space, LogEnd end);
  void Move(std::map<SpaceId, LogEnd> ends);

  LogHead Head(SpaceId space) const;
  // Blocks until entry `seq` is visible or the time is up; the head then.
  LogHead WaitFor(SpaceId space, Seq seq, std::chrono::milliseconds timeout) const;
  TreeState Tree(SpaceId space) const;

 private:
  mutable Mutex mutex_;
  mutable CondVar moved_;
  std::map<SpaceId, LogEnd> ends_ GUARDED_BY(mutex_);
};

}  // namespace perdure
