// SPDX-License-Identifier: Apache-2.0
// The window of a context: captured commands that are planned together. It closes at a
// flush, when it is full, and when nothing came for a while. Then a window becomes a plan, and the plan
// actions.
#pragma once

#include "libinterpose/capture/captured_commands.hpp"
#include "libinterpose/capture/window_planning.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace mkmd {

class Windows {
public:
  // `losses`: null where no device can fail.
  Windows(Session& session, const Domains& domains, Estimates& estimates, CodeForPieces& code,
          Executor& executor, Losses* losses, Epoch& epoch, CapturedCommands& commands)
      : session_(session), domains_(domains), estimates_(estimates), code_(code), executor_(executor),
        losses_(losses), epoch_(epoch), commands_(commands) {}

  // Both with the executor's mutex held. How many commands are in the window then.
  size_t take_in(Ref<Command> command);
  bool is_empty() const;

  void flush() EXCLUDES(executor_.mutex());
  // Waits until nothing came for so long that the window closes (Rule 7), and flushes it.
  void flush_when_quiet() EXCLUDES(executor_.mutex());
  void wait_for_exploring_window() EXCLUDES(executor_.mutex());
  // Waits, if the next command would begin a window while an exploring one is under way.
  void let_exploring_window_end() EXCLUDES(executor_.mutex());

  bool has_new_losses() const EXCLUDES(executor_.mutex());  // that recovery has not handled
  // Both with the executor's mutex held, where a device may be lost. Recovers from a loss; nothing runs.
  void recover();
  void halt_after_loss();  // if there was one: nothing new starts; recovery begins once nothing runs

private:
  class PlanningTurn;
  // The caller releases what plan() leaves of the window without the mutex.
  // `needs_room`: becomes true instead where this thread's stack is too small for what is to be done; null:
  // it is not.
  void flush_here(bool* needs_room) EXCLUDES(executor_.mutex());
  // True: there is more to be planned.
  bool close_window(cl_ulong& over, bool* needs_room) EXCLUDES(executor_.mutex());
  // Lets go of the mutex while it looks at the window. True: there is more to be planned. Not `is_first`:
  // after a loss, when times of windows say nothing. `over`: when that is paid for, as Hardware::pay() says.
  bool plan(std::vector<Ref<Command>>& window, bool is_first, cl_ulong& over) REQUIRES(executor_.mutex());
  // False: a device was lost meanwhile, and nothing was made.
  bool make_actions(std::vector<Ref<Command>>& window, bool is_first, cl_ulong& over)
      REQUIRES(executor_.mutex());

  Session& session_;
  const Domains& domains_;
  Estimates& estimates_;
  CodeForPieces& code_;
  Executor& executor_;
  Losses* const losses_ PT_GUARDED_BY(executor_.mutex());
  Epoch& epoch_ GUARDED_BY(executor_.mutex());
  CapturedCommands& commands_;
  std::vector<Ref<Command>> window_ GUARDED_BY(executor_.mutex());
  std::atomic<cl_ulong> last_capture_{0};
  // A thread plans or makes actions, and does not hold the mutex meanwhile.
  bool planning_ GUARDED_BY(executor_.mutex()) = false;
  WindowPlanning::Kept kept_;  // for the thread that plans
};

}  // namespace mkmd
