// SPDX-License-Identifier: Apache-2.0
// The kernels that are launched: their sources, and what each does to the bytes of its buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fuzz {

// Kernels by number; the sources name those they hold.
enum KernelKind : unsigned { kStir, kBlend, kTurn, kGrid, kCount, kFixed, kPick, kBox, kNothing, kKinds };

struct Source {
  const char* text;
  std::vector<KernelKind> kernels;
};
const std::vector<Source>& sources();
const char* kernel_name(KernelKind kind);

struct Pair {
  uint32_t x, y;
};

// One launch: where its buffers begin, and its values. Words are of 4 bytes.
struct LaunchValues {
  uint32_t in_first = 0, out_first = 0, count = 0, rounds = 0, salt = 0;
  uint32_t width = 1, height = 1, depth = 1, local = 1;
  Pair pair{0, 0};
};

// What the kernel does, on words of the input and the output.
void run_model(KernelKind kind, const LaunchValues& values, const uint32_t* in, uint32_t* out);

}  // namespace fuzz
