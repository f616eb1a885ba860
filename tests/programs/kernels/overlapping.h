// SPDX-License-Identifier: Apache-2.0
// Two arguments of a kernel that share bytes.
#pragma once

#include "program.h"

#include <utility>

// Gives pairs of buffers of 2048 bytes or more: sub-buffers that overlap, one buffer twice, a sub-buffer and
// its buffer.
template <typename Use>
void with_overlapping(cl_mem whole, const Use& use) {
  const cl_mem first = part(whole, 0, 2048);
  const cl_mem second = part(whole, 128, 2048);
  for (const auto& [a, b] : {std::pair(first, second), std::pair(whole, whole), std::pair(first, whole)})
    use(a, b);
}
