// SPDX-License-Identifier: Apache-2.0
// The thread on which the program's own callbacks run. A process has one, as it has one end.
#pragma once

#include <functional>

namespace mkmd {

// Runs `call` soon on a thread of ours, outside every lock: the program's own callbacks. In order. After exit
// has begun it runs at once, on the caller's thread.
void run_callback(std::function<void()> call);

// Called once exit has begun: lets the thread finish, then runs on the caller's thread what is left.
void drain_callbacks();

}  // namespace mkmd
