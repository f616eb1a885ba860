// SPDX-License-Identifier: Apache-2.0
// Stacks with room for work of ours. Planning takes up to 40 KiB, and drivers' compilers take more. A thread
// of the program may have a stack of PTHREAD_STACK_MIN, which suffices for a driver's calls that launch and
// wait.
#pragma once

#include <functional>

namespace mkmd {

// Whether the stack that the caller runs on has 256 KiB left. False on stacks that the system does not know,
// such as those of fibers.
bool has_room_on_stack();

// Calls it: here where there is room, else on a thread made for it, for which it waits. What it throws is
// thrown here. Where the system gives no thread, calls it here.
void call_with_room(const std::function<void()>& call);

}  // namespace mkmd
