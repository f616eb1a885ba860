// SPDX-License-Identifier: Apache-2.0
// Order that runs through the program's own memory. Data is read into an array and written from it again,
// non-blocking, in one in-order queue. Pieces of the array overlap in every way.
#include "program.h"

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 200000);
  const size_t bytes = count * sizeof(cl_int);
  const Cl cl = open_cl();
  const cl_kernel kernel = kernel_of(build(cl, R"(
    __kernel void stir(__global int* data, int m) {
      int i = get_global_id(0), x = data[i];
      for (int k = 0; k < 200; ++k) x = x * m + k;
      data[i] = x;
    })"),
                                     "stir");
  const cl_mem a = buffer_of(cl, noise<cl_int>(count, 1));
  const cl_mem b = buffer_of(cl, noise<cl_int>(count, 2));
  std::vector<cl_int> host(2 * count, 0);
  for (int i = 0; i < 5; ++i) {
    set_args(kernel, a, cl_int(2 * i + 3));
    launch(cl, kernel, {count}, {50});
    CL_CHECK(clEnqueueReadBuffer(cl.queue, a, CL_FALSE, 0, bytes, host.data(), 0, nullptr, nullptr));
    // From the middle of what was just read, reaching into older data.
    CL_CHECK(
        clEnqueueWriteBuffer(cl.queue, b, CL_FALSE, 0, bytes, host.data() + count / 2, 0, nullptr, nullptr));
    set_args(kernel, b, cl_int(2 * i + 5));
    launch(cl, kernel, {count}, {50});
    CL_CHECK(
        clEnqueueReadBuffer(cl.queue, b, CL_FALSE, 0, bytes, host.data() + count / 3, 0, nullptr, nullptr));
    CL_CHECK(clEnqueueWriteBuffer(cl.queue, a, CL_FALSE, 0, bytes / 2, host.data() + count / 4, 0, nullptr,
                                  nullptr));
  }
  CL_CHECK(clFinish(cl.queue));
  report("host", host);
  report<cl_int>(cl, "a", a, count);
  report<cl_int>(cl, "b", b, count);
  // The array is reused for the next write as soon as the event of the one before says so.
  std::vector<cl_int> staging(count);
  for (int i = 0; i < 4; ++i) {
    staging = noise<cl_int>(count, uint64_t(10 + i));
    cl_event written = nullptr;
    CL_CHECK(clEnqueueWriteBuffer(cl.queue, i % 2 ? a : b, CL_FALSE, 0, bytes, staging.data(), 0, nullptr,
                                  &written));
    set_args(kernel, i % 2 ? a : b, cl_int(9));
    launch(cl, kernel, {count}, {50});
    CL_CHECK(clWaitForEvents(1, &written));
    CL_CHECK(clReleaseEvent(written));
    std::fill(staging.begin(), staging.end(), -1);
  }
  report<cl_int>(cl, "a staged", a, count);
  report<cl_int>(cl, "b staged", b, count);
}
