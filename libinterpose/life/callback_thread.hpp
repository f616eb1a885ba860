// SPDX-License-Identifier: Apache-2.0
// The threads on which the program's own callbacks run: one, and more while a callback takes its time.
#pragma once

#include <chrono>
#include <functional>

namespace mkmd {

// Which callbacks wait for each other's end: those of one line, such as an in-order queue. One whose command
// came when an earlier callback was due need not wait for that.
struct CallbackOrder {
  const void* line = nullptr;
  std::chrono::steady_clock::time_point since{};  // when the command came
};

// Runs `call` soon on a thread of ours, outside every lock: the program's own callbacks. One begins after the
// one before it has ended, or soon after that has begun: it may be what that waits for. After exit has begun
// it runs at once, on the caller's thread.
void run_callback(std::function<void()> call, const CallbackOrder& order = {});

// Called once exit has begun: lets the threads finish, then runs on the caller's thread what is left.
void drain_callbacks();

}  // namespace mkmd
