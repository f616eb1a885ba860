// SPDX-License-Identifier: Apache-2.0
// Every object is released as soon as the last call that names it has returned, with the work still queued.
#include "program.h"

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 100000);
  const Cl cl = open_cl();
  std::vector<cl_int> result(count);
  for (int round = 0; round < 3; ++round) {
    const cl_program program = build(cl, R"(
      __kernel void stir(__global const int* in, __global int* out, __local int* tile) {
        int i = get_global_id(0), x = in[i];
        tile[get_local_id(0)] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        x = tile[get_local_size(0) - 1 - get_local_id(0)];
        for (int k = 0; k < 300; ++k) x = x * 31 + k;
        out[i] = x;
      })");
    const cl_kernel kernel = kernel_of(program, "stir");
    CL_CHECK(clReleaseProgram(program));
    cl_mem in = buffer_of(cl, noise<cl_int>(count, uint64_t(round)));
    for (int step = 0; step < 4; ++step) {
      const cl_mem out = new_buffer(cl, count * 4);
      set_args(kernel, in, out, Local{50 * sizeof(cl_int)});
      launch(cl, kernel, {count}, {50});
      CL_CHECK(clReleaseMemObject(in));
      in = out;
    }
    CL_CHECK(clReleaseKernel(kernel));
    cl_event done = nullptr;
    CL_CHECK(clEnqueueReadBuffer(cl.queue, in, CL_FALSE, 0, count * 4, result.data(), 0, nullptr, &done));
    CL_CHECK(clReleaseMemObject(in));
    CL_CHECK(clWaitForEvents(1, &done));
    CL_CHECK(clReleaseEvent(done));
    report("round", result);
  }
  // The queue and the context too: an event keeps them.
  const cl_mem last = new_buffer(cl, count * 4);
  const cl_int value = 77;
  cl_event done = nullptr;
  CL_CHECK(clEnqueueFillBuffer(cl.queue, last, &value, 4, 0, count * 4, 0, nullptr, nullptr));
  CL_CHECK(clEnqueueReadBuffer(cl.queue, last, CL_FALSE, 0, count * 4, result.data(), 0, nullptr, &done));
  CL_CHECK(clReleaseMemObject(last));
  CL_CHECK(clReleaseCommandQueue(cl.queue));
  CL_CHECK(clReleaseContext(cl.context));
  CL_CHECK(clWaitForEvents(1, &done));
  CL_CHECK(clReleaseEvent(done));
  report("after all", result);
}
