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
  const void* queue = nullptr;                    // the command's
};

// Runs `call` soon on a thread of ours, outside every lock: the program's own callbacks. One begins after the
// one before it has ended, or soon after that has begun: it may be what that waits for. After exit has begun
// it runs at once, on the caller's thread.
void run_callback(std::function<void()> call, const CallbackOrder& order = {});

// A callback will be due: run_callback() will be called with this order. So await_callbacks() knows of it.
void promise_callback(const CallbackOrder& order);

bool has_callbacks();  // promised, waiting or running

// Waits for the end of callbacks that became due at `began` or later, or are promised. Those of the line
// count or, without a line, those of the queue, if their commands came no later than `until`. Returns at once
// on a thread that runs a callback, and once exit has begun.
void await_callbacks(const CallbackOrder& until, std::chrono::steady_clock::time_point began);

// Called once exit has begun: lets the threads finish, then runs on the caller's thread what is left.
void drain_callbacks();

}  // namespace mkmd
