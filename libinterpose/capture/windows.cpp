// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/windows.hpp"

#include "common/host_clock.hpp"
#include "common/process_exiting.hpp"
#include "libinterpose/capture/lowering.hpp"
#include "libinterpose/capture/recovery.hpp"
#include "libinterpose/life/roomy_stack.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

namespace mkmd {

size_t Windows::take_in(Ref<Command> command) {
  executor_.mutex().is_held();
  window_.push_back(std::move(command));
  last_capture_.store(host_nanoseconds(), std::memory_order_relaxed);
  return window_.size();
}

bool Windows::is_empty() const {
  executor_.mutex().is_held();
  return window_.empty();
}

void Windows::flush_when_quiet() {
  constexpr double kIdle = 100'000;  // nanoseconds, by the clock the program's commands run on
  const auto idle = static_cast<cl_ulong>(kIdle * session_.kind.time_scale());
  for (;;) {
    const cl_ulong quiet = host_nanoseconds() - last_capture_.load(std::memory_order_relaxed);
    if (quiet >= idle) break;
    std::this_thread::sleep_for(std::chrono::nanoseconds(idle - quiet));
  }
  if (!process_exiting.load()) flush();
}

void Windows::wait_for_exploring_window() {
  constexpr auto kLongest = static_cast<cl_ulong>(timing::kLimits.longest_wait * 1e9);
  if (!executor_.wait_until([&] { return !commands_.any(); }, host_nanoseconds() + kLongest))
    estimates_.profitability()->waited_in_vain();
}

void Windows::let_exploring_window_end() {
  if (!commands_.any() || !estimates_.profitability()->explores()) return;
  bool begins = false;
  {
    const Lock lock(executor_.mutex());
    begins = window_.empty();
  }
  if (begins) wait_for_exploring_window();
}

void Windows::flush() {
  if (!commands_.any()) return;
  bool needs_room = false;
  flush_here(has_room_on_stack() ? nullptr : &needs_room);
  if (needs_room) call_with_room([this] { flush_here(nullptr); });
}

void Windows::flush_here(bool* needs_room) {
  cl_ulong over = 0;  // when the plan is made, by the devices' clock; 0: it is
  {
    const Posts::Feeding feeding(executor_.posts());
    while (close_window(over, needs_room)) {
    }
    executor_.take_posts();
  }
  if (over > 0 && !process_exiting.load()) session_.kind.wait_until(over);
  executor_.take_posts();  // of actions that nobody had to hear of until this plan made others wait for them
}

bool Windows::close_window(cl_ulong& over, bool* needs_room) {
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
  if (needs_room != nullptr && (losses_ || !window_.empty())) {
    *needs_room = true;
    return false;
  }
  if (losses_) dropped = losses_->trim();
  if (losses_) halt_after_loss();
  if (!executor_.gate().is_halted() && !window_.empty()) {
    window = std::exchange(window_, {});
    more = plan(window, true, over);
  }
  executor_.pump();
  Graveyard::Dead dead = executor_.graveyard().take();
  lock.unlock();
  Graveyard::bury(std::move(dead));
  return more;
}

// Lives while a thread plans or makes actions: one thread does at a time.
class Windows::PlanningTurn {
public:
  explicit PlanningTurn(Windows& windows) : windows_(windows) {
    windows_.executor_.mutex().is_held();
    windows_.planning_ = true;
  }
  ~PlanningTurn() {
    windows_.executor_.mutex().is_held();
    windows_.planning_ = false;
    windows_.executor_.posts().wake_waiters();
  }
  PlanningTurn(const PlanningTurn&) = delete;
  PlanningTurn& operator=(const PlanningTurn&) = delete;

  // Releases the mutex meanwhile: the devices execute earlier windows, and other threads need the mutex to
  // give them more. Commands that were not planned go back into the window. If planning throws, all of them
  // do.
  planning::Plan plan(WindowPlanning& planner, std::vector<Ref<Command>>& commands) {
    struct Rest {
      ~Rest() {
        windows.executor_.mutex().is_held();
        const auto left = commands.begin() + static_cast<std::ptrdiff_t>(planned);
        windows.window_.insert(windows.window_.begin(), left, commands.end());
        commands.erase(left, commands.end());
      }
      Windows& windows;
      std::vector<Ref<Command>>& commands;
      size_t planned = 0;
    } rest{windows_, commands};
    windows_.executor_.mutex().is_held();
    const Unlocked unlocked(windows_.executor_.mutex());
    planning::Plan plan = planner.plan(commands);
    rest.planned = plan.tasks.size();
    return plan;
  }

private:
  Windows& windows_;
};

bool Windows::has_new_losses() const {
  const Lock lock(executor_.mutex());
  return losses_ != nullptr && losses_->any_new();
}

void Windows::halt_after_loss() {
  executor_.mutex().is_held();
  if (executor_.gate().is_halted() || !losses_->any_new()) return;
  if (executor_.stop_after_loss()) recover();  // else who runs last does
}

bool Windows::plan(std::vector<Ref<Command>>& commands, bool is_first, cl_ulong& over) {
  const size_t count = commands.size();
  const bool is_made = make_actions(commands, is_first, over);
  const bool more = is_made && commands.size() < count;
  // A device was lost meanwhile: the plan is void.
  if (!is_made) window_.insert(window_.begin(), commands.begin(), commands.end());
  if (executor_.gate().is_halted() && executor_.stop_after_loss()) recover();  // else who runs last does
  return more;
}

bool Windows::make_actions(std::vector<Ref<Command>>& commands, bool is_first, cl_ulong& over) {
  Hardware::HostWork work = session_.kind.begin_host_work();
  std::shared_ptr<WindowUnderWay> window;
  if (is_first && estimates_.without_turn().setting().may_leave_alone) {
    window =
        std::make_shared<WindowUnderWay>(WindowUnderWay{.facts = estimates_.profitability()->open_window(),
                                                        .began = host_nanoseconds(),
                                                        .entry = epoch_.entry(),
                                                        .first = commands.front()->number});
  }
  for (const Ref<Command>& command : commands)
    command->window = window;
  WindowPlanning planner(session_, domains_, estimates_, code_, executor_, kept_, losses_ != nullptr,
                         window ? &window->facts : nullptr);
  PlanningTurn turn(*this);
  planning::Plan plan = turn.plan(planner, commands);
  if (window) window->unfinished = commands.size();
  estimates_.profitability()->close_window(window ? &window->facts : nullptr, host_seconds());
  if (executor_.gate().is_halted()) {
    session_.kind.owe(work);
    return false;
  }
  Lowering(session_, domains_, estimates_, executor_, losses_, epoch_, planner.machine(), plan, commands)
      .emit([&](const std::vector<Ref<Action>>& made) REQUIRES(executor_.mutex()) {
        over = session_.kind.pay(work);
        for (const Ref<Action>& action : made)  // none starts before it is made
          action->times.ready = std::max(action->times.ready, over);
        work = session_.kind.begin_host_work();
        if (!executor_.gate().holds_back())
          return;          // first the commands, for those who wait; then flush() pumps
        executor_.pump();  // lets go of the mutex while drivers are called: woken threads take it then
      });
  for (const Ref<Command>& command : commands)
    commands_.part_over(*command);
  kept_.plans.keep(std::move(plan));
  return true;
}

// Whoever plans just now relies on where the bytes are: it comes here when it is done.
void Windows::recover() {
  executor_.mutex().is_held();
  if (planning_) return;
  std::vector<Ref<Command>> commands;
  {
    const PlanningTurn turn(*this);
    commands = Recovery(session_, executor_, *losses_, epoch_, commands_).recover(std::exchange(window_, {}));
  }
  while (!commands.empty() && !executor_.gate().is_halted()) {
    cl_ulong over = 0;  // no thread waits for it
    plan(commands, false, over);
    executor_.graveyard().let_go_later(std::make_shared<std::vector<Ref<Command>>>(std::move(commands)));
    commands = std::exchange(window_, {});
  }
  window_.insert(window_.begin(), commands.begin(), commands.end());
  executor_.graveyard().let_go_later(std::make_shared<std::vector<Ref<Command>>>(std::move(commands)));
  if (executor_.gate().is_halted()) return;  // another device was lost meanwhile
  executor_.gate().resume();
  executor_.pump();
}

}  // namespace mkmd
