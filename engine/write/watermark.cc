#include "engine/write/watermark.h"

#include <utility>

namespace perdure {

void Watermark::AddSpace(SpaceId space, LogEnd end) {
  const MutexLock lock(mutex_);
  ends_.insert_or_assign(space, std::move(end));
}

void Watermark::Move(std::map<SpaceId, LogEnd> ends) {
  {
    const MutexLock lock(mutex_);
    for (auto& [space, end] : ends) std::swap(ends_.at(space), end);
  }
  moved_.NotifyAll();
}

LogHead Watermark::Head(SpaceId space) const {
  const MutexLock lock(mutex_);
  const auto found = ends_.find(space);
  return found == ends_.end() ? LogHead{} : found->second.head;
}

LogHead Watermark::WaitFor(SpaceId space, Seq seq, std::chrono::milliseconds timeout) const {
  const MutexLock lock(mutex_);
  const auto found = ends_.find(space);
  if (found == ends_.end()) return {};
  moved_.WaitFor(mutex_, timeout, [&] { return found->second.head.seq >= seq; });
  return found->second.head;
}

TreeState Watermark::Tree(SpaceId space) const {
  const MutexLock lock(mutex_);
  const auto found = ends_.find(space);
  return found == ends_.end() ? TreeState() : found->second.tree;
}

}  // namespace perdure
