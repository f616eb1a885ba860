// SPDX-License-Identifier: Apache-2.0
// Whether a process still runs, and since when: what is written for others to take carries its writer's
// number. And whether this process may listen to whoever started it.
#pragma once

#include <cstdint>
#include <sys/types.h>

namespace mkmd {

// Both take a process that has ended and that nobody has waited for yet for what it is: it does nothing more.

// When it began, in the kernel's ticks: with it, a process id is never another's. 0: it has ended, or the
// kernel does not say.
uint64_t process_began(pid_t pid);

// Only if that is certain: of a process about which the kernel says nothing, it is not.
bool process_ended(pid_t pid);

// Whether this process has rights that whoever started it may lack: a set-user-ID program, or one with file
// capabilities. Then no variable and no file of theirs may steer it.
bool secure_execution();

}  // namespace mkmd
