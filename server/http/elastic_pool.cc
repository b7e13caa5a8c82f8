#include "server/http/elastic_pool.h"

#include <utility>

#include "engine/base/check.h"

namespace perdure {

void ElasticPool::Submit(std::function<void()> task) {
  std::unique_lock lock(mutex_);
  PERDURE_CHECK(!ending_);
  space_.wait(lock, [&] {
    return waiting_.size() < options_.waiting_max || threads_.size() < options_.threads_max;
  });
  waiting_.push_back(std::move(task));
  if (idle_threads_ >= waiting_.size() || threads_.size() >= options_.threads_max) {
    work_.notify_one();
    return;
  }
  threads_.emplace_back();
  ++idle_threads_;  // from now on, though it has yet to begin
  const auto self = std::prev(threads_.end());
  // The new thread looks at the list under the lock that is held here.
  *self = std::jthread([this, self] { Work(self); });
  JoinFinished(lock);
}

void ElasticPool::Shutdown() {
  std::unique_lock lock(mutex_);
  ending_ = true;
  work_.notify_all();
  space_.wait(lock, [&] { return threads_.empty(); });
  JoinFinished(lock);
}

bool ElasticPool::HasWaiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size() > idle_threads_;
}

std::size_t ElasticPool::Threads() const {
  const std::lock_guard lock(mutex_);
  return threads_.size();
}

void ElasticPool::Work(std::list<std::jthread>::iterator self) {
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait_for(lock, options_.idle, [&] { return !waiting_.empty() || ending_; });
    --idle_threads_;
    if (waiting_.empty()) break;
    const auto task = std::exchange(waiting_.front(), nullptr);
    waiting_.pop_front();
    space_.notify_all();
    lock.unlock();
    task();
    lock.lock();
    ++idle_threads_;
  }
  finished_.splice(finished_.end(), threads_, self);
  space_.notify_all();
}

void ElasticPool::JoinFinished(std::unique_lock<std::mutex>& lock) {
  std::list<std::jthread> ended;
  ended.swap(finished_);
  lock.unlock();
  ended.clear();  // joins
  lock.lock();
}

}  // namespace perdure
