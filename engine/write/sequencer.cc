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

std::vector<Result<WriteOutcome>> Sequencer::SubmitAll(std::vector<WriteRequest> requests) {
  std::vector<Result<WriteOutcome>> answers(requests.size());
  std::vector<WaitingPtr> waiting(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    auto command = std::make_shared<Waiting>(std::move(requests[i]));
    const Status taken = path_.Put(command);
    if (taken) waiting[i] = std::move(command);
    if (!taken) answers[i] = std::unexpected(taken.error());
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (waiting[i]) answers[i] = waiting[i]->Take();
  }
  return answers;
}

Result<WriteOutcome> Sequencer::Submit(WriteRequest request) {
  std::vector<WriteRequest> one;
  one.push_back(std::move(request));
  return std::move(SubmitAll(std::move(one)).front());
}

void Sequencer::Run() {
  Writer writer(path_);
  const MutexLock lock(writer.mutex());
  for (;;) {
    switch (writer.Step()) {
      case Writer::Next::kStep:
        break;
      case Writer::Next::kWaitForTurn:
        WaitForTurn(writer);
        break;
      case Writer::Next::kWaitForCommands:
        WaitForCommands(writer);
        break;
      case Writer::Next::kWrite: {
        const MutexUnlock unlocked(writer.mutex());
        Write(writer);
        break;
      }
      case Writer::Next::kEnd:
        return;
    }
  }
}

void Sequencer::WaitForTurn(Writer& writer) {
  if (sync_.mode != SyncMode::kInterval) return turn_is_free_.Wait(writer.mutex());
  const std::chrono::milliseconds interval(sync_.interval_ms);
  if (turn_is_free_.WaitFor(writer.mutex(), interval) == std::cv_status::no_timeout) return;
  const MutexUnlock unlocked(writer.mutex());
  static_cast<void>(store_.SyncLog());  // a failure stops the writer at the next write
}

void Sequencer::WaitForCommands(Writer& writer) {
  if (writer.due() == WriteQueue::Time::max()) {
    group_waits_.Wait(writer.mutex());
  } else {
    group_waits_.WaitUntil(writer.mutex(), writer.due());
  }
}

void Sequencer::Write(Writer& writer) {
  const WriteQueue::Time start = Now();
  const auto busy_before = ProcessorTime();
  const Status written = store_.Write(writer.group()->state.mutations(), writer.sync());
  writer.Written(written, (Now() - start) - (ProcessorTime() - busy_before));
}

}  // namespace perdure
