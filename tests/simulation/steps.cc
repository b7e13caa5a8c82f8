// The scheduler: what one step of the house is.
#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "engine/apply/memory_fold.h"
#include "engine/base/hash.h"
#include "engine/base/limits.h"
#include "engine/model/tables.h"
#include "engine/read/moment.h"
#include "simulation/house.h"

namespace perdure::simulation {
namespace {

constexpr std::uint64_t kStarvedAfter = 20'000;  // steps

std::string_view NameOf(Writer::Next next) {
  switch (next) {
    case Writer::Next::kStep:
      return "steps";
    case Writer::Next::kWaitForTurn:
      return "waits for a turn";
    case Writer::Next::kWaitForCommands:
      return "waits for commands";
    case Writer::Next::kWrite:
      return "writes";
    case Writer::Next::kEnd:
      return "ends";
  }
  return "";
}

}  // namespace

void House::Step(bool with_trouble) {
  ++figures_.steps;
  clock_.Advance(1 + static_cast<Micros>(chance_.Below(5)));
  trace_.SetStep(figures_.steps, clock_.SinceBoot());
  if (with_trouble && chance_.OneIn(trouble_one_in_)) Trouble();
  if (with_trouble && life_ != nullptr && health_ != Health::kGood && chance_.OneIn(20)) Mend();
  if (life_ == nullptr) return;
  if (with_trouble && will_flood_ && mode_ == Mode::kOpen && chance_.OneIn(300)) Flood();
  const std::vector<Move> moves = Moves();
  if (moves.empty()) {
    PassTime();
  } else {
    Do(moves[chance_.Below(moves.size())]);
  }
  if (life_ != nullptr && power_is_gone_) Die(true);
  if (life_ == nullptr) return;
  Watch();
  if (health_ != Health::kGood) return;
  for (Submission& submission : unanswered_) {
    figures_.longest_wait = std::max(figures_.longest_wait, ++submission.moves_waited);
    if (submission.moves_waited == kStarvedAfter) {
      oracle_.Fail("starved", fmt::format("session {} waits for an answer", submission.session));
    }
  }
}

std::vector<House::Move> House::Moves() {
  std::vector<Move> moves;
  const Micros now = clock_.SinceBoot();
  for (std::size_t i = 0; i < life_->threads.size(); ++i) {
    const Thread& thread = life_->threads[i];
    const bool waits = thread.at == At::kWaitsForTurn || thread.at == At::kWaitsForCommands;
    if (thread.at == At::kAwake ||
        (thread.at == At::kWaitsForCommands && thread.writer.due() <= clock_.Steady()) ||
        (waits && wakes_spuriously_ && chance_.OneIn(100))) {
      moves.insert(moves.end(), 2, {Actor::kThread, i});
    }
  }
  for (std::size_t i = 0; i < writes_.size(); ++i) {
    if (writes_[i].due <= now && (i == 0 || Planted(Plant::kOutOfOrder))) {
      moves.push_back({Actor::kWrite, i});
    }
  }
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    if (MaySubmit(i) && client_due_[i] <= now) moves.push_back({Actor::kClient, i});
  }
  for (std::size_t i = 0; i < followers_.size(); ++i) {
    if (followers_[i]->cursor() < life_->watermark.Head(followers_[i]->space()).seq) {
      moves.push_back({Actor::kFollower, i});
    }
  }
  if (!moves.empty() && chance_.OneIn(10)) moves.push_back({Actor::kReader, 0});
  return moves;
}

// To the next thing that is due. Whoever waits for nothing that is due must be woken: if nobody can
// do that any more, a wake was lost.
void House::PassTime() {
  Micros next = std::numeric_limits<Micros>::max();
  const auto consider = [&next](Micros due) { next = std::min(next, due); };
  for (const Write& write : writes_) consider(write.due);
  for (const Thread& thread : life_->threads) {
    if (thread.at != At::kWaitsForCommands || thread.writer.due() == WriteQueue::Time::max()) {
      continue;
    }
    consider(std::chrono::duration_cast<std::chrono::microseconds>(
                 thread.writer.due().time_since_epoch())
                 .count() +
             1);
  }
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    if (MaySubmit(i)) consider(client_due_[i]);
  }
  if (next == std::numeric_limits<Micros>::max()) {
    if (!unanswered_.empty() || mode_ == Mode::kClosing) {
      oracle_.Fail("stuck", fmt::format("nothing moves and {} commands wait", unanswered_.size()));
      life_.reset();
    }
  } else if (next > clock_.SinceBoot()) {
    clock_.Advance(next - clock_.SinceBoot());
  }
}

void House::Do(const Move& move) {
  switch (move.actor) {
    case Actor::kThread:
      return StepThread(move.which);
    case Actor::kWrite:
      return StepWrite(move.which);
    case Actor::kClient:
      return StepClient(move.which);
    case Actor::kFollower:
      return StepFollower(move.which);
    case Actor::kReader:
      return StepReader();
  }
}

// --- The writers' threads ------------------------------------------------------------------------

WriteQueue::Time House::Now() {
  clock_.Advance(static_cast<Micros>(chance_.Below(8)));
  return clock_.Steady();
}

void House::Wake(At waiting) {
  if (life_ == nullptr) return;  // it is being made
  if (Planted(Plant::kLostWake) && chance_.OneIn(30)) return;
  std::vector<Thread*> asleep;
  for (Thread& thread : life_->threads) {
    if (thread.at == waiting) asleep.push_back(&thread);
  }
  if (!asleep.empty()) chance_.Of(asleep)->at = At::kAwake;
}

void House::StepThread(std::size_t which) {
  Thread& thread = life_->threads[which];
  const bool rested = thread.writer.group() == nullptr;
  thread.at = At::kAwake;
  Writer::Next next = Writer::Next::kStep;
  {
    const MutexLock lock(thread.writer.mutex());
    next = thread.writer.Step();
  }
  const Group* group = thread.writer.group();
  if (rested && group != nullptr) thread.group = ++groups_;
  trace_.Note("thread {} {}, group {} of {}", which, NameOf(next), thread.group,
              group == nullptr ? 0 : group->commands.size());
  switch (next) {
    case Writer::Next::kStep:
      break;
    case Writer::Next::kWaitForTurn:
      thread.at = At::kWaitsForTurn;
      break;
    case Writer::Next::kWaitForCommands:
      thread.at = At::kWaitsForCommands;
      break;
    case Writer::Next::kWrite:
      thread.at = At::kWaitsForDisk;
      StartWrite(which);
      break;
    case Writer::Next::kEnd:
      thread.at = At::kEnded;
      if (life_->threads[1 - which].at == At::kEnded) return Closed();
      break;
  }
  if (!rested && group == nullptr) TakeAnswers();
}

void House::TakeAnswers() {
  std::vector<Submission> given;
  std::erase_if(unanswered_, [&given](const Submission& submission) {
    if (!submission.waiting->IsGiven()) return false;
    given.push_back(submission);
    return true;
  });
  for (const Submission& submission : given) Answer(submission);
}

void House::Answer(const Submission& submission) {
  const Result<WriteOutcome> answer = submission.waiting->Take();
  trace_.Note("answer to session {}: {} {}", submission.session,
              answer ? "entry" : CodeName(answer.error().code),
              answer ? std::to_string(answer->seq) : answer.error().message);
  oracle_.SeeAnswer(submission, answer, disk_, life_->watermark.Head(submission.space));
  ++figures_.answers;
  const WriteRequest& request = submission.request();
  if (!answer) {
    const Code code = answer.error().code;
    if (code == Code::kConflict) ++figures_.conflicts;
    if (code == Code::kUnavailable || code == Code::kStorageFull) {
      if (submission.client < clients_.size()) clients_[submission.client].Forget(submission);
    } else {
      ++figures_.refusals;
    }
    return;
  }
  if (answer->repeated) ++figures_.repeats;
  if (answer->dry_run) return;
  for (Client& client : clients_) {
    if (client.space() == submission.space || submission.space == kSystemSpace) {
      client.Learn(request, *answer);
    }
  }
  for (const MemoryOutcome& memory : answer->memories) known_.push_back(memory.id);
  if (!request.options.idempotency_key.empty() && submission.client < clients_.size()) {
    clients_[submission.client].Keep(submission);
  }
  if (const auto* create = std::get_if<CreateSpace>(&request.command)) {
    if (const Status loaded = LoadSpace(create->space); !loaded) {
      oracle_.Fail("open", loaded.error().message);
    }
  }
}

// --- Those around them ---------------------------------------------------------------------------

bool House::MaySubmit(std::size_t which) const {
  const auto waiting = std::ranges::count(unanswered_, which, &Submission::client);
  return mode_ == Mode::kOpen &&
         static_cast<std::size_t>(waiting) < clients_[which].unanswered_max();
}

void House::StepClient(std::size_t which) {
  Client& client = clients_[which];
  client_due_[which] = clock_.SinceBoot() + client.think_time(chance_);
  const Micros now = life_->watermark.Head(client.space()).time;
  static_cast<void>(Submit(client.Next(chance_, now, next_session_)));
}

// More than the queue takes, all at once.
void House::Flood() {
  trace_.Note("a flood");
  will_flood_ = false;
  std::size_t turned_away = 0;
  for (std::size_t i = 0; i < limits::kQueueCommandsMax + 2; ++i) {
    Submission submission = clients_[0].Next(chance_, 0, next_session_);
    WriteRequest request = submission.request();
    request.options = {.dry_run = true};
    // Even one that is asked for again: as a dry run it is another.
    submission.session = request.principal.session = next_session_++;
    submission.waiting = std::make_shared<Waiting>(std::move(request));
    if (!Submit(std::move(submission))) ++turned_away;
  }
  const std::size_t depth = life_->path.Depth();
  if (turned_away < 2 || depth > limits::kQueueCommandsMax + 2 * limits::kGroupCommandsMax) {
    oracle_.Fail("queue", fmt::format("{} turned away, {} wait", turned_away, depth));
  }
}

// As Engine::Submit does. Returns whether the command was taken in.
bool House::Submit(Submission submission) {
  Status taken = guard_.Check();
  if (taken) taken = life_->path.Put(submission.waiting);
  trace_.Note("session {} asks for command {}{}", submission.session,
              submission.request().command.index(), taken ? "" : " and is turned away");
  if (taken) {
    ++figures_.commands;
    unanswered_.push_back(std::move(submission));
    return true;
  }
  if (submission.client < clients_.size()) clients_[submission.client].Forget(submission);
  return false;
}

void House::StepFollower(std::size_t which) {
  Follower& follower = *followers_[which];
  if (Planted(Plant::kSkippingFollower) && chance_.OneIn(20)) return follower.Skip();
  const Status folded = follower.Step(*reader_);
  trace_.Note("follower {} {} {}", which, follower.cursor(), folded ? "" : folded.error().message);
  if (folded) {
    ++figures_.followed;
  } else if (folded.error().code != Code::kInternal) {
    oracle_.Fail("follower", folded.error().message);
  }
}

void House::StepReader() {
  const SpaceId space = chance_.Of(life_->spaces);
  const LogHead head = life_->watermark.Head(space);
  if (head.seq == 0 || known_.empty()) return;
  ReadAt at;
  if (chance_.OneIn(3)) at.time = head.time - static_cast<Micros>(chance_.Below(30'000'000));
  if (!at.time && chance_.OneIn(3)) at.seq = chance_.Below(head.seq + 3);
  if (!at.time && !at.seq && chance_.OneIn(4))
    at.snapshot = fmt::format("name-{}", chance_.Below(12));
  Principal principal = Bootstrap();
  principal.space = space;
  const auto as_of = ResolveMoment(disk_, principal, keys_.at(space).secret, head, at);
  const auto last = ReadEntry(disk_, space, head.seq);
  if (!as_of && as_of.error().code == Code::kNotFound) return;  // no such snapshot
  if (!as_of || *as_of > head.time || !last || Sha256(last->bytes()) != head.hash) {
    return oracle_.Fail("watermark", fmt::format("a reader of space {} cannot read entry {}, at "
                                                 "which the watermark is",
                                                 space, head.seq));
  }
  const Uuid& id = chance_.Of(known_);
  const auto record = ReadMemory(DiskView(disk_, *as_of), space, id);
  if (!record || (*record && (*record)->record_time > *as_of)) {
    oracle_.Fail("past",
                 fmt::format("memory {} as of {} is of a later time", ToString(id), *as_of));
  }
  ++figures_.reads;
  auto bytes = disk_.Get(Family::kState, tables::Memory(space, id), *as_of);
  trace_.Note("reads {} of space {} as of {}: {}", ToString(id), space, *as_of,
              *bytes ? (*bytes)->size() : 0);
  oracle_.SeeRecord(space, id, *as_of, std::move(*bytes));
}

void House::Watch() {
  for (const SpaceId space : life_->spaces) {
    oracle_.SeeHead(space, life_->watermark.Head(space));
  }
}

}  // namespace perdure::simulation
