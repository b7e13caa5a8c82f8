// The commands that wait, and which of them form a group: when one may join, when the group is
// closed and written. No threads, locks or clock of its own: the write path guards it by its mutex
// and hands times in.
//
// At most one group is being decided (open) and one being written. The open group takes what comes
// until the one before it is written, and is then written at once, so that the disk never rests:
// many callers end up in two groups that alternate. Only when a sync takes much longer than
// deciding for all callers, the group first gathers them: one sync for all instead of two. That
// wait is at most half of what the disk takes, the advice that PostgreSQL gives for its
// commit_delay.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <vector>

#include "engine/write/group.h"

namespace perdure {

class WriteQueue {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // kUnavailable when the queue is full or closed.
  Status Put(WaitingPtr command);
  // Nothing more is taken in; what waits is still decided.
  void CloseDoor() { closed_ = true; }

  bool Empty() const { return queue_.empty(); }
  bool Ended() const { return closed_ && queue_.empty(); }
  // Commands without an answer, those of the groups included.
  std::size_t Depth() const { return unanswered_; }

  // The next few commands for the open group, which has `size` so far; none when it is full.
  std::vector<WaitingPtr> Take(std::size_t size);
  // How long deciding took for each of the commands taken last.
  void NotePace(Time::duration pace) { pace_ = (7 * pace_ + pace) / 8; }

  // Whether the open group is to be written now, and if not, from when on even if nothing comes:
  // Time::max() while the group before it is being written, or while there is something to take.
  bool IsDue(std::size_t size, Time now) const { return size > 0 && now >= DueAt(size); }
  Time DueAt(std::size_t size) const;

  void StartWriting() { writing_ = true; }
  // `disk_time`: for how long the writer of the group waited for the disk.
  void EndWriting(std::size_t answered, Time::duration disk_time, Time now);

 private:
  std::deque<WaitingPtr> queue_;
  bool closed_ = false;
  std::size_t unanswered_ = 0;
  std::size_t callers_ = 0;  // commands without an answer when the last group was written
  bool writing_ = false;
  Time written_{};  // when the last group was
  Time::duration patience_{};
  Time::duration pace_{};
};

}  // namespace perdure
