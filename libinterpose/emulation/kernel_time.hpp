// SPDX-License-Identifier: Apache-2.0
// The time of a kernel launch on an emulated device, from the compiler's counts and the platform file's
// rates. No other code combines the two. A launch takes
//     launch + max(operations / rate of operations, distinct bytes / rate of bytes) · factor^exponent
// The rate of bytes is bytes_tiles for kernels with local memory and almost no loop. It is bytes_rows for
// kernels whose work-items loop, and bytes for all others. The exponent, 0 to 3, says how the number of
// innermost steps grows with the side of the problem. It is the exponent of the nearest power of the side. A
// launch has as many steps as work-items times trips.
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
