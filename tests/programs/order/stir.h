// SPDX-License-Identifier: Apache-2.0
// A kernel of some hundred instructions per work-item, and launches whose events a program keeps.
#pragma once

#include "program.h"

// Changes each number of a buffer of cl_int.
inline cl_kernel stir_kernel(const Cl& cl) {
  return kernel_of(build(cl, R"(
    __kernel void stir(__global int* data) {
      int i = get_global_id(0), x = data[i];
      for (int k = 0; k < 300; ++k) x = x * 31 + k;
      data[i] = x;
    })"),
                   "stir");
}

// A multiple of 50 work-items, after these events.
inline cl_event launch_after(cl_command_queue queue, cl_kernel kernel, size_t count,
                             const std::vector<cl_event>& after = {}) {
  cl_event event = nullptr;
  const size_t local = 50;
  CL_CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &count, &local, cl_uint(after.size()),
                                  after.empty() ? nullptr : after.data(), &event));
  return event;
}
