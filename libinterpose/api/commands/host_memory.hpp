// SPDX-License-Identifier: Apache-2.0
// Host memory that a driver works in, and that the program has: a buffer was made over it, or it is mapped.
#pragma once

#include "libinterpose/objects/objects.hpp"

namespace mkmd::api {

// The program has host memory of some object. `flags`: those that an object was made with.
void note_host_memory();
inline void note_host_memory(cl_mem_flags flags) {
  if ((flags & CL_MEM_USE_HOST_PTR) != 0) note_host_memory();
}

// The program has waited for commands. Where home works in the host's memory, programs then read and write
// this memory without a mapping. So home alone gets the bytes of such objects.
void give_host_memory(Context& context);

}  // namespace mkmd::api
