// The virtual disk at work, and what goes wrong in the house.
#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/base/limits.h"
#include "simulation/house.h"

namespace perdure::simulation {
namespace {

constexpr Micros kHour = 3'600'000'000;
constexpr Micros kYear = 365 * 24 * kHour;
constexpr Micros kStall = 2'000'000;

}  // namespace

// --- The disk ------------------------------------------------------------------------------------

Micros House::DiskDelay() {
  return static_cast<Micros>(1 + chance_.Below(disk_delay_max_)) +
         (chance_.OneIn(300) ? kStall : 0);
}

void House::StartWrite(std::size_t which) {
  Thread& thread = life_->threads[which];
  if (health_ != Health::kGood) {
    oracle_.Fail("order",
                 fmt::format("group {} follows one that could not be written", thread.group));
  }
  Write write{.thread = which,
              .batch = {thread.group, thread.writer.group()->state.mutations()},
              .sync = thread.writer.sync(),
              .fate = std::exchange(next_fate_, Fate::kWell),
              .began = clock_.SinceBoot(),
              .due = clock_.SinceBoot() + DiskDelay()};
  oracle_.SeeTimes(write.batch.mutations,
                   clock_.SinceBoot() + believed_ + limits::kClockAheadMaxMicros);
  if (Planted(Plant::kWatermarkEarly)) life_->watermark.Move(thread.writer.group()->ends);
  const bool overtaken = Planted(Plant::kOutOfOrder) && writes_.empty() && chance_.OneIn(3);
  if (Planted(Plant::kAnswerEarly) || overtaken) {
    write.told = true;
    if (overtaken) write.due += 20 * disk_delay_max_;
    thread.writer.Written({}, {});
    thread.at = At::kAwake;
  }
  writes_.push_back(std::move(write));
}

void House::StepWrite(std::size_t which) {
  if (power_lasts_ > 0 && --power_lasts_ == 0) power_is_gone_ = true;
  Write& write = writes_[which];
  if (health_ != Health::kGood) {
    return FinishWrite(which, Fail(Code::kUnavailable, "The disk takes no writes."));
  }
  write.due = clock_.SinceBoot() + DiskDelay();
  trace_.Note("disk: group {} phase {}", write.batch.number, static_cast<int>(write.phase));
  switch (write.phase) {
    case Phase::kStarted:
      if (write.fate == Fate::kFull) {
        health_ = Health::kFull;
        return FinishWrite(which, Fail(Code::kStorageFull, "The disk is full."));
      }
      if (write.fate == Fate::kLost) {
        health_ = Health::kFailed;
        return FinishWrite(which, Fail(Code::kUnavailable, "The disk has failed."));
      }
      disk_.Append(write.batch);
      write.phase = Phase::kAppended;
      break;
    case Phase::kAppended:
      if (write.fate == Fate::kUnsynced) {
        health_ = Health::kFailed;
        cache_is_sound_ = false;
        return FinishWrite(which, Fail(Code::kUnavailable, "The disk has failed to sync."));
      }
      if (write.sync) {
        for (const VirtualDisk::Batch& batch : disk_.Sync()) oracle_.SeeDurable(batch);
        ++figures_.groups;
      }
      write.phase = Phase::kSynced;
      break;
    case Phase::kSynced:
      disk_.Apply(write.batch.mutations);
      write.phase = Phase::kApplied;
      break;
    case Phase::kApplied:
      return FinishWrite(which, {});
  }
}

void House::FinishWrite(std::size_t which, const Status& written) {
  const Write write = std::move(writes_[which]);
  writes_.erase(writes_.begin() + static_cast<std::ptrdiff_t>(which));
  trace_.Note("disk: group {} {}", write.batch.number, written ? "ok" : written.error().message);
  if (!written) ++figures_.failed_writes;
  if (write.told) return;
  Thread& thread = life_->threads[write.thread];
  thread.writer.Written(written, std::chrono::microseconds(clock_.SinceBoot() - write.began));
  thread.at = At::kAwake;
}

Status House::LiveReader::Pass() const {
  House& house = house_;
  if (!house.writes_.empty() && house.chance_.OneIn(16)) {
    const Write& write = house.writes_.front();
    const bool ends = write.phase == Phase::kApplied || write.fate != Fate::kWell;
    if (!ends && house.health_ == Health::kGood) house.StepWrite(0);
  }
  if (house.read_faults_ == 0 || !house.chance_.OneIn(8)) return {};
  --house.read_faults_;
  return Fail(Code::kInternal, "The disk could not be read.");
}

Result<std::optional<std::string>> House::LiveReader::Get(Family family,
                                                          std::string_view key) const {
  RETURN_IF_ERROR(Pass());
  return house_.disk_.Get(family, key);
}

Status House::LiveReader::Scan(Family family, std::string_view from, std::string_view to,
                               const Visitor& visit) const {
  RETURN_IF_ERROR(Pass());
  return house_.disk_.Scan(family, from, to, visit);
}

// --- What goes wrong -----------------------------------------------------------------------------

void House::Trouble() {
  if (Planted(Plant::kAddressInTrace)) {
    garbage_.emplace_back(64, ' ');
    trace_.Note("{}", static_cast<const void*>(garbage_.back().data()));
  }
  if (Planted(Plant::kClockInTrace)) {
    trace_.Note("{}", std::chrono::steady_clock::now().time_since_epoch().count());
  }
  switch (chance_.Below(11)) {
    case 0:
      return Die(true);
    case 1:
    case 10:
      power_lasts_ = 1 + chance_.Below(9);
      return;
    case 2:
      return Die(false);
    case 3:
      if (mode_ == Mode::kOpen) Close();
      return;
    case 4:
    case 5: {
      const Micros most = chance_.OneIn(3) ? 5 * kYear : chance_.OneIn(2) ? 20 * kHour : 1'000'000;
      const Micros by =
          static_cast<Micros>(chance_.Below(2 * static_cast<std::uint64_t>(most))) - most;
      trace_.Note("the wall clock jumps by {}", by);
      ++figures_.clock_jumps;
      clock_.Jump(by);
      return;
    }
    case 6:
      next_fate_ = Fate::kFull;
      return;
    case 7:
      next_fate_ = chance_.OneIn(2) ? Fate::kLost : Fate::kUnsynced;
      return;
    case 8:
      read_faults_ += 1 + chance_.Below(4);
      return;
    default:
      return ConfirmClock();
  }
}

void House::ConfirmClock() {
  guard_.Confirm();
  believed_ = std::max(believed_, clock_.Now() - clock_.SinceBoot());
}

// What an operator, or the engine's watch over a full disk, does about a disk that takes no writes.
void House::Mend() {
  if (mode_ == Mode::kClosing) return;
  if (health_ == Health::kFull) {
    mode_ = Mode::kRecovering;
    if (unanswered_.empty() && writes_.empty()) Recover();
    return;
  }
  if (health_ != Health::kFailed) return;
  const std::uint64_t how = chance_.Below(3);
  if (how == 0) return Close();
  Die(how == 1);
}

}  // namespace perdure::simulation
