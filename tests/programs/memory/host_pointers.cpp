// SPDX-License-Identifier: Apache-2.0
// USE_HOST_PTR: two buffers over disjoint halves of one array, and results seen through a map.
// COPY_HOST_PTR: the array changes right after. And an unaligned host pointer.
#include "program.h"

static const char* const source = R"(
  __kernel void stir(__global const int* in, __global int* out, int rounds) {
    int i = get_global_id(0), x = in[i];
    for (int k = 0; k < rounds; ++k) x = x * 31 + k;
    out[i] = x;
  })";

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 150000);
  const size_t bytes = count * sizeof(cl_int);
  const Cl cl = open_cl();
  const cl_kernel kernel = kernel_of(build(cl, source), "stir");
  std::vector<cl_int> array = noise<cl_int>(2 * count + 1, 6);
  const cl_mem lower = new_buffer(cl, bytes, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, array.data());
  const cl_mem upper = new_buffer(cl, bytes, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, array.data() + count);
  for (int i = 0; i < 4; ++i) {
    set_args(kernel, i % 2 ? upper : lower, i % 2 ? lower : upper, cl_int(150));
    launch(cl, kernel, {count}, {50});
  }
  cl_int error = CL_SUCCESS;
  for (const cl_mem memory : {lower, upper}) {
    void* data =
        clEnqueueMapBuffer(cl.queue, memory, CL_TRUE, CL_MAP_READ, 0, bytes, 0, nullptr, nullptr, &error);
    CL_CHECK(error);
    CL_CHECK(clEnqueueUnmapMemObject(cl.queue, memory, data, 0, nullptr, nullptr));
  }
  CL_CHECK(clFinish(cl.queue));
  report("through the host array", array);
  CL_CHECK(clReleaseMemObject(lower));
  CL_CHECK(clReleaseMemObject(upper));

  const cl_mem copied = buffer_of(cl, array);
  std::fill(array.begin(), array.end(), -1);
  const cl_mem out = new_buffer(cl, bytes);
  set_args(kernel, copied, out, cl_int(150));
  launch(cl, kernel, {count}, {50});
  report<cl_int>(cl, "copied at creation", out, count);

  const cl_mem odd = new_buffer(cl, bytes, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, array.data() + 1);
  set_args(kernel, odd, out, cl_int(3));
  launch(cl, kernel, {count}, {50});
  report<cl_int>(cl, "odd pointer", out, count);
}
