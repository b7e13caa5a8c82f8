// The standard library's mutexes and condition variables, under names that carry annotations.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <stop_token>
#include <utility>

#include "engine/base/thread_annotations.h"

namespace perdure {

class CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() ACQUIRE() { mutex_.lock(); }
  void Unlock() RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  friend class StoppableCondVar;
  std::mutex mutex_;
};

class CAPABILITY("mutex") SharedMutex {
 public:
  SharedMutex() = default;
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  void Lock() ACQUIRE() { mutex_.lock(); }
  void Unlock() RELEASE() { mutex_.unlock(); }
  void LockShared() ACQUIRE_SHARED() { mutex_.lock_shared(); }
  void UnlockShared() RELEASE_SHARED() { mutex_.unlock_shared(); }

 private:
  std::shared_mutex mutex_;
};

// Holds a mutex while it lives.
class [[nodiscard]] SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex.Lock(); }
  ~MutexLock() RELEASE() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Lets a held mutex go while it lives, and takes it again.
class [[nodiscard]] SCOPED_CAPABILITY MutexUnlock {
 public:
  explicit MutexUnlock(Mutex& mutex) RELEASE(mutex) : mutex_(mutex) { mutex.Unlock(); }
  ~MutexUnlock() RELEASE() { mutex_.Lock(); }
  MutexUnlock(const MutexUnlock&) = delete;
  MutexUnlock& operator=(const MutexUnlock&) = delete;

 private:
  Mutex& mutex_;
};

// Holds a SharedMutex, or another with its functions, alone.
template <typename AnyMutex>
class [[nodiscard]] SCOPED_CAPABILITY WriterLock {
 public:
  explicit WriterLock(AnyMutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex.Lock(); }
  ~WriterLock() RELEASE() { mutex_.Unlock(); }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  AnyMutex& mutex_;
};

// Holds it together with other readers.
template <typename AnyMutex>
class [[nodiscard]] SCOPED_CAPABILITY ReaderLock {
 public:
  explicit ReaderLock(AnyMutex& mutex) ACQUIRE_SHARED(mutex) : mutex_(mutex) { mutex.LockShared(); }
  ~ReaderLock() RELEASE() { mutex_.UnlockShared(); }
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;

 private:
  AnyMutex& mutex_;
};

// Waits as std::condition_variable does, with a mutex that the caller holds. A predicate that reads
// what the mutex guards says so: [this]() REQUIRES(mutex_) { return is_done_; }
class CondVar {
 public:
  void NotifyOne() { variable_.notify_one(); }
  void NotifyAll() { variable_.notify_all(); }

  // Until the predicate holds, which the timed ones return; without one until woken, or sooner.
  template <typename... Predicate>
  void Wait(Mutex& mutex, Predicate... is_so) REQUIRES(mutex) {
    Held held(mutex);
    variable_.wait(held.lock, std::move(is_so)...);
  }
  template <typename Duration, typename... Predicate>
  auto WaitFor(Mutex& mutex, Duration time, Predicate... is_so) REQUIRES(mutex) {
    Held held(mutex);
    return variable_.wait_for(held.lock, time, std::move(is_so)...);
  }
  template <typename Time, typename... Predicate>
  auto WaitUntil(Mutex& mutex, Time end, Predicate... is_so) REQUIRES(mutex) {
    Held held(mutex);
    return variable_.wait_until(held.lock, end, std::move(is_so)...);
  }

 private:
  struct Held {
    explicit Held(Mutex& mutex) : lock(mutex.mutex_, std::adopt_lock) {}
    ~Held() { lock.release(); }  // the caller holds on
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    std::unique_lock<std::mutex> lock;
  };
  std::condition_variable variable_;
};

// One that a stop request wakes too.
class StoppableCondVar {
 public:
  void NotifyOne() { variable_.notify_one(); }

  // Whether the predicate holds: false when stopped before.
  template <typename Predicate>
  bool Wait(Mutex& mutex, const std::stop_token& stop, Predicate is_so) REQUIRES(mutex) {
    return variable_.wait(mutex.mutex_, stop, std::move(is_so));
  }
  // Until the time is up, or stopped.
  void Sleep(Mutex& mutex, const std::stop_token& stop, std::chrono::milliseconds time)
      REQUIRES(mutex) {
    variable_.wait_for(mutex.mutex_, stop, time, [] { return false; });
  }

 private:
  std::condition_variable_any variable_;
};

}  // namespace perdure
