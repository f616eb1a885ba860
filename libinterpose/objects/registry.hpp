// SPDX-License-Identifier: Apache-2.0
// Which of our handles are alive. Needed where a value may or may not be a handle. An 8-byte kernel
// argument is unwrapped only if it is one (Rule 12 of docs/architecture.md). Also knows every kernel:
// arguments of kernels must not keep a memory object alive that the program has released.
#pragma once

#include "libinterpose/objects/objects.hpp"

namespace mkmd {

void remember_handle(const ObjectHeader* object);
void forget_handle(const ObjectHeader* object);
bool is_live_handle(const void* candidate, ObjectType type);

std::vector<Ref<Memory>> live_memories();

void remember_kernel(Kernel* kernel);
void forget_kernel(Kernel* kernel);
// Called when the program's last reference to `memory` is gone, but not yet the object: kernels let go of it.
void drop_from_kernel_arguments(Memory& memory);

}  // namespace mkmd
