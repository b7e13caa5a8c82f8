#include "engine/write/write_path.h"

#include <chrono>
#include <utility>

namespace perdure {

WritePath::WritePath(const Surroundings& around, SyncPolicy sync)
    : sync_(sync),
      decider_(around.latest, around.clock, around.random),
      watermark_(around.watermark),
      driver_(around.driver),
      last_sync_(around.driver.Now()) {}

void WritePath::AddSpace(SpaceId space, SpaceStart start) {
  watermark_.AddSpace(space, start.end);
  decider_.AddSpace(space, std::move(start));
}

Status WritePath::Put(WaitingPtr command) {
  const MutexLock lock(mutex_);
  if (stopped_) return std::unexpected(*stopped_);
  RETURN_IF_ERROR(queue_.Put(std::move(command)));
  if (deciding_) {
    driver_.WakeForCommands();
  } else {
    driver_.WakeForTurn();
  }
  return {};
}

void WritePath::CloseDoor() {
  const MutexLock lock(mutex_);
  queue_.CloseDoor();
  driver_.WakeForTurn();  // both writers
  driver_.WakeForTurn();
  driver_.WakeForCommands();
}

std::size_t WritePath::Depth() const {
  const MutexLock lock(mutex_);
  return queue_.Depth();
}

Status WritePath::State() const {
  const MutexLock lock(mutex_);
  if (stopped_) return std::unexpected(*stopped_);
  return {};
}

bool WritePath::SyncNow() {
  if (sync_.mode == SyncMode::kAlways) return true;
  if (sync_.mode == SyncMode::kNever) return false;
  const auto now = driver_.Now();
  if (now - last_sync_ < std::chrono::milliseconds(sync_.interval_ms)) return false;
  last_sync_ = now;
  return true;
}

Writer::Next Writer::Step() {
  switch (stage_) {
    case Stage::kRest:
      return TakeTurn();
    case Stage::kDecide:
      return DecideSome();
    case Stage::kClose:
      return Close();
    case Stage::kFinish:
      return Finish();
    case Stage::kAnswer:
      return Answer();
  }
  return Next::kEnd;
}

Writer::Next Writer::TakeTurn() {
  if (path_.queue_.Ended()) return Next::kEnd;
  if (path_.deciding_ || path_.queue_.Empty()) return Next::kWaitForTurn;
  path_.deciding_ = true;
  group_ = path_.decider_.Begin(path_.writing_);
  stage_ = Stage::kDecide;
  return Next::kStep;
}

// The next commands of the group, until it is to be written; from then on it counts as being so.
Writer::Next Writer::DecideSome() {
  const std::size_t size = group_->commands.size();
  if (path_.queue_.IsDue(size, path_.driver_.Now())) {
    path_.queue_.StartWriting();
    stage_ = Stage::kClose;
    return Next::kStep;
  }
  std::vector<WaitingPtr> commands = path_.queue_.Take(size);
  if (commands.empty()) {
    due_ = path_.queue_.DueAt(size);
    return Next::kWaitForCommands;
  }
  WriteQueue::Time::duration pace{};
  {
    const MutexUnlock unlocked(path_.mutex_);
    const WriteQueue::Time start = path_.driver_.Now();
    for (WaitingPtr& command : commands) path_.decider_.Decide(*group_, std::move(command));
    pace = (path_.driver_.Now() - start) / commands.size();
  }
  path_.queue_.NotePace(pace);
  return Next::kStep;
}

// Passes the turn to decide on.
Writer::Next Writer::Close() {
  {
    const MutexUnlock unlocked(path_.mutex_);
    path_.decider_.Close(*group_);
  }
  path_.writing_ = group_;
  path_.deciding_ = false;
  if (!path_.queue_.Empty() || path_.queue_.Ended()) path_.driver_.WakeForTurn();
  stage_ = Stage::kFinish;
  if (path_.stopped_) {
    Written(std::unexpected(*path_.stopped_), {});
  } else if (group_->state.mutations().empty()) {
    Written({}, {});
  } else {
    sync_ = path_.SyncNow();
    return Next::kWrite;
  }
  return Next::kStep;
}

void Writer::Written(const Status& written, WriteQueue::Time::duration disk_time) {
  written_ = written;
  disk_time_ = disk_time;
  if (written) {
    path_.watermark_.Move(std::move(group_->ends));
  } else {
    for (const WaitingPtr& command : group_->commands) {
      command->answer = std::unexpected(written.error());
    }
  }
}

Writer::Next Writer::Finish() {
  if (!written_) path_.stopped_ = written_.error();
  path_.queue_.EndWriting(group_->commands.size(), disk_time_, path_.driver_.Now());
  path_.writing_.reset();
  path_.driver_.WakeForCommands();
  stage_ = Stage::kAnswer;
  return Next::kStep;
}

Writer::Next Writer::Answer() {
  {
    const MutexUnlock unlocked(path_.mutex_);
    for (const WaitingPtr& command : group_->commands) command->Give();
    group_.reset();
  }
  stage_ = Stage::kRest;
  return Next::kStep;
}

}  // namespace perdure
