// SPDX-License-Identifier: Apache-2.0
// What a call that waits for commands does once they are over.
#pragma once

#include "libinterpose/life/callback_thread.hpp"
#include "libinterpose/objects/objects.hpp"

#include <chrono>
#include <vector>

namespace mkmd::api {

// Made when the call begins to wait. It keeps the context: callbacks may release the program's last handles.
class BlockingWait {
public:
  explicit BlockingWait(Context& context) : context_(&context) {}

  // The call waits for these commands. Where the driver ends callbacks before such calls return, it also
  // waits for callbacks of these commands that become due meanwhile. Programs then release what callbacks
  // use.
  void add(const CallbackOrder& until) { until_.push_back(until); }
  void add(const Queue& queue) { add({.since = began_, .queue = &queue}); }  // its commands so far

  // The commands are over. The program gets its host memory first, because callbacks may read it.
  void end() const;

private:
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  const Ref<Context> context_;
  std::vector<CallbackOrder> until_;
};

}  // namespace mkmd::api
