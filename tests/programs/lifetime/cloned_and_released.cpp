// SPDX-License-Identifier: Apache-2.0
// One thread clones a kernel while another one releases buffers that were arguments of a kernel of its own.
// A layer that looks through all kernels for such a buffer must not wait for the one that is being cloned.
#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 210
#include "program.h"

#include <thread>

namespace {

constexpr int kTimes = 20'000;

const char* const kSource = "__kernel void add(__global int* data, int n) { data[get_global_id(0)] += n; }";

void clone_kernels(const Cl& cl, cl_program program) {
  const cl_kernel kernel = kernel_of(program, "add");
  const cl_mem buffer = new_buffer(cl, 64);
  set_args(kernel, buffer, cl_int(1));
  for (int i = 0; i < kTimes; ++i) {
    cl_int error = CL_SUCCESS;
    const cl_kernel copy = clCloneKernel(kernel, &error);
    CL_CHECK(error);
    CL_CHECK(clReleaseKernel(copy));
  }
  CL_CHECK(clReleaseKernel(kernel));
  CL_CHECK(clReleaseMemObject(buffer));
}

void release_buffers(const Cl& cl, cl_program program) {
  const cl_kernel kernel = kernel_of(program, "add");
  for (int i = 0; i < kTimes; ++i) {
    const cl_mem buffer = new_buffer(cl, 64);
    set_args(kernel, buffer, cl_int(1));
    CL_CHECK(clReleaseMemObject(buffer));
  }
  CL_CHECK(clReleaseKernel(kernel));
}

}  // namespace

int main() {
  const Cl cl = open_cl();
  const cl_program program = build(cl, kSource);
  std::thread cloning(clone_kernels, cl, program);
  release_buffers(cl, program);
  cloning.join();
  std::printf("done\n");
  CL_CHECK(clReleaseProgram(program));
  close_cl(cl);
}
