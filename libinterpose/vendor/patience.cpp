// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/patience.hpp"

#include "common/signals_blocked.hpp"
#include "common/thread_annotations.hpp"

#include <chrono>
#include <condition_variable>
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

}  // namespace

bool is_late(const void* object) {
  return Calls::all().has_late(object);
}

bool returns_in_time(const void* object, std::function<void()> call) {
  if (is_late(object)) return false;
  const auto kept = std::make_shared<Calls::Call>(Calls::Call{object});
  try {
    const SignalsBlocked blocked;
    std::thread([kept, call] {
      call();
      Calls::all().end(*kept);
    }).detach();
  } catch (const std::system_error&) {
    call();  // there are no more threads
    return true;
  }
  return Calls::all().await(*kept);
}

}  // namespace mkmd::vendor
