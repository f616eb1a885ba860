// SPDX-License-Identifier: Apache-2.0
// A Demand is what an action asks of the emulated machine.
#pragma once

#include "libinterpose/emulation/kernel_time.hpp"

#include <cstdint>

namespace mkmd::emulation {

struct Demand {
  enum class Kind { kernel, fill_or_copy, transfer };
  Kind kind = Kind::kernel;
  int device = 0;           // kernel, fill_or_copy
  KernelCounts counts;      // kernel: of the whole launch
  double share = 1;         // kernel: of its work-groups
  uint64_t code = 0;        // kernel: equal for launches that the driver compiles once
  int from = 0, to = 0;     // transfer: memory domains
  double bytes = 0;         // transfer, fill_or_copy: at the size that really runs
  double buffer_bytes = 0;  // of the buffer they are of
};

inline Demand transfer_demand(int from, int to, double bytes, double buffer_bytes) {
  Demand demand;
  demand.kind = Demand::Kind::transfer;
  demand.from = from;
  demand.to = to;
  demand.bytes = bytes;
  demand.buffer_bytes = buffer_bytes;
  return demand;
}

}  // namespace mkmd::emulation
