// SPDX-License-Identifier: Apache-2.0
// The Runtime's two regimes, and how one gives way to the other.
#include "libinterpose/capture/runtime.hpp"
#include "libinterpose/commands/submit.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace mkmd {

namespace {
thread_local bool wants_turn = false;  // a callback may run in a wait, if there is no other thread for it
}

// Announces a thread that waits for its native turn, until it has the turn.
class Runtime::WantsTurn {
public:
  explicit WantsTurn(Runtime& runtime) : runtime_(runtime), before_(std::exchange(wants_turn, true)) {
    ++runtime_.turns_.wanted;
  }
  ~WantsTurn() {
    --runtime_.turns_.wanted;
    ++runtime_.turns_.taken;
    runtime_.turns_.taken.notify_all();
    wants_turn = before_;
  }
  WantsTurn(const WantsTurn&) = delete;
  WantsTurn& operator=(const WantsTurn&) = delete;

private:
  Runtime& runtime_;
  const bool before_;
};

// Threads that go on launching would keep a native turn from ever beginning. Captured work ends without them.
void Runtime::give_way() {
  if (wants_turn) return;
  const uint32_t taken = turns_.taken.load();
  if (turns_.wanted.load() == 0 || !capturing()) return;
  finish_all();
  if (turns_.wanted.load() > 0) turns_.taken.wait(taken);
}

Runtime::NativeTurn::NativeTurn(Runtime& runtime, std::span<const Touched> touched) {
  std::optional<WantsTurn> wants;
  for (;;) {
    const bool noticed = !runtime.losses_ || runtime.notice_losses();
    lock_ = std::shared_lock(runtime.regime_);
    if (runtime.capturing()) {
      lock_.unlock();
      if (!wants) wants.emplace(runtime);
      runtime.finish_all();
      continue;
    }
    runtime.native_work_.begin_turn();
    status_ = std::min(runtime.executor_.failed(), runtime.home_bytes_.make_valid(touched));
    if (status_ >= 0 || !noticed || !runtime.windows_.has_new_losses()) return;
    lock_.unlock();
  }
}

void Runtime::enter_captured_regime() {
  std::vector<NativeEnd> markers = native_work_.take();
  const Lock lock(executor_.mutex());
  if (markers.empty()) return;
  const auto on_program_lane = [&](Action::Work work) REQUIRES(executor_.mutex()) {
    Ref<Action> action(new Action(executor_.lanes().program(), nullptr, std::move(work)));
    action->order = epoch_.take_places(1);
    return action;
  };
  const Ref<Action> entry = on_program_lane([](const auto&) { return Action::Outcome{}; });
  for (NativeEnd& marker : markers) {
    const Ref<Action> end = on_program_lane(end_of_native(std::move(marker)));
    entry->wait_for(*end);
    executor_.push(end);
  }
  epoch_.begin(entry);
  executor_.push(entry);
}

bool Runtime::must_stay_native() {
  const std::unique_lock regime(regime_);
  return !capturing() && native_work_.may_wait(context_);
}

bool Runtime::notice_losses() {
  if (!windows_.has_new_losses()) return true;
  Graveyard::Dead dead;
  {
    std::unique_lock regime(regime_);
    if (!capturing() && native_work_.may_wait(context_)) return false;
    Lock lock(executor_.mutex());
    if (executor_.gate().is_halted() || !losses_->any_new()) return true;
    lock.unlock();
    if (!capturing()) enter_captured_regime();
    lock.lock();
    executor_.start_threads();
    commands_.count_up();  // recovering may, or may not, capture something
    windows_.halt_after_loss();
    commands_.count_down();
    dead = executor_.graveyard().take();
  }
  Graveyard::bury(std::move(dead));
  return true;
}

void Runtime::forget_history() {
  Journal::Deeds dropped;  // after the lock: they may hold the last references to objects
  const Lock lock(executor_.mutex());
  if (losses_) dropped = losses_->trim(0);
}

}  // namespace mkmd
