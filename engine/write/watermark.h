// How far each space's log is durable, and so visible. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>

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
  mutable std::mutex mutex_;
  mutable std::condition_variable moved_;
  std::map<SpaceId, LogEnd> ends_;
};

}  // namespace perdure
