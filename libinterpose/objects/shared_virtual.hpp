// SPDX-License-Identifier: Apache-2.0
// Which ranges of shared virtual memory the program has, those of unified shared memory among them. A buffer
// made over one has the same bytes, and pointers lead to them as well. Drivers say so of the beginning of a
// range only.
#pragma once

#include <cstddef>

namespace mkmd {

void remember_shared_virtual(const void* begin, size_t bytes);
void forget_shared_virtual(const void* begin);
bool is_shared_virtual(const void* pointer);

}  // namespace mkmd
