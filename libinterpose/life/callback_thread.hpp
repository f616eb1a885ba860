// SPDX-License-Identifier: Apache-2.0
// The threads of the program's callbacks: one, and more while a callback takes longer than usual.
#pragma once

#include <chrono>
#include <functional>

namespace mkmd {

// Callbacks of one line, such as an in-order queue, follow each other. A callback does not wait for an
// earlier one that was already due when its own command came.
struct CallbackOrder {
  const void* line = nullptr;
  std::chrono::steady_clock::time_point since{};  // when the command came
  const void* queue = nullptr;                    // the command's
};

// Runs a callback of the program soon, on a thread of ours, outside every lock. It begins after the callback
// before it has ended. If that one takes long, it may be waiting for this one, so this one begins meanwhile.
// After exit has begun, the callback runs at once on the caller's thread.
void run_callback(std::function<void()> call, const CallbackOrder& order = {});

// A callback will be due: run_callback() will be called with this order. So await_callbacks() knows of it.
void promise_callback(const CallbackOrder& order);

bool has_callbacks();  // promised, waiting or running

// A callback may wait for what its program does after the call that waits. Some of these programs end with
// the driver alone, where the call returns just before the callback is due.
inline constexpr std::chrono::milliseconds kLongestForCallbacks{1000};

// Waits for the end of callbacks that became due at `began` or later, or are promised. Those of the line
// count or, without a line, those of the queue, if their commands came no later than `until`. Waits no
// longer than `longest`. Returns at once on a thread that runs a callback, and once exit has begun.
void await_callbacks(const CallbackOrder& until, std::chrono::steady_clock::time_point began,
                     std::chrono::milliseconds longest = kLongestForCallbacks);

// Called once exit has begun. Lets the threads finish, then runs the remaining callbacks on the caller's
// thread.
void drain_callbacks();

}  // namespace mkmd
