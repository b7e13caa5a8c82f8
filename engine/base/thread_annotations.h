// What a mutex guards, in words that clang's thread safety analysis checks (tests/locks.sh) and
// g++ does not see: https://clang.llvm.org/docs/ThreadSafetyAnalysis.html
#pragma once

#if defined(__clang__)
#define PERDURE_THREAD_ANNOTATION(what) __attribute__((what))
#else
#define PERDURE_THREAD_ANNOTATION(what)
#endif

// Of a member: read with the lock held or shared, written with it held. PT_: what it points to is.
#define GUARDED_BY(lock) PERDURE_THREAD_ANNOTATION(guarded_by(lock))
#define PT_GUARDED_BY(lock) PERDURE_THREAD_ANNOTATION(pt_guarded_by(lock))

// Of a function, or of a lambda after its parameters: the caller holds these locks, or holds none
// of them.
#define REQUIRES(...) PERDURE_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define REQUIRES_SHARED(...) PERDURE_THREAD_ANNOTATION(requires_shared_capability(__VA_ARGS__))
#define EXCLUDES(...) PERDURE_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))

// Of a function: takes the locks and returns with them, or lets them go. Without one named: itself.
#define ACQUIRE(...) PERDURE_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define ACQUIRE_SHARED(...) PERDURE_THREAD_ANNOTATION(acquire_shared_capability(__VA_ARGS__))
#define RELEASE(...) PERDURE_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define RELEASE_SHARED(...) PERDURE_THREAD_ANNOTATION(release_shared_capability(__VA_ARGS__))

// Of a lock: whoever takes these too takes it first.
#define ACQUIRED_BEFORE(...) PERDURE_THREAD_ANNOTATION(acquired_before(__VA_ARGS__))

// Of a function that returns a reference to the lock.
#define RETURN_CAPABILITY(lock) PERDURE_THREAD_ANNOTATION(lock_returned(lock))

// Of a class: it is a lock; it holds one from constructor to destructor.
#define CAPABILITY(name) PERDURE_THREAD_ANNOTATION(capability(name))
#define SCOPED_CAPABILITY PERDURE_THREAD_ANNOTATION(scoped_lockable)

// Of a function that is right although the analysis cannot see why; a comment says why.
#define NO_THREAD_SAFETY_ANALYSIS PERDURE_THREAD_ANNOTATION(no_thread_safety_analysis)
