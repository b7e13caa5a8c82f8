#include "engine/write/sequencer.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/limits.h"
#include "engine/model/tables.h"
#include "engine/proof/tree_head.h"
#include "engine/write/execute.h"

namespace perdure {

SpaceId SpaceOf(const Command& command, const Principal& principal) {
  const bool system = std::holds_alternative<IssueToken>(command) ||
                      std::holds_alternative<RevokeToken>(command) ||
                      std::holds_alternative<CreateSpace>(command) ||
                      std::holds_alternative<CompactHistory>(command);
  return system ? kSystemSpace : principal.space;
}

// What one group has decided and not yet written.
struct Sequencer::Group {
  struct Log {
    LogHead head;
    TreeState tree;
  };
  explicit Group(const StateReader& base) : state(base) {}
  Overlay state;
  std::map<SpaceId, Log> logs;  // those it appends to
};

Sequencer::Sequencer(Store& store, Clock& clock, Random& random, SyncPolicy sync)
    : store_(store),
      clock_(clock),
      random_(random),
      sync_(sync),
      last_sync_(std::chrono::steady_clock::now()),
      thread_([this] { Run(); }) {}

Sequencer::~Sequencer() {
  {
    const std::lock_guard lock(queue_mutex_);
    stopping_ = true;
  }
  queue_filled_.notify_all();
  thread_.join();
}

void Sequencer::AddSpace(SpaceId space, SpaceStart start) {
  const std::lock_guard lock(visible_mutex_);
  spaces_.insert_or_assign(space, std::move(start));
}

Result<WriteOutcome> Sequencer::Submit(WriteRequest request) {
  std::future<Result<WriteOutcome>> answer;
  {
    const std::lock_guard lock(queue_mutex_);
    if (stopping_) return Fail(Code::kUnavailable, "The store is closing. Try again later.");
    if (queue_.size() >= limits::kQueueCommandsMax) {
      return Fail(Code::kUnavailable, "Too many writes are waiting. Try again in a moment.");
    }
    Waiting& waiting =
        queue_.emplace_back(std::move(request), std::promise<Result<WriteOutcome>>());
    answer = waiting.answer.get_future();
  }
  queue_filled_.notify_one();
  return answer.get();
}

LogHead Sequencer::Visible(SpaceId space) const {
  const std::lock_guard lock(visible_mutex_);
  const auto found = spaces_.find(space);
  return found == spaces_.end() ? LogHead{} : found->second.head;
}

LogHead Sequencer::WaitFor(SpaceId space, Seq seq, std::chrono::milliseconds timeout) const {
  std::unique_lock lock(visible_mutex_);
  const auto found = spaces_.find(space);
  if (found == spaces_.end()) return {};
  visible_moved_.wait_for(lock, timeout, [&] { return found->second.head.seq >= seq; });
  return found->second.head;
}

TreeState Sequencer::Tree(SpaceId space) const {
  const std::lock_guard lock(visible_mutex_);
  const auto found = spaces_.find(space);
  return found == spaces_.end() ? TreeState() : found->second.tree;
}

Status Sequencer::State() const {
  const std::lock_guard lock(visible_mutex_);
  if (stopped_) return std::unexpected(*stopped_);
  return {};
}

void Sequencer::Run() {
  for (;;) {
    std::vector<Waiting> waiting = Take();
    if (waiting.empty()) return;
    WriteGroup(std::move(waiting));
  }
}

std::vector<Sequencer::Waiting> Sequencer::Take() {
  std::unique_lock lock(queue_mutex_);
  const auto ready = [this] { return stopping_ || !queue_.empty(); };
  if (sync_.mode == SyncMode::kInterval) {
    const std::chrono::milliseconds interval(sync_.interval_ms);
    while (!queue_filled_.wait_for(lock, interval, ready)) {
      lock.unlock();
      static_cast<void>(store_.SyncLog());  // a failure stops the writer at the next write
      lock.lock();
    }
  } else {
    queue_filled_.wait(lock, ready);
  }
  std::vector<Waiting> taken;
  while (!queue_.empty() && taken.size() < limits::kGroupCommandsMax) {
    taken.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return taken;
}

void Sequencer::WriteGroup(std::vector<Waiting> waiting) {
  const StoreView base(store_, kLatest);
  Group group(base);
  std::vector<Result<WriteOutcome>> answers;
  answers.reserve(waiting.size());
  for (const Waiting& one : waiting) answers.push_back(Execute(group, one.request));
  if (const Status written = Commit(group); !written) {
    for (auto& answer : answers) answer = std::unexpected(written.error());
  } else {
    Publish(group);
  }
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    waiting[i].answer.set_value(std::move(answers[i]));
  }
}

Result<WriteOutcome> Sequencer::Execute(Group& group, const WriteRequest& request) {
  const SpaceId space = SpaceOf(request.command, request.principal);
  const SpaceKeys* keys = nullptr;
  auto log = group.logs.find(space);
  {
    const std::lock_guard lock(visible_mutex_);
    const auto found = spaces_.find(space);
    if (found == spaces_.end()) {
      return Fail(Code::kNotFound, "The token's space does not exist in this store.");
    }
    keys = found->second.keys;
    if (log == group.logs.end()) {
      log = group.logs.emplace(space, Group::Log{found->second.head, found->second.tree}).first;
    }
  }
  Circumstances circumstances{.space = space,
                              .head = log->second.head,
                              .now = clock_.Now(),
                              .seed = {},
                              .secret = &keys->secret,
                              .principal = &request.principal,
                              .options = &request.options};
  random_.Fill(circumstances.seed);
  Execution execution = perdure::Execute(group.state, circumstances, request.command, [&] {
    return refusals_.Count(request.principal.id, circumstances.now);
  });
  for (const Entry& entry : execution.entries) {
    for (Tile& tile : log->second.tree.Append(LeafHash(entry.bytes()))) {
      group.state.Put(Family::kTree,
                      tables::TreeTile(space, static_cast<std::uint8_t>(tile.level), tile.index),
                      std::move(tile.bytes), 0);
    }
    if (entry->seq() % limits::kCheckpointEntries == 0) {
      const std::lock_guard lock(visible_mutex_);
      const TreeHead head{spaces_.at(space).origin, entry->seq(), log->second.tree.Root(), {}};
      group.state.Put(Family::kMeta, tables::TreeHeadAt(space, entry->seq()),
                      SignTreeHead(head, keys->signing), 0);
    }
  }
  log->second.head = execution.head;
  return std::move(execution.answer);
}

Status Sequencer::Commit(Group& group) {
  if (group.state.mutations().empty()) return {};
  for (const auto& [space, log] : group.logs) {
    group.state.Put(Family::kMeta, tables::Head(space), log.head.Encode(), 0);
  }
  const Status written = store_.Write(group.state.mutations(), SyncNow());
  if (!written) {
    const std::lock_guard lock(visible_mutex_);
    stopped_ = written.error();
  }
  return written;
}

void Sequencer::Publish(Group& group) {
  {
    const std::lock_guard lock(visible_mutex_);
    for (auto& [space, log] : group.logs) {
      SpaceStart& start = spaces_.at(space);
      start.head = log.head;
      start.tree = std::move(log.tree);
    }
  }
  visible_moved_.notify_all();
}

bool Sequencer::SyncNow() {
  if (sync_.mode == SyncMode::kAlways) return true;
  if (sync_.mode == SyncMode::kNever) return false;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_sync_ < std::chrono::milliseconds(sync_.interval_ms)) return false;
  last_sync_ = now;
  return true;
}

}  // namespace perdure
