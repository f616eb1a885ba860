// SPDX-License-Identifier: Apache-2.0
// A command behind an event that has failed already may never end: PoCL 3.1's markers do not. The program
// leaves it alone and works with another queue.
#include "program.h"

#include <unistd.h>

namespace {

constexpr size_t kItems = 1 << 16;

void work(const Cl& cl, cl_command_queue queue, cl_kernel kernel, cl_mem buffer) {
  const size_t global = kItems;
  for (int i = 0; i < 3; ++i) {
    set_args(kernel, buffer, cl_int(i));
    CL_CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, nullptr, 0, nullptr, nullptr));
    CL_CHECK(clFinish(queue));
  }
  report<cl_int>(cl, "another queue", buffer, kItems);
}

}  // namespace

int main() {
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    __kernel void add(__global int* a, int x) {
      int sum = a[get_global_id(0)];
      for (int k = 0; k < 100; ++k) sum = sum * 31 + x;
      a[get_global_id(0)] = sum;
    })");
  const cl_kernel add = kernel_of(program, "add");
  const cl_mem buffer = buffer_of(cl, noise<cl_int>(kItems, 1));
  work(cl, cl.queue, add, buffer);
  cl_int error = CL_SUCCESS;
  const cl_event failed = clCreateUserEvent(cl.context, &error);
  CL_CHECK(error);
  CL_CHECK(clSetUserEventStatus(failed, -7));
  const cl_command_queue left = clCreateCommandQueue(cl.context, cl.device, 0, &error);
  CL_CHECK(error);
  std::printf("behind it: %d\n", clEnqueueMarkerWithWaitList(left, 1, &failed, nullptr));
  work(cl, cl.queue, add, buffer);
  std::fflush(stdout);
  _exit(0);  // no driver waits for the marker
}
