// SPDX-License-Identifier: Apache-2.0
// The executor notifies this observer of what it carries out for a context. The notices are progress of
// captured commands, lost devices, and the time when the window closes by itself.
#pragma once

#include "libinterpose/capture/windows.hpp"

namespace mkmd {

class CaptureObserver final : public Executor::Observer {
public:
  // `losses`: null where no device can fail.
  CaptureObserver(Executor& executor, Losses* losses, Outcomes& outcomes, CapturedCommands& commands,
                  Windows& windows)
      : executor_(executor), losses_(losses), outcomes_(outcomes), commands_(commands), windows_(windows) {}

  void completed(Action& action) override {
    executor_.mutex().is_held();
    if (losses_ != nullptr) action.status >= 0 ? losses_->note_done(action) : losses_->note_failed(action);
    outcomes_.action_over(action);
    if (action.origin.owner) commands_.action_over(action);
  }
  void lost(Action& action) override {
    executor_.mutex().is_held();
    losses_->note_lost(action);
  }
  void halted() override { windows_.recover(); }
  void conduct() override { windows_.flush_when_quiet(); }
  bool is_busy() const override { return commands_.any(); }

private:
  Executor& executor_;
  Losses* const losses_ PT_GUARDED_BY(executor_.mutex());
  Outcomes& outcomes_ GUARDED_BY(executor_.mutex());
  CapturedCommands& commands_;
  Windows& windows_;
};

}  // namespace mkmd
