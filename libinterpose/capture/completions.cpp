// SPDX-License-Identifier: Apache-2.0
// The part of Runtime that hears of complete actions: progress of their commands.
#include "libinterpose/capture/runtime.hpp"

namespace mkmd {

void Runtime::completed(Action& action) {
  executor_.mutex().is_held();
  if (losses_ && action.status >= 0) losses_->note_done(action);
  outcomes_.action_over(action);
  if (action.owner) commands_.action_over(action);
}

void Runtime::lost(Action& action) {
  executor_.mutex().is_held();
  losses_->note_lost(action);
}

void Runtime::halted() {
  executor_.mutex().is_held();
  windows_.recover();
}

void Runtime::conduct() {
  windows_.flush_when_quiet();
}

}  // namespace mkmd
