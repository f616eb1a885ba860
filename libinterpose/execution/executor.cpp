// SPDX-License-Identifier: Apache-2.0
// The Executor's threads, and how they and waiting threads learn that actions have ended.
#include "libinterpose/execution/executor.hpp"

#include "common/host_clock.hpp"
#include "common/log.hpp"
#include "common/process_exiting.hpp"
#include "common/signals_blocked.hpp"
#include "libinterpose/execution/transfer_order.hpp"
#include "libinterpose/objects/objects.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>

namespace mkmd {

namespace {

// After so long without an ended action, devices are asked for statuses: callbacks may never come.
constexpr std::chrono::seconds kSecondLook{1};
// The same time where a device may be lost. All work stops until a loss is known.
constexpr std::chrono::milliseconds kLossLook{200};

std::chrono::nanoseconds patience(const ExecutionConfiguration& configuration) {
  return configuration.makes_losses_good ? std::chrono::nanoseconds(kLossLook) : kSecondLook;
}

}  // namespace

void Executor::pump() {
  feeder_.mutex().is_held();
  feeder_.pump();
}

int Executor::busy_lanes(int domain, const Lane* besides) const {
  const std::vector<Lane*>& lanes = lanes_.compute();
  return static_cast<int>(std::count_if(lanes.begin(), lanes.end(), [&](const Lane* lane) {
    return lane->domain == domain && (lane == besides || !lane->under_way.empty());
  }));
}

bool Executor::take_posts() {
  std::vector<Posts::Post> posts = posts_.take();
  if (posts.empty()) return false;
  for (auto& [action, status, at] : posts) {
    status = devices().end(*action, status, at);
    tell_owner(*action);
  }
  Graveyard::Dead dead;
  {
    const Lock lock(mutex());
    for (auto& [action, status, at] : posts)
      progress_.mark_over(*action, status < 0 ? status : CL_SUCCESS);
    pump();
    dead = graveyard().take();
  }
  Graveyard::bury(std::move(dead));
  return true;
}

// Some drivers do not end a command that waits for a failed one, as OpenCL 3.0 (5.11) demands. Such a command
// has not started a while after the failure, and nothing else keeps it from starting.
std::set<const Action*> Executor::stuck_actions() const {
  const cl_ulong now = devices().now();
  const auto a_while = static_cast<cl_ulong>(std::chrono::nanoseconds(kSecondLook).count());
  std::set<const Action*> stuck;
  const auto is_stuck = [&](const Ref<Action>& action) { return stuck.count(action.get()) > 0; };
  const auto has_failed = [&](const Ref<Action>& before) {
    return before->driver.over && before->status < 0 && before->times.ended + a_while < now;
  };
  for (size_t known = 1; known != stuck.size();) {
    known = stuck.size();
    for (const Lane* lane : lanes_.fed()) {
      const auto& actions = lane->under_way;  // in the order of its queue
      const auto first = std::find_if_not(actions.begin(), actions.end(), is_stuck);
      if (first == actions.end() || (*first)->state != Action::State::submitted) continue;
      const auto& chained = (*first)->edges.chained;
      const bool may_wait = std::any_of(chained.begin(), chained.end(), [&](const Ref<Action>& before) {
        return !before->driver.over && !before->complete() && !is_stuck(before);
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
    const Lock lock(mutex());
    stuck = stuck_actions();
    for (const Lane* lane : lanes_.fed()) {
      for (const Ref<Action>& action : lane->under_way) {
        if (action->state != Action::State::submitted || action->driver.heard.load()) continue;
        ++action->driver.calls;
        asked.push_back(action);
      }
    }
  }
  for (const Ref<Action>& action : asked) {
    auto status = devices().status(*action);
    if (status && *status > CL_RUNNING && stuck.count(action.get()) > 0)
      status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    if (status && *status <= CL_COMPLETE && !action->driver.heard.exchange(true))
      posts_.ended(*action, *status);
  }
  {
    const Lock lock(mutex());
    for (const Ref<Action>& action : asked)
      progress_.end_call(*action);
  }
  if (configuration_.makes_losses_good) look_after_lanes();
}

void Executor::look_after_lanes() {
  std::vector<const Lane*> busy;
  {
    const Lock lock(mutex());
    for (const auto& lane : lanes_.all()) {
      if (!lane->under_way.empty()) busy.push_back(lane.get());
    }
  }
  for (const Lane* lane : busy)
    devices().look_after(*lane);
  Graveyard::Dead dead;
  {
    const Lock lock(mutex());
    progress_.abandon_lost();
    pump();
    dead = graveyard().take();
  }
  Graveyard::bury(std::move(dead));
}

bool Executor::wait_until(const std::function<bool()>& done, std::optional<cl_ulong> latest) {
  bool over = false;
  for (;;) {
    const uint64_t seen = posts_.news();
    take_posts();
    Graveyard::Dead dead;
    {
      const Lock lock(mutex());
      feeder_.mutex().is_held();
      if (feeder_.lacks_threads()) feeder_.run_threaded();
      dead = graveyard().take();
      over = done();
    }
    Graveyard::bury(std::move(dead));
    if (over) break;
    const cl_ulong now = latest ? host_nanoseconds() : 0;
    if (latest && now >= *latest) break;
    std::chrono::nanoseconds longest = patience(configuration_);
    if (latest) longest = std::min(longest, std::chrono::nanoseconds(*latest - now));
    if (!posts_.wait(seen, longest) && longest == patience(configuration_)) ask_devices();
  }
  posts_.hand_over();
  return over;
}

// While it lives, its thread calls drivers. A fork keeps threads out, and waits for those that are in.
class Executor::InDrivers {
public:
  explicit InDrivers(Executor& executor) : executor_(executor) {
    Lock lock(executor_.mutex());
    executor_.gate().enter_when_open(lock);
  }
  ~InDrivers() {
    const Lock lock(executor_.mutex());
    executor_.gate().leave();
  }
  InDrivers(const InDrivers&) = delete;
  InDrivers& operator=(const InDrivers&) = delete;

private:
  Executor& executor_;
};

void Executor::lane_thread(Lane& lane) {
  Lock lock(mutex());
  const bool helps = lane.kind == Lane::Kind::helped;
  const std::function<bool()> may_go_on = [&]() REQUIRES(mutex()) {
    const bool is_due = helps ? lane.due == Lane::Due::help : may_start(lane, lanes_, gate().until());
    return is_due && !process_exiting.load();
  };
  while (gate().wait(lock, may_go_on)) {
    feeder_.mutex().is_held();
    helps ? feeder_.help(lane) : feeder_.run_threaded(lane);
    Graveyard::Dead dead = graveyard().take();
    gate().enter();
    lock.unlock();
    Graveyard::bury(std::move(dead));
    lock.lock();
    gate().leave();
  }
}

void Executor::conductor_thread() {
  for (;;) {
    const Posts::Due due =
        posts_.wait_to_conduct([&] { return observer_.is_busy(); }, patience(configuration_));
    if (due == Posts::Due::end) return;
    {
      const InDrivers calls(*this);
      if (due != Posts::Due::nothing) {
        take_posts();
      } else if (!process_exiting.load()) {
        ask_devices();
      }
    }
    if (due == Posts::Due::conduct) observer_.conduct();
  }
}

void Executor::stop() {
  {
    const Lock lock(mutex());
    gate().stop();
  }
  posts_.stop();
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
    for (const auto& lane : lanes_.all()) {
      if (lane->kind != Lane::Kind::asynchronous)
        threads_.emplace_back([this, l = lane.get()] { lane_thread(*l); });
    }
    threads_started_ = true;
  } catch (const std::system_error& error) {
    threads_refused_ = true;  // the threads that were created stay idle
    log(LogLevel::warning, std::string("no more threads can be created (") + error.what() +
                               "): kernels run whole on the home device");
  }
  return threads_started_;
}

}  // namespace mkmd
