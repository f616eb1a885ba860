// SPDX-License-Identifier: Apache-2.0
// What a process did, in numbers: work-groups and busy seconds per device, bytes moved between memories,
// kernels split and whole. Written as JSON at exit if MKMD_SUMMARY names a file.
#pragma once

#include <cstdint>

namespace mkmd {

void add_piece(int device, uint64_t groups, double seconds);
void add_kernel(bool split);
void add_bytes_moved(uint64_t bytes);

// At exit.
void write_summary();

}  // namespace mkmd
