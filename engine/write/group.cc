#include "engine/write/group.h"

namespace perdure {

void Waiting::Give() {
  {
    const std::lock_guard lock(mutex_);
    is_given_ = true;
  }
  given_.notify_one();
}

Result<WriteOutcome> Waiting::Take() {
  std::unique_lock lock(mutex_);
  given_.wait(lock, [this] { return is_given_; });
  return std::move(answer);
}

}  // namespace perdure
