// SPDX-License-Identifier: Apache-2.0
// Runs a kernel that was compiled for the host, work-group by work-group, and records which bytes of its
// buffers each of them touches. The kernel calls the functions of traced.cpp at each access: Clang's address
// sanitizer puts the calls there. A kernel may do anything: what leaves its buffers, overflows or does not
// end is no correct program.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

namespace mkmd::fuzz {

inline constexpr size_t kBytes = 1 << 15;  // of each buffer
inline constexpr size_t kMostArguments = 16;
using Bits = std::bitset<kBytes>;

struct Touched {
  Bits reads, writes;                 // by anything
  Bits plain_reads, plain_writes;     // by anything but atomic functions
  Bits updates;                       // by atomic functions
  std::vector<unsigned char> stored;  // by plain writes, byte by byte; empty: there are none
  Bits stored_varies;                 // where they were different ones
};

struct Shape {
  unsigned dimensions = 1;
  std::array<size_t, 3> local{1, 1, 1}, groups{1, 1, 1}, offset{0, 0, 0};
  size_t group_count() const { return groups[0] * groups[1] * groups[2]; }
  size_t group(size_t x, size_t y, size_t z) const { return x + groups[0] * (y + groups[1] * z); }
};

enum class Outcome { usable, outside, endless, overflow, crash };

unsigned char* buffer(size_t index);  // there are kMostArguments of them, far apart

// Where a kernel finds what it is passed.
struct Passed {
  std::array<uint64_t, kMostArguments> addresses;  // of buffers, or of values
  std::array<std::array<unsigned char, 64>, kMostArguments> values;
};
extern Passed passed;

using Kernel = void (*)(uint64_t* addresses);
// What work-group number G has touched of buffer B: touched[G][B].
Outcome run(Kernel kernel, const Shape& shape, size_t buffers, std::vector<std::vector<Touched>>& touched);

}  // namespace mkmd::fuzz
