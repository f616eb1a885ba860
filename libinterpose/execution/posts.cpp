// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/execution/posts.hpp"

#include "common/host_clock.hpp"
#include "common/process_exiting.hpp"

#include <utility>

namespace mkmd {

// Waking a thread takes a core from the devices. So a completion that nothing waits for stays in the list
// until another one wakes a thread. The last action of a lane or of a queue always wakes one.
bool Posts::can_wait(const Action& action, cl_int status) {
  const bool last_of_lane = action.lane->unposted.fetch_sub(1) == 1;
  const bool last_of_queue = action.origin.of_queue == nullptr || action.origin.of_queue->fetch_sub(1) == 1;
  const bool is_fed = feeding_ > 0 && waiting_ == 0;
  return status >= 0 && (is_fed || (!last_of_lane && !last_of_queue)) && !action.is_part() &&
         !action.edges.awaited.load() && eager_.load() == 0;
}

Posts::Feeding::Feeding(Posts& posts) : posts_(posts) {
  const Lock lock(posts_.mutex_);
  ++posts_.feeding_;
}

// What ended since it took the list is another thread's.
Posts::Feeding::~Feeding() {
  const Lock lock(posts_.mutex_);
  --posts_.feeding_;
  if (posts_.waiting_ == 0 && !posts_.list_.empty()) posts_.conductor_.notify_one();
}

void Posts::under_way(Action& action) {
  action.lane->unposted.fetch_add(1);
  if (action.origin.of_queue != nullptr) action.origin.of_queue->fetch_add(1);
}

void Posts::ended(Action& action, cl_int status) {
  constexpr size_t kMany = 64;
  const Lock lock(mutex_);
  list_.push_back({Ref<Action>(&action), status, host_nanoseconds()});
  if (can_wait(action, status) && list_.size() < kMany) return;
  if (waiting_ > 0) {
    waiters_.notify_one();
  } else {
    conductor_.notify_one();
  }
}

std::vector<Posts::Post> Posts::take() {
  const Lock lock(mutex_);
  return std::exchange(list_, {});
}

void Posts::wake_waiters() {
  const Lock lock(mutex_);
  ++news_;
  if (waiting_ > 0) waiters_.notify_all();
}

uint64_t Posts::news() const {
  const Lock lock(mutex_);
  return news_;
}

bool Posts::wait(uint64_t seen, std::chrono::nanoseconds longest) {
  Lock lock(mutex_);
  ++waiting_;
  const bool woken = waiters_.wait_for(lock.to_wait(), longest,
                                       [&]() REQUIRES(mutex_) { return !list_.empty() || news_ != seen; });
  --waiting_;
  return woken;
}

void Posts::hand_over() {
  const Lock lock(mutex_);
  if (waiting_ == 0 && !list_.empty()) conductor_.notify_one();
}

void Posts::call_conductor() {
  const Lock lock(mutex_);
  conductor_called_ = true;
  conductor_.notify_one();
}

Posts::Due Posts::wait_to_conduct(const std::function<bool()>& is_busy, std::chrono::nanoseconds longest) {
  const auto due = [&]() REQUIRES(mutex_) {
    return stopped_ || ((conductor_called_ || !list_.empty()) && !process_exiting.load());
  };
  Lock lock(mutex_);
  if (!is_busy()) {
    conductor_.wait(lock.to_wait(), due);  // call_conductor() wakes it
  } else if (!conductor_.wait_for(lock.to_wait(), longest, due)) {
    return Due::nothing;
  }
  if (stopped_) return Due::end;
  return std::exchange(conductor_called_, false) ? Due::conduct : Due::posts;
}

void Posts::stop() {
  const Lock lock(mutex_);
  stopped_ = true;
  conductor_.notify_all();
}

}  // namespace mkmd
