// SPDX-License-Identifier: Apache-2.0
// The Executor's threads, and how they and those that wait hear of the ends of actions.
#include "libinterpose/execution/executor.hpp"

#include "common/host_clock.hpp"
#include "common/log.hpp"
#include "common/process_exiting.hpp"
#include "common/signals_blocked.hpp"
#include "libinterpose/objects/objects.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <system_error>

namespace mkmd {

namespace {

// So long without news, devices are asked what became of their commands: callbacks may never come.
constexpr std::chrono::seconds kSecondLook{1};

}  // namespace

// Waking a thread takes a core from the devices, so a completion that sets nothing off stays in the list
// until one comes that does. The last of a lane and the last of a queue always do.
bool Executor::can_wait(const Action& action, cl_int status) {
  const bool last_of_lane = action.lane->unposted.fetch_sub(1) == 1;
  const bool last_of_queue = action.of_queue == nullptr || action.of_queue->fetch_sub(1) == 1;
  return status >= 0 && !last_of_lane && !last_of_queue && !action.is_part() && !action.awaited.load() &&
         eager_.load() == 0;
}

void Executor::under_way(Action& action) {
  action.lane->unposted.fetch_add(1);
  if (action.of_queue != nullptr) action.of_queue->fetch_add(1);
}

void Executor::ended(Action& action, cl_int status) {
  constexpr size_t kMany = 64;
  const Lock lock(posts_.mutex);
  posts_.list.push_back({Ref<Action>(&action), status, host_nanoseconds()});
  if (can_wait(action, status) && posts_.list.size() < kMany) return;
  if (posts_.waiting > 0) {
    posts_.waiters.notify_one();
  } else {
    posts_.conductor.notify_one();
  }
}

void Executor::call_conductor() {
  const Lock lock(posts_.mutex);
  posts_.wake_conductor = true;
  posts_.conductor.notify_one();
}

void Executor::wake_waiters() {
  const Lock posts(posts_.mutex);
  ++posts_.generation;
  if (posts_.waiting > 0) posts_.waiters.notify_all();
}

bool Executor::take_posts() {
  std::vector<Posts::Post> list;
  {
    const Lock lock(posts_.mutex);
    list.swap(posts_.list);
  }
  if (list.empty()) return false;
  for (auto& [action, status, at] : list) {
    status = devices_->end(*action, status, at);
    tell_owner(*action);
  }
  Dead dead;
  {
    Lock lock(mutex_);
    for (auto& [action, status, at] : list) {
      mark_over(*action, status < 0 ? status : CL_SUCCESS);
    }
    pump();
    dead = std::exchange(graveyard_, {});
  }
  bury(std::move(dead));
  return true;
}

// Some drivers do not end a command that waits for a failed one, as they should (OpenCL 3.0, 5.11). It has
// not started a while after that failure, nothing else keeps it from starting, and so it never will.
std::set<const Action*> Executor::stuck_actions() const {
  const cl_ulong now = devices_->now();
  const auto a_while = static_cast<cl_ulong>(std::chrono::nanoseconds(kSecondLook).count());
  std::set<const Action*> stuck;
  const auto is_stuck = [&](const Ref<Action>& action) { return stuck.count(action.get()) > 0; };
  const auto has_failed = [&](const Ref<Action>& before) {
    return before->over && before->status < 0 && before->ended + a_while < now;
  };
  for (size_t known = 1; known != stuck.size();) {
    known = stuck.size();
    for (const Lane* lane : fed_) {
      const auto& actions = lane->under_way;  // in the order of its queue
      const auto first = std::find_if_not(actions.begin(), actions.end(), is_stuck);
      if (first == actions.end() || (*first)->state != Action::State::submitted) continue;
      const auto& chained = (*first)->chained;
      const bool may_wait = std::any_of(chained.begin(), chained.end(), [&](const Ref<Action>& before) {
        return !before->over && !before->complete() && !is_stuck(before);
      });
      const bool is_behind = std::any_of(chained.begin(), chained.end(), [&](const Ref<Action>& before) {
        return has_failed(before) || is_stuck(before);
      });
      if (!may_wait && is_behind) stuck.insert(first->get());
    }
  }
  return stuck;
}

// Drivers call back when a command is complete; not all of them do when it has failed.
void Executor::ask_devices() {
  std::vector<Ref<Action>> asked;
  std::set<const Action*> stuck;
  {
    const Lock lock(mutex_);
    stuck = stuck_actions();
    for (const Lane* lane : fed_) {
      for (const Ref<Action>& action : lane->under_way) {
        if (action->state != Action::State::submitted || action->heard.load()) continue;
        ++action->calls;
        asked.push_back(action);
      }
    }
  }
  for (const Ref<Action>& action : asked) {
    auto status = devices_->status(*action);
    if (status && *status > CL_RUNNING && stuck.count(action.get()) > 0)
      status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    if (status && *status <= CL_COMPLETE && !action->heard.exchange(true)) ended(*action, *status);
  }
  const Lock lock(mutex_);
  for (const Ref<Action>& action : asked)
    end_call(*action);
}

bool Executor::wait_until(const std::function<bool()>& done, std::optional<cl_ulong> latest) {
  bool over = false;
  for (;;) {
    uint64_t seen;
    {
      const Lock lock(posts_.mutex);
      seen = posts_.generation;
    }
    take_posts();
    Dead dead;
    {
      Lock lock(mutex_);
      if (lacks_threads()) run_threaded();
      dead = std::exchange(graveyard_, {});
      over = done();
    }
    bury(std::move(dead));
    if (over) break;
    const cl_ulong now = latest ? host_nanoseconds() : 0;
    if (latest && now >= *latest) break;
    std::chrono::nanoseconds longest = kSecondLook;
    if (latest) longest = std::min(longest, std::chrono::nanoseconds(*latest - now));
    Lock lock(posts_.mutex);
    ++posts_.waiting;
    const bool news = posts_.waiters.wait_for(lock.to_wait(), longest, [&]() REQUIRES(posts_.mutex) {
      return !posts_.list.empty() || posts_.generation != seen;
    });
    --posts_.waiting;
    lock.unlock();
    if (!news && longest == kSecondLook) ask_devices();
  }
  const Lock lock(posts_.mutex);
  if (posts_.waiting == 0 && !posts_.list.empty()) posts_.conductor.notify_one();
  return over;
}

void Executor::run_threaded(Lane& lane) {
  while (!halted_ && may_start(lane, lanes_, emitted_)) {
    const Ref<Action> action = take_next(lane, lanes_, emitted_);
    lane.under_way.push_back(action);
    if (action->demand && lane.transfers()) lane.sending = action;
    ++running_;
    action->state = Action::State::submitting;
    const cl_int refused = refusal(*action);
    cl_int status = CL_SUCCESS;
    {
      const Unlocked unlocked(mutex_);
      status = devices_->run(*action, refused);
      tell_owner(*action);
    }
    std::erase(lane.under_way, action);
    --running_;
    if (std::exchange(lane.sending, {})) lanes_cv_.notify_all();  // who waits for its ports may go on
    if (configuration_.makes_losses_good && action->device_lost) {
      action->work = nullptr;
      halted_ = true;
      observer_.lost(*action);
    } else {
      mark_over(*action, status);
    }
    if (halted_ && running_ == 0) observer_.halted();
    pump();
  }
}

bool Executor::lacks_threads() const {
  return process_exiting.load() || !configuration_.has_threads;
}

void Executor::run_threaded() {
  for (const auto& lane : lanes_) {
    if (lane->kind == Lane::Kind::threaded) run_threaded(*lane);
  }
  pump();
}

void Executor::lane_thread(Lane& lane) {
  Lock lock(mutex_);
  for (;;) {
    lanes_cv_.wait(lock.to_wait(), [&]() REQUIRES(mutex_) {
      return stop_ || (!halted_ && may_start(lane, lanes_, emitted_) && !process_exiting.load());
    });
    if (stop_) return;
    run_threaded(lane);
    Dead dead = take_dead();
    lock.unlock();
    bury(std::move(dead));
    lock.lock();
  }
}

void Executor::conductor_thread() {
  Lock lock(posts_.mutex);
  for (;;) {
    const auto due = [&]() REQUIRES(posts_.mutex) {
      return posts_.stop || ((posts_.wake_conductor || !posts_.list.empty()) && !process_exiting.load());
    };
    if (!observer_.is_busy()) {
      posts_.conductor.wait(lock.to_wait(), due);  // call_conductor() wakes it
    } else if (!posts_.conductor.wait_for(lock.to_wait(), kSecondLook, due)) {
      if (process_exiting.load()) continue;
      lock.unlock();
      ask_devices();
      lock.lock();
      continue;
    }
    if (posts_.stop) return;
    const bool called = std::exchange(posts_.wake_conductor, false);
    lock.unlock();
    take_posts();
    if (called) observer_.conduct();
    lock.lock();
  }
}

void Executor::stop() {
  {
    const Lock lock(mutex_);
    stop_ = true;
    lanes_cv_.notify_all();
  }
  {
    const Lock lock(posts_.mutex);
    posts_.stop = true;
    posts_.conductor.notify_all();
  }
  for (std::thread& thread : threads_)
    thread.join();
  threads_.clear();
}

bool Executor::start_threads() {
  if (threads_started_ || !configuration_.has_threads) return true;
  if (threads_refused_) return false;
  const SignalsBlocked blocked;
  try {
    threads_.emplace_back([this] { conductor_thread(); });
    for (const auto& lane : lanes_) {
      if (lane->kind == Lane::Kind::threaded)
        threads_.emplace_back([this, l = lane.get()] { lane_thread(*l); });
    }
    threads_started_ = true;
  } catch (const std::system_error& error) {
    threads_refused_ = true;  // those that there are wait for nothing
    log(LogLevel::warning, std::string("no more threads can be had (") + error.what() +
                               "): kernels run whole on the home device");
  }
  return threads_started_;
}

}  // namespace mkmd
