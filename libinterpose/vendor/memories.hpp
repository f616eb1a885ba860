// SPDX-License-Identifier: Apache-2.0
// Which devices work in one memory, so that a buffer of a context with both is the same bytes to both.
#pragma once

#include "libinterpose/vendor/vendor.hpp"

#include <vector>

namespace mkmd::vendor {

// Where a device keeps its buffers.
struct MemoryPlace {
  const void* platform = nullptr;
  const void* device = nullptr;  // the whole of which it may be a part; null: a memory of its own
  bool host = false;             // the host's memory (is_host_cpu)
};

MemoryPlace place_of(const Device& device);

// By device, the number of its memory; the first device's is 0. Parts of one device share its memory. CPUs of
// one platform share the host's. Buffers of two platforms are the same bytes only
// where both are made over memory of ours (host_visible.hpp).
std::vector<int> memory_domains(const std::vector<MemoryPlace>& devices);

}  // namespace mkmd::vendor
