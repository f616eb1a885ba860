// SPDX-License-Identifier: Apache-2.0
// Three in-order queues in one context, a pipeline whose stages wait for each other across the queues, and
// independent work beside it.
#include "stir.h"

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 60000);
  const Cl cl = open_cl();
  const cl_command_queue queues[3] = {cl.queue, new_queue(cl), new_queue(cl)};
  const cl_kernel kernel = kernel_of(build(cl, R"(
    __kernel void stage(__global const int* in, __global int* out, int m) {
      int i = get_global_id(0), x = in[i];
      for (int k = 0; k < 150; ++k) x = x * m + k;
      out[i] = x;
    })"),
                                     "stage");
  cl_mem ring[3] = {buffer_of(cl, noise<cl_int>(count, 4)), new_buffer(cl, count * 4),
                    new_buffer(cl, count * 4)};
  cl_mem side[3];
  for (cl_mem& memory : side)
    memory = buffer_of(cl, noise<cl_int>(count, 5));
  cl_event previous = nullptr;
  for (int i = 0; i < 15; ++i) {
    const cl_command_queue queue = queues[i % 3];
    set_args(kernel, side[i % 3], side[i % 3], cl_int(i));
    launch(queue, kernel, {count}, {50});
    set_args(kernel, ring[i % 3], ring[(i + 1) % 3], cl_int(i + 2));
    const std::vector<cl_event> after(previous != nullptr ? 1 : 0, previous);
    const cl_event event = launch_after(queue, kernel, count, after);
    CL_CHECK(clFlush(queue));
    if (previous) CL_CHECK(clReleaseEvent(previous));
    previous = event;
  }
  CL_CHECK(clReleaseEvent(previous));
  for (const cl_command_queue queue : queues)
    CL_CHECK(clFinish(queue));
  report<cl_int>(cl, "ring", ring[0], count);
  for (const cl_mem memory : side)
    report<cl_int>(cl, "side", memory, count);
}
