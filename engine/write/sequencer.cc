#include "engine/write/sequencer.h"

#include <ctime>
#include <utility>

namespace perdure {
namespace {

WriteQueue::Time Now() { return std::chrono::steady_clock::now(); }

// What this thread has computed so far; the rest of its time it waited.
std::chrono::nanoseconds ProcessorTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

Sequencer::Sequencer(const Surroundings& around, SyncPolicy sync)
    : store_(around.store),
      sync_(sync),
      last_sync_(Now()),
      decider_(around.latest, around.clock, around.random) {
  for (std::thread& thread : threads_) thread = std::thread([this] { Run(); });
}

Sequencer::~Sequencer() {
  {
    const std::lock_guard lock(mutex_);
    queue_.CloseDoor();
  }
  turn_is_free_.notify_all();
  group_waits_.notify_one();
  for (std::thread& thread : threads_) thread.join();
}

void Sequencer::AddSpace(SpaceId space, SpaceStart start) {
  watermark_.AddSpace(space, start.end);
  decider_.AddSpace(space, std::move(start));
}

Result<WriteOutcome> Sequencer::Submit(WriteRequest request) {
  const auto waiting = std::make_shared<Waiting>(std::move(request));
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return std::unexpected(*stopped_);
    RETURN_IF_ERROR(queue_.Put(waiting));
    (deciding_ ? group_waits_ : turn_is_free_).notify_one();
  }
  return waiting->Take();
}

std::size_t Sequencer::Depth() const {
  const std::lock_guard lock(mutex_);
  return queue_.Depth();
}

Status Sequencer::State() const {
  const std::lock_guard lock(mutex_);
  if (stopped_) return std::unexpected(*stopped_);
  return {};
}

void Sequencer::Run() {
  while (TakeTurn()) {
    const std::shared_ptr<Group> group = DecideGroup();
    const WriteQueue::Time start = Now();
    const auto busy_before = ProcessorTime();
    const Status written = Write(*group);
    Finish(*group, written, (Now() - start) - (ProcessorTime() - busy_before));
  }
}

// Waits for a command that nobody decides. Returns false when none will come.
bool Sequencer::TakeTurn() {
  std::unique_lock lock(mutex_);
  const auto ready = [this] { return (!deciding_ && !queue_.Empty()) || queue_.Ended(); };
  if (sync_.mode == SyncMode::kInterval) {
    const std::chrono::milliseconds interval(sync_.interval_ms);
    while (!turn_is_free_.wait_for(lock, interval, ready)) {
      lock.unlock();
      static_cast<void>(store_.SyncLog());  // a failure stops the writer at the next write
      lock.lock();
    }
  } else {
    turn_is_free_.wait(lock, ready);
  }
  if (deciding_ || queue_.Empty()) return false;
  deciding_ = true;
  return true;
}

// The next group, closed, its turn to be written come. Passes the turn to decide on.
std::shared_ptr<Group> Sequencer::DecideGroup() {
  std::shared_ptr<Group> below;
  {
    const std::lock_guard lock(mutex_);
    below = writing_;
  }
  std::shared_ptr<Group> group = decider_.Begin(std::move(below));
  for (;;) {
    std::vector<WaitingPtr> commands = TakeOrClose(group->commands.size());
    if (commands.empty()) break;
    const WriteQueue::Time start = Now();
    for (WaitingPtr& command : commands) decider_.Decide(*group, std::move(command));
    const std::lock_guard lock(mutex_);
    queue_.NotePace((Now() - start) / commands.size());
  }
  decider_.Close(*group);
  const std::lock_guard lock(mutex_);
  writing_ = group;
  deciding_ = false;
  if (!queue_.Empty() || queue_.Ended()) turn_is_free_.notify_one();
  return group;
}

// What joins the group of `size` commands; nothing when it is to be written, which from then on
// counts as being done.
std::vector<WaitingPtr> Sequencer::TakeOrClose(std::size_t size) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (queue_.IsDue(size, Now())) {
      queue_.StartWriting();
      return {};
    }
    std::vector<WaitingPtr> commands = queue_.Take(size);
    if (!commands.empty()) return commands;
    const WriteQueue::Time due = queue_.DueAt(size);
    if (due == WriteQueue::Time::max()) {
      group_waits_.wait(lock);
    } else {
      group_waits_.wait_until(lock, due);
    }
  }
}

Status Sequencer::Write(const Group& group) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return std::unexpected(*stopped_);
  }
  if (group.state.mutations().empty()) return {};
  return store_.Write(group.state.mutations(), SyncNow());
}

// Makes the group visible and answers it, or fails it.
void Sequencer::Finish(Group& group, const Status& written, WriteQueue::Time::duration disk_time) {
  if (written) {
    watermark_.Move(std::move(group.ends));
  } else {
    for (const WaitingPtr& command : group.commands) {
      command->answer = std::unexpected(written.error());
    }
  }
  {
    const std::lock_guard lock(mutex_);
    if (!written) stopped_ = written.error();
    queue_.EndWriting(group.commands.size(), disk_time, Now());
    writing_.reset();
    group_waits_.notify_one();
  }
  for (const WaitingPtr& command : group.commands) command->Give();
}

bool Sequencer::SyncNow() {
  if (sync_.mode == SyncMode::kAlways) return true;
  if (sync_.mode == SyncMode::kNever) return false;
  const auto now = Now();
  if (now - last_sync_ < std::chrono::milliseconds(sync_.interval_ms)) return false;
  last_sync_ = now;
  return true;
}

}  // namespace perdure
