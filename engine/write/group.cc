#include "engine/write/group.h"

#include "engine/base/check.h"

namespace perdure {

void Waiting::Give() {
  {
    const std::lock_guard lock(mutex_);
    PERDURE_CHECK(!is_given_);
    is_given_ = true;
  }
  given_.notify_one();
}

bool Waiting::IsGiven() const {
  const std::lock_guard lock(mutex_);
  return is_given_;
}

Result<WriteOutcome> Waiting::Take() {
  std::unique_lock lock(mutex_);
  given_.wait(lock, [this] { return is_given_; });
  return std::move(answer);
}

}  // namespace perdure
