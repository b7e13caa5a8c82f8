#include "engine/write/watermark.h"

#include <utility>

namespace perdure {

void Watermark::AddSpace(SpaceId space, LogEnd end) {
  const std::lock_guard lock(mutex_);
  ends_.insert_or_assign(space, std::move(end));
}

void Watermark::Move(std::map<SpaceId, LogEnd> ends) {
  {
    const std::lock_guard lock(mutex_);
    for (auto& [space, end] : ends) std::swap(ends_.at(space), end);
  }
  moved_.notify_all();
}

LogHead Watermark::Head(SpaceId space) const {
  const std::lock_guard lock(mutex_);
  const auto found = ends_.find(space);
  return found == ends_.end() ? LogHead{} : found->second.head;
}

LogHead Watermark::WaitFor(SpaceId space, Seq seq, std::chrono::milliseconds timeout) const {
  std::unique_lock lock(mutex_);
  const auto found = ends_.find(space);
  if (found == ends_.end()) return {};
  moved_.wait_for(lock, timeout, [&] { return found->second.head.seq >= seq; });
  return found->second.head;
}

TreeState Watermark::Tree(SpaceId space) const {
  const std::lock_guard lock(mutex_);
  const auto found = ends_.find(space);
  return found == ends_.end() ? TreeState() : found->second.tree;
}

}  // namespace perdure
