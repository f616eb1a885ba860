// SPDX-License-Identifier: Apache-2.0
// Exit handlers registered before and after the first OpenCL call.
#include <CL/cl.h>
#include <cstdio>
#include <cstdlib>

int main() {
  std::atexit([] { std::puts("handler 1"); });
  cl_uint count = 0;
  clGetPlatformIDs(0, nullptr, &count);
  std::atexit([] { std::puts("handler 2"); });
}
