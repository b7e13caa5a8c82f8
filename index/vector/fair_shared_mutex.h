// A shared mutex that starves nobody: whoever waits holds the gate that all others pass first.
// The standard library's lets readers overtake a waiting writer for ever.
#pragma once

#include "engine/base/mutex.h"

namespace perdure {

class CAPABILITY("mutex") FairSharedMutex {
 public:
  void Lock() ACQUIRE() {
    const MutexLock gate(gate_);
    mutex_.Lock();
  }
  void Unlock() RELEASE() { mutex_.Unlock(); }
  void LockShared() ACQUIRE_SHARED() {
    const MutexLock gate(gate_);
    mutex_.LockShared();
  }
  void UnlockShared() RELEASE_SHARED() { mutex_.UnlockShared(); }

 private:
  Mutex gate_;
  SharedMutex mutex_;
};

}  // namespace perdure
