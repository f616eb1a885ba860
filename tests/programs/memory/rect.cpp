// SPDX-License-Identifier: Apache-2.0
// Rectangles: write, copy and read of 2-D and 3-D regions with pitches, around kernels that process the data.
#include "program.h"

int main(int argc, char** argv) {
  const size_t side = size_argument(argc, argv, 300);
  const size_t row = side * sizeof(cl_int);
  const size_t bytes = row * side;
  const Cl cl = open_cl();
  const cl_kernel kernel = kernel_of(build(cl, R"(
    __kernel void stir(__global int* data, int n) {
      int x = get_global_id(0), y = get_global_id(1);
      int v = data[y * n + x];
      for (int k = 0; k < 100; ++k) v = v * 31 + x - y;
      data[y * n + x] = v;
    })"),
                                     "stir");
  const std::vector<cl_int> start = noise<cl_int>(side * side, 1);
  const cl_mem a = buffer_of(cl, start);
  const cl_mem b = buffer_of(cl, start);
  const size_t half = side / 2;
  const size_t width = half * sizeof(cl_int);
  std::vector<cl_int> host(side * side, 0);
  for (int round = 0; round < 3; ++round) {
    set_args(kernel, a, cl_int(side));
    launch(cl, kernel, {side, side});
    const size_t from[3] = {4 * sizeof(cl_int), 3, 0};
    const size_t to[3] = {(side - half) * sizeof(cl_int), side - half, 0};
    const size_t region[3] = {width, half, 1};
    CL_CHECK(clEnqueueCopyBufferRect(cl.queue, a, b, from, to, region, row, 0, row, 0, 0, nullptr, nullptr));
    set_args(kernel, b, cl_int(side));
    launch(cl, kernel, {side, side});
    const size_t zero[3] = {0, 0, 0};
    CL_CHECK(clEnqueueReadBufferRect(cl.queue, b, CL_FALSE, to, zero, region, row, 0, width, 0, host.data(),
                                     0, nullptr, nullptr));
    CL_CHECK(clEnqueueWriteBufferRect(cl.queue, a, CL_FALSE, from, zero, region, row, 0, width, 0,
                                      host.data(), 0, nullptr, nullptr));
  }
  report<cl_int>(cl, "a", a, side * side);
  report<cl_int>(cl, "b", b, side * side);
  report("host", host);
  // Three dimensions: slices of a cube of 10 x 10 x (side*side/100).
  const size_t depth = side * side / 100;
  const size_t origin[3] = {4, 2, 1};
  const size_t place[3] = {8, 1, 0};
  const size_t box[3] = {20, 7, depth - 1};
  CL_CHECK(
      clEnqueueCopyBufferRect(cl.queue, a, b, origin, place, box, 40, 400, 40, 400, 0, nullptr, nullptr));
  CL_CHECK(clEnqueueReadBufferRect(cl.queue, b, CL_TRUE, place, origin, box, 40, 400, 40, 400, host.data(), 0,
                                   nullptr, nullptr));
  report("cube", host);
  report<cl_int>(cl, "b", b, bytes / sizeof(cl_int));
}
