#include "engine/write/group.h"

#include "engine/base/check.h"

namespace perdure {

void Waiting::Give() {
  {
    const MutexLock lock(mutex_);
    PERDURE_CHECK(!is_given_);
    is_given_ = true;
  }
  given_.NotifyOne();
}

bool Waiting::IsGiven() const {
  const MutexLock lock(mutex_);
  return is_given_;
}

Result<WriteOutcome> Waiting::Take() {
  const MutexLock lock(mutex_);
  given_.Wait(mutex_, [this]() REQUIRES(mutex_) { return is_given_; });
  return std::move(answer);
}

}  // namespace perdure
