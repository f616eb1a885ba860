// SPDX-License-Identifier: Apache-2.0
// Which mutex guards what, for Clang to check (-Wthread-safety; scripts/thread-safety). Other compilers
// ignore it. The mutexes of the C++ library do not carry these attributes, so Mutex and its locks wrap them.
#pragma once

#include <mutex>
#include <shared_mutex>

#if defined(__clang__)
#define MKMD_ATTRIBUTE(x) __attribute__((x))
#else
#define MKMD_ATTRIBUTE(x)
#endif

#define CAPABILITY(name) MKMD_ATTRIBUTE(capability(name))
#define SCOPED_CAPABILITY MKMD_ATTRIBUTE(scoped_lockable)
#define GUARDED_BY(mutex) MKMD_ATTRIBUTE(guarded_by(mutex))
#define PT_GUARDED_BY(mutex) MKMD_ATTRIBUTE(pt_guarded_by(mutex))
// Of functions: the caller holds it, and holds it afterwards; or it must not hold it.
#define REQUIRES(...) MKMD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) MKMD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define ACQUIRE(...) MKMD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define RELEASE(...) MKMD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define ACQUIRE_SHARED(...) MKMD_ATTRIBUTE(acquire_shared_capability(__VA_ARGS__))
#define RELEASE_SHARED(...) MKMD_ATTRIBUTE(release_shared_capability(__VA_ARGS__))
#define TRY_ACQUIRE(...) MKMD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
#define RETURN_CAPABILITY(mutex) MKMD_ATTRIBUTE(lock_returned(mutex))
#define ASSERT_CAPABILITY(...) MKMD_ATTRIBUTE(assert_capability(__VA_ARGS__))

namespace mkmd {

class CAPABILITY("mutex") Mutex {
public:
  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }
  bool try_lock() TRY_ACQUIRE(true) { return mutex_.try_lock(); }
  // Where the caller holds it under another name, which Clang does not see.
  void is_held() const ASSERT_CAPABILITY(this) {}

private:
  friend class Lock;
  std::mutex mutex_;
};

class SCOPED_CAPABILITY Lock {
public:
  explicit Lock(Mutex& mutex) ACQUIRE(mutex) : lock_(mutex.mutex_) {}
  ~Lock() RELEASE() {}
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  void lock() ACQUIRE() { lock_.lock(); }
  void unlock() RELEASE() { lock_.unlock(); }
  // For condition variables: what they wait with lets go of the mutex, and takes it again.
  std::unique_lock<std::mutex>& to_wait() { return lock_; }

private:
  std::unique_lock<std::mutex> lock_;
};

// Lets go of a mutex that the caller holds, and takes it again.
class SCOPED_CAPABILITY Unlocked {
public:
  explicit Unlocked(Mutex& mutex) RELEASE(mutex) : mutex_(mutex) { mutex_.unlock(); }
  ~Unlocked() RELEASE() { mutex_.lock(); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

private:
  Mutex& mutex_;
};

// Many may read at the same time.
class CAPABILITY("mutex") SharedMutex {
public:
  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }
  void lock_shared() ACQUIRE_SHARED() { mutex_.lock_shared(); }
  void unlock_shared() RELEASE_SHARED() { mutex_.unlock_shared(); }

private:
  std::shared_mutex mutex_;
};

class SCOPED_CAPABILITY WriteLock {
public:
  explicit WriteLock(SharedMutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~WriteLock() RELEASE() { mutex_.unlock(); }
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

private:
  SharedMutex& mutex_;
};

class SCOPED_CAPABILITY ReadLock {
public:
  explicit ReadLock(SharedMutex& mutex) ACQUIRE_SHARED(mutex) : mutex_(mutex) { mutex_.lock_shared(); }
  ~ReadLock() RELEASE() { mutex_.unlock_shared(); }
  ReadLock(const ReadLock&) = delete;
  ReadLock& operator=(const ReadLock&) = delete;

private:
  SharedMutex& mutex_;
};

}  // namespace mkmd
