// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CL/cl.h>

#include <ctime>

namespace mkmd {

// The host's clock, monotonic. Event times are given in the home's clock, which may begin elsewhere.
inline cl_ulong host_nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<cl_ulong>(now.tv_sec) * 1'000'000'000u + static_cast<cl_ulong>(now.tv_nsec);
}

inline double host_seconds() {
  return static_cast<double>(host_nanoseconds()) * 1e-9;
}

}  // namespace mkmd
