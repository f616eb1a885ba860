// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/patience.hpp"

#include "common/signals_blocked.hpp"
#include "common/thread_annotations.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

namespace mkmd::vendor {

namespace {

// A server may be busy with a build that the driver asks for before it answers.
constexpr std::chrono::seconds kPatience{5};

// Never destroyed: threads that wait for ever may outlive everything else. Its mutex is a leaf.
class Calls {
public:
  struct Call {
    const void* object;
    bool returned = false;
    bool late = false;
  };

  static Calls& all() {
    static auto* const all = new Calls;
    return *all;
  }

  bool await(Call& call) {
    Lock lock(mutex_);
    if (over_.wait_for(lock.to_wait(), kPatience, [&] { return call.returned; })) return true;
    call.late = true;
    late_.insert(call.object);
    return false;
  }
  void end(Call& call) {
    const Lock lock(mutex_);
    call.returned = true;
    if (call.late) late_.erase(late_.find(call.object));
    over_.notify_all();
  }
  bool has_late(const void* object) {
    const Lock lock(mutex_);
    return late_.count(object) > 0;
  }

private:
  Mutex mutex_;
  std::condition_variable over_;
  std::multiset<const void*> late_ GUARDED_BY(mutex_);
};

// As many as there are calls at a time. They wait for others when theirs has returned. Never destroyed, as
// above.
class Threads {
public:
  static Threads& all() {
    static auto* const all = new Threads;
    return *all;
  }

  // False: there are no more threads.
  bool run(std::function<void()> call) {
    const Lock lock(mutex_);
    if (idle_ <= calls_.size() && !start()) return false;
    calls_.push_back(std::move(call));
    called_.notify_one();
    return true;
  }

private:
  bool start() REQUIRES(mutex_) {
    try {
      const SignalsBlocked blocked;
      std::thread([this] { run_all(); }).detach();
      ++idle_;
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }
  void run_all() {
    Lock lock(mutex_);
    for (;;) {
      called_.wait(lock.to_wait(), [&]() REQUIRES(mutex_) { return !calls_.empty(); });
      std::function<void()> call = std::move(calls_.front());
      calls_.pop_front();
      --idle_;
      lock.unlock();
      call();
      call = {};
      lock.lock();
      ++idle_;
    }
  }

  Mutex mutex_;
  std::condition_variable called_;
  std::deque<std::function<void()>> calls_ GUARDED_BY(mutex_);
  size_t idle_ GUARDED_BY(mutex_) = 0;
};

}  // namespace

bool is_late(const void* object) {
  return Calls::all().has_late(object);
}

bool returns_in_time(const void* object, std::function<void()> call) {
  if (is_late(object)) return false;
  const auto kept = std::make_shared<Calls::Call>(Calls::Call{object});
  const bool runs = Threads::all().run([kept, call] {
    call();
    Calls::all().end(*kept);
  });
  if (runs) return Calls::all().await(*kept);
  call();
  return true;
}

}  // namespace mkmd::vendor
