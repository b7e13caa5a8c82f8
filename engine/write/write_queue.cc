#include "engine/write/write_queue.h"

#include <algorithm>
#include <utility>

#include "engine/base/limits.h"

namespace perdure {
namespace {

// Few, so that a group which has become due is not kept from the disk for long.
constexpr std::size_t kTakenAtOnceMax = 4;

}  // namespace

Status WriteQueue::Put(WaitingPtr command) {
  if (closed_) return Fail(Code::kUnavailable, "The store is closing. Try again later.");
  if (queue_.size() >= limits::kQueueCommandsMax) {
    return Fail(Code::kUnavailable, "Too many writes are waiting. Try again in a moment.");
  }
  queue_.push_back(std::move(command));
  ++unanswered_;
  return {};
}

std::vector<WaitingPtr> WriteQueue::Take(std::size_t size) {
  const std::size_t count =
      std::min({queue_.size(), limits::kGroupCommandsMax - size, kTakenAtOnceMax});
  const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<WaitingPtr> taken(std::make_move_iterator(queue_.begin()),
                                std::make_move_iterator(end));
  queue_.erase(queue_.begin(), end);
  return taken;
}

WriteQueue::Time WriteQueue::DueAt(std::size_t size) const {
  if (writing_) return Time::max();
  const bool gathers = patience_ > Time::duration::zero() && size < limits::kGroupCommandsMax;
  if (!gathers) return written_;
  if (!queue_.empty()) return Time::max();
  const bool all_are_here = unanswered_ >= callers_;
  return closed_ || all_are_here ? written_ : written_ + patience_;
}

void WriteQueue::EndWriting(std::size_t answered, Time::duration disk_time, Time now) {
  writing_ = false;
  written_ = now;
  callers_ = unanswered_;
  const auto deciding_for_all = pace_ * static_cast<int>(callers_);
  patience_ = deciding_for_all < disk_time / 2 ? disk_time / 2 : Time::duration::zero();
  unanswered_ -= answered;
}

}  // namespace perdure
