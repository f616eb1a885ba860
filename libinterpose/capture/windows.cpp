// SPDX-License-Identifier: Apache-2.0
// The part of Runtime that closes windows: when that happens, and how a window becomes a plan and a plan
// actions.
#include "libinterpose/capture/runtime.hpp"

#include "common/host_clock.hpp"
#include "common/process_exiting.hpp"
#include "libinterpose/capture/lowering.hpp"
#include "libinterpose/capture/window_planning.hpp"
#include "libinterpose/emulation/machine.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

namespace mkmd {

// Rule 7: a window closes when nothing came for so long, by the clock the program's commands run on.
void Runtime::conduct() {
  constexpr double kIdle = 100'000;  // nanoseconds
  const emulation::Machine* machine = configuration_.machine;
  const auto idle =
      static_cast<cl_ulong>(kIdle * (machine != nullptr ? machine->platform().time_scale : 1.0));
  for (;;) {
    const cl_ulong quiet = host_nanoseconds() - last_capture_.load(std::memory_order_relaxed);
    if (quiet >= idle) break;
    std::this_thread::sleep_for(std::chrono::nanoseconds(idle - quiet));
  }
  if (!process_exiting.load()) flush();
}

void Runtime::wait_for_exploring_window() {
  constexpr auto kLongest = static_cast<cl_ulong>(timing::kLimits.longest_wait * 1e9);
  if (!executor_.wait_until([&] { return !capturing(); }, host_nanoseconds() + kLongest))
    estimates_.profitability()->waited_in_vain();
}

void Runtime::flush() {
  if (!capturing()) return;
  cl_ulong over = 0;  // when the emulated host has made the plan
  while (close_window(over)) {
  }
  if (over > 0 && !process_exiting.load()) configuration_.machine->clock().sleep_until(over);
  executor_.take_posts();  // of actions that nobody had to hear of until this plan made others wait for them
}

bool Runtime::close_window(cl_ulong& over) {
  // Windows are planned in the program's order, one at a time, with the times that are known by then.
  executor_.wait_until([&]() REQUIRES(executor_.mutex()) {
    return !planning_ || (window_.empty() && !process_exiting.load());
  });
  // Before the lock: these may be the last references to objects.
  Journal::Deeds dropped;
  std::vector<Ref<Command>> window;
  bool more = false;
  Lock lock(executor_.mutex());
  if (planning_ && !window_.empty()) return true;
  if (losses_) dropped = losses_->trim();
  if (losses_ && !executor_.is_halted() && losses_->any_new()) {
    executor_.halt();
    if (!executor_.is_running()) recover();  // else who runs last does
  }
  if (!executor_.is_halted() && !window_.empty()) {
    window = std::exchange(window_, {});
    if (configuration_.machine != nullptr) {
      over = plan_emulated(window);
    } else {
      more = plan(window);
    }
  }
  executor_.pump();
  Executor::Dead dead = executor_.take_dead();
  lock.unlock();
  Executor::bury(std::move(dead));
  return more;
}

// Lives while somebody plans or makes actions: one does at a time.
class Runtime::PlanningTurn {
public:
  explicit PlanningTurn(Runtime& runtime) : runtime_(runtime) {
    runtime_.executor_.mutex().is_held();
    runtime_.planning_ = true;
  }
  ~PlanningTurn() {
    runtime_.executor_.mutex().is_held();
    runtime_.planning_ = false;
    runtime_.executor_.wake_waiters();
  }
  PlanningTurn(const PlanningTurn&) = delete;
  PlanningTurn& operator=(const PlanningTurn&) = delete;

  // Lets go of the mutex: the devices are still busy with earlier windows, and have only so much to do before
  // somebody with the mutex gives them more. What was not planned goes back into the window; if planning
  // throws, all of it.
  planning::Plan plan(WindowPlanning& planner, std::vector<Ref<Command>>& commands) {
    struct Rest {
      ~Rest() {
        runtime.executor_.mutex().is_held();
        const auto left = commands.begin() + static_cast<std::ptrdiff_t>(planned);
        runtime.window_.insert(runtime.window_.begin(), left, commands.end());
        commands.erase(left, commands.end());
      }
      Runtime& runtime;
      std::vector<Ref<Command>>& commands;
      size_t planned = 0;
    } rest{runtime_, commands};
    runtime_.executor_.mutex().is_held();
    const Unlocked unlocked(runtime_.executor_.mutex());
    planning::Plan plan = planner.plan(commands);
    rest.planned = plan.tasks.size();
    return plan;
  }

private:
  Runtime& runtime_;
};

bool Runtime::plan(std::vector<Ref<Command>>& commands) {
  std::shared_ptr<WindowUnderWay> window;
  if (estimates_.without_turn().setting().may_leave_alone) {
    window =
        std::make_shared<WindowUnderWay>(WindowUnderWay{.facts = estimates_.profitability()->open_window(),
                                                        .began = host_nanoseconds(),
                                                        .entry = epoch_.entry(),
                                                        .first = commands.front()->number});
    for (const Ref<Command>& command : commands)
      command->window = window;
  }
  WindowPlanning planner(*this, window ? &window->facts : nullptr);
  PlanningTurn turn(*this);
  const size_t count = commands.size();
  planning::Plan plan = turn.plan(planner, commands);
  if (window) window->unfinished = commands.size();
  estimates_.profitability()->close_window(window ? &window->facts : nullptr, host_seconds());
  Lowering(*this, plan, commands).emit([&]() REQUIRES(executor_.mutex()) {
    if (!executor_.holds_back()) return;  // first the commands, for those who wait; then flush() pumps
    executor_.pump();  // lets go of the mutex while drivers are called: woken threads take it then
  });
  const bool more = commands.size() < count;
  for (const Ref<Command>& command : commands)
    commands_.part_over(*command);
  kept_plans_.keep(std::move(plan));
  return more;
}

cl_ulong Runtime::plan_emulated(std::vector<Ref<Command>>& commands) {
  emulation::Machine& machine = *configuration_.machine;
  std::optional<emulation::HostWork> work(machine.clock());
  {
    WindowPlanning planner(*this);
    PlanningTurn turn(*this);
    planning::Plan plan = turn.plan(planner, commands);
    if (!executor_.is_halted()) {
      cl_ulong over = 0;
      Lowering(*this, plan, commands).emit([&]() REQUIRES(executor_.mutex()) {
        over = machine.pay(*work);  // none of these actions starts before it is made
        for (const Ref<Action>& action : std::exchange(emulated_, {}))
          action->ready_at = std::max(action->ready_at, over);
        work.emplace(machine.clock());
      });
      for (const Ref<Command>& command : commands)
        commands_.part_over(*command);
      kept_plans_.keep(std::move(plan));
      return over;
    }
  }
  // A device was lost meanwhile: the plan is void.
  machine.owe(*work);
  window_.insert(window_.begin(), commands.begin(), commands.end());
  if (!executor_.is_running()) recover();  // else who runs last does
  return 0;
}

}  // namespace mkmd
