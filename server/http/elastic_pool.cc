#include "server/http/elastic_pool.h"

#include <utility>

#include "engine/base/check.h"

namespace perdure {

void ElasticPool::Submit(std::function<void()> task) {
  const MutexLock lock(mutex_);
  PERDURE_CHECK(!ending_);
  space_.Wait(mutex_, [&]() REQUIRES(mutex_) {
    return waiting_.size() < options_.waiting_max || threads_.size() < options_.threads_max;
  });
  waiting_.push_back(std::move(task));
  if (idle_threads_ >= waiting_.size() || threads_.size() >= options_.threads_max) {
    work_.NotifyOne();
    return;
  }
  threads_.emplace_back();
  ++idle_threads_;  // from now on, though it has yet to begin
  const auto self = std::prev(threads_.end());
  // The new thread looks at the list under the lock that is held here.
  *self = std::jthread([this, self] { Work(self); });
  JoinFinished();
}

void ElasticPool::Shutdown() {
  const MutexLock lock(mutex_);
  ending_ = true;
  work_.NotifyAll();
  space_.Wait(mutex_, [&]() REQUIRES(mutex_) { return threads_.empty(); });
  JoinFinished();
}

bool ElasticPool::HasWaiting() const {
  const MutexLock lock(mutex_);
  return waiting_.size() > idle_threads_;
}

std::size_t ElasticPool::Threads() const {
  const MutexLock lock(mutex_);
  return threads_.size();
}

void ElasticPool::Work(std::list<std::jthread>::iterator self) {
  const MutexLock lock(mutex_);
  while (true) {
    work_.WaitFor(mutex_, options_.idle,
                  [&]() REQUIRES(mutex_) { return !waiting_.empty() || ending_; });
    --idle_threads_;
    if (waiting_.empty()) break;
    const auto task = std::exchange(waiting_.front(), nullptr);
    waiting_.pop_front();
    space_.NotifyAll();
    {
      const MutexUnlock unlocked(mutex_);
      task();
    }
    ++idle_threads_;
  }
  finished_.splice(finished_.end(), threads_, self);
  space_.NotifyAll();
}

void ElasticPool::JoinFinished() {
  std::list<std::jthread> ended;
  ended.swap(finished_);
  const MutexUnlock unlocked(mutex_);
  ended.clear();  // joins
}

}  // namespace perdure
