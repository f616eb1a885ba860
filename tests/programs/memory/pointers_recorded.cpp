// SPDX-License-Identifier: Apache-2.0
// A kernel in a command-buffer follows an address that another kernel has kept in a buffer. The buffer it
// leads to is no argument of a recorded command. A large kernel changes that buffer between the runs of the
// command-buffer.
#include "program.h"

#include <CL/cl_ext.h>

namespace {

template <typename Function>
Function extension(const Cl& cl, const char* name) {
  return reinterpret_cast<Function>(clGetExtensionFunctionAddressForPlatform(cl.platform, name));
}

bool has_command_buffers(const Cl& cl) {
  size_t size = 0;
  CL_CHECK(clGetDeviceInfo(cl.device, CL_DEVICE_EXTENSIONS, 0, nullptr, &size));
  std::string names(size, ' ');
  CL_CHECK(clGetDeviceInfo(cl.device, CL_DEVICE_EXTENSIONS, size, names.data(), nullptr));
  const bool has = names.find("cl_khr_command_buffer") != std::string::npos;
  std::printf("command-buffers %d\n", int(has));
  return has;
}

}  // namespace

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 1 << 16);
  const Cl cl = open_cl();
  if (!has_command_buffers(cl)) return 0;
  const auto create = extension<clCreateCommandBufferKHR_fn>(cl, "clCreateCommandBufferKHR");
  const auto record = extension<clCommandNDRangeKernelKHR_fn>(cl, "clCommandNDRangeKernelKHR");
  const auto finalize = extension<clFinalizeCommandBufferKHR_fn>(cl, "clFinalizeCommandBufferKHR");
  const auto enqueue = extension<clEnqueueCommandBufferKHR_fn>(cl, "clEnqueueCommandBufferKHR");
  const auto release = extension<clReleaseCommandBufferKHR_fn>(cl, "clReleaseCommandBufferKHR");
  const cl_program program = build(cl, R"(
    typedef struct { __global int* place; } Kept;
    __kernel void keep(__global int* data, __global Kept* kept) {
      if (get_global_id(0) == 0) kept[0].place = data;
    }
    __kernel void change(__global int* data) {
      int i = get_global_id(0), x = data[i];
      for (int k = 0; k < 2000; ++k) x = x * 31 + k;
      data[i] = x;
    }
    __kernel void follow(__global const Kept* kept, __global int* out) {
      const size_t i = get_global_id(0), last = get_global_size(0) - 1;
      out[i] = kept[0].place[last - i];
      kept[0].place[last - i] += 3;
    })");
  const cl_kernel keep = kernel_of(program, "keep");
  const cl_kernel change = kernel_of(program, "change");
  const cl_kernel follow = kernel_of(program, "follow");
  const cl_mem data = buffer_of(cl, noise<cl_int>(count, 1));
  const cl_mem kept = buffer_of(cl, std::vector<cl_ulong>(8));
  const cl_mem out = new_buffer(cl, count * sizeof(cl_int));
  set_args(keep, data, kept);
  set_args(change, data);
  set_args(follow, kept, out);
  launch(cl, keep, {64}, {64});

  cl_int error = CL_SUCCESS;
  const cl_command_buffer_khr recorded = create(1, &cl.queue, nullptr, &error);
  CL_CHECK(error);
  CL_CHECK(
      record(recorded, nullptr, nullptr, follow, 1, nullptr, &count, nullptr, 0, nullptr, nullptr, nullptr));
  CL_CHECK(finalize(recorded));
  for (int i = 0; i < 3; ++i) {
    launch(cl, change, {count}, {64});
    CL_CHECK(enqueue(0, nullptr, recorded, 0, nullptr, nullptr));
    report<cl_int>(cl, "out", out, count);
  }
  report<cl_int>(cl, "data", data, count);
  CL_CHECK(release(recorded));
  close_cl(cl);
}
