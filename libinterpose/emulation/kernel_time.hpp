// SPDX-License-Identifier: Apache-2.0
// The rule that gives a kernel launch its time on an emulated device, from what the compiler counted in it;
// the one place where the platform file's rates meet a kernel. A launch takes
//     launch + max(operations / rate of operations, distinct bytes / rate of bytes) · factor^exponent
// where the rate of bytes is bytes_tiles for kernels that have local memory and (next to) no loop, bytes_rows
// for those whose work-items loop, and bytes otherwise. The exponent is 0 to 3: how the number of innermost
// steps (work-items times trips) depends on the side of the problem, which is the nearest power of the side
// it is.
#pragma once

#include "libinterpose/emulation/platform_file.hpp"

#include <string>

namespace mkmd::emulation {

struct KernelCounts {  // of a whole launch, at the size that really runs
  std::string name;
  double items = 1;  // work-items
  double trips = 0;  // innermost loop trips of one
  double operations = 0;
  double bytes = 0;           // distinct bytes it may touch
  bool local_memory = false;  // __local variables or arguments
};

struct KernelCost {    // of the whole launch at full size, on one device
  double seconds = 0;  // without the launch overhead
  double bytes = 0;    // that go to and from memory
};

KernelCost kernel_cost(const PlatformFile&, const platform::Device&, const KernelCounts&);

// How a quantity of so many elements grows with the side of the problem: 0 to 3.
int exponent_of(const SizeScale&, double elements);

// Bytes of a transfer at full size: those of a slice grow as those of the buffer it is of.
double full_bytes(const SizeScale&, double bytes, double buffer_bytes);

}  // namespace mkmd::emulation
