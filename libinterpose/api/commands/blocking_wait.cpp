// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/api/commands/blocking_wait.hpp"

#include "libinterpose/api/commands/host_memory.hpp"
#include "libinterpose/process.hpp"

namespace mkmd::api {

void BlockingWait::end() const {
  give_host_memory(*context_);
  if (!has_callbacks() || !process().ends_callbacks_before_waits) return;
  for (const CallbackOrder& until : until_)
    await_callbacks(until, began_);
}

}  // namespace mkmd::api
