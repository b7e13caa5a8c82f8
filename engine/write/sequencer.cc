#include "engine/write/sequencer.h"

#include <chrono>
#include <ctime>
#include <utility>

namespace perdure {
namespace {

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
      path_({around.latest, around.clock, around.random, watermark_, *this}, sync) {
  for (std::thread& thread : threads_) thread = std::thread([this] { Run(); });
}

Sequencer::~Sequencer() {
  path_.CloseDoor();
  for (std::thread& thread : threads_) thread.join();
}

Result<WriteOutcome> Sequencer::Submit(WriteRequest request) {
  const auto waiting = std::make_shared<Waiting>(std::move(request));
  RETURN_IF_ERROR(path_.Put(waiting));
  return waiting->Take();
}

void Sequencer::Run() {
  Writer writer(path_);
  WritePath::Lock lock = path_.Hold();
  for (;;) {
    switch (writer.Step(lock)) {
      case Writer::Next::kStep:
        break;
      case Writer::Next::kWaitForTurn:
        WaitForTurn(lock);
        break;
      case Writer::Next::kWaitForCommands:
        WaitForCommands(lock, writer.due());
        break;
      case Writer::Next::kWrite:
        lock.unlock();
        Write(writer);
        lock.lock();
        break;
      case Writer::Next::kEnd:
        return;
    }
  }
}

void Sequencer::WaitForTurn(WritePath::Lock& lock) {
  if (sync_.mode != SyncMode::kInterval) return turn_is_free_.wait(lock);
  const std::chrono::milliseconds interval(sync_.interval_ms);
  if (turn_is_free_.wait_for(lock, interval) == std::cv_status::no_timeout) return;
  lock.unlock();
  static_cast<void>(store_.SyncLog());  // a failure stops the writer at the next write
  lock.lock();
}

void Sequencer::WaitForCommands(WritePath::Lock& lock, WriteQueue::Time due) {
  if (due == WriteQueue::Time::max()) {
    group_waits_.wait(lock);
  } else {
    group_waits_.wait_until(lock, due);
  }
}

void Sequencer::Write(Writer& writer) {
  const WriteQueue::Time start = Now();
  const auto busy_before = ProcessorTime();
  const Status written = store_.Write(writer.group()->state.mutations(), writer.sync());
  writer.Written(written, (Now() - start) - (ProcessorTime() - busy_before));
}

}  // namespace perdure
