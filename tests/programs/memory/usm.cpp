// SPDX-License-Identifier: Apache-2.0
// Unified shared memory (cl_intel_unified_shared_memory), as SYCL programs use it. There are host, device
// and shared memory, copies and fills. Kernels take pointers beside buffers, and kernels follow pointers.
#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "program.h"

#include <CL/cl_ext.h>

namespace {

constexpr size_t kCount = 20'000;

Cl cl;

template <typename Function>
Function found(const char* name) {
  return reinterpret_cast<Function>(clGetExtensionFunctionAddressForPlatform(cl.platform, name));
}
#define USM(name) found<name##_fn>(#name)

void report_memory(const char* what, const cl_int* values) {
  uint64_t hash = 0;
  for (size_t i = 0; i < kCount; ++i)
    hash = hash * 31 + static_cast<cl_uint>(values[i]);
  std::printf("%s: %016" PRIx64 "\n", what, hash);
}

void show_info(const char* what, const void* pointer) {
  const auto info = USM(clGetMemAllocInfoINTEL);
  cl_unified_shared_memory_type_intel type = 0;
  size_t size = 0;
  cl_device_id device = nullptr;
  CL_CHECK(info(cl.context, pointer, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, nullptr));
  CL_CHECK(info(cl.context, pointer, CL_MEM_ALLOC_SIZE_INTEL, sizeof size, &size, nullptr));
  CL_CHECK(info(cl.context, pointer, CL_MEM_ALLOC_DEVICE_INTEL, sizeof device, &device, nullptr));
  std::printf("%s: type %x, %zu bytes, device %s\n", what, unsigned(type), size,
              device == nullptr     ? "none"
              : device == cl.device ? "ours"
                                    : "unknown");
}

// PoCL 6 makes memory of no device, and crashes where there is no command-queue.
bool checks_handles() {
  char platform[64] = "";
  CL_CHECK(clGetPlatformInfo(cl.platform, CL_PLATFORM_NAME, sizeof platform, platform, nullptr));
  return std::string(platform) != "Portable Computing Language";
}

void show_errors(void* memory) {
  cl_int error = 0;
  SHOW_CREATE(USM(clHostMemAllocINTEL)(nullptr, nullptr, 16, 0, &error));
  SHOW_CREATE(USM(clHostMemAllocINTEL)(cl.context, nullptr, 0, 0, &error));
  SHOW(USM(clMemFreeINTEL)(nullptr, memory));
  if (checks_handles()) {
    SHOW_CREATE(USM(clDeviceMemAllocINTEL)(cl.context, nullptr, nullptr, 16, 0, &error));
    SHOW(USM(clEnqueueMemcpyINTEL)(nullptr, CL_TRUE, memory, memory, 4, 0, nullptr, nullptr));
  }
  SHOW(USM(clEnqueueMemcpyINTEL)(cl.queue, CL_TRUE, nullptr, memory, 4, 0, nullptr, nullptr));
  SHOW(USM(clSetKernelArgMemPointerINTEL)(nullptr, 0, memory));
}

constexpr size_t kBytes = kCount * sizeof(cl_int);

constexpr const char* kSource = R"(
  __kernel void twice(__global int* from, __global int* to) {
    to[get_global_id(0)] = 2 * from[get_global_id(0)] + 1;
  }
  __kernel void follow(__global const ulong* where, __global int* to) {
    const __global int* from = (const __global int*)where[0];
    to[get_global_id(0)] += from[get_global_id(0)];
  })";

bool has_usm() {
  size_t size = 0;
  CL_CHECK(clGetDeviceInfo(cl.device, CL_DEVICE_EXTENSIONS, 0, nullptr, &size));
  std::string extensions(size, ' ');
  CL_CHECK(clGetDeviceInfo(cl.device, CL_DEVICE_EXTENSIONS, size, extensions.data(), nullptr));
  return extensions.find("cl_intel_unified_shared_memory") != std::string::npos;
}

struct Memories {
  cl_int* host = nullptr;
  void* device = nullptr;
  cl_int* shared = nullptr;
};

Memories allocate() {
  cl_int error = 0;
  Memories of;
  of.host = static_cast<cl_int*>(USM(clHostMemAllocINTEL)(cl.context, nullptr, kBytes, 0, &error));
  CL_CHECK(error);
  of.device = USM(clDeviceMemAllocINTEL)(cl.context, cl.device, nullptr, kBytes, 64, &error);
  CL_CHECK(error);
  of.shared =
      static_cast<cl_int*>(USM(clSharedMemAllocINTEL)(cl.context, cl.device, nullptr, kBytes, 0, &error));
  CL_CHECK(error);
  return of;
}

// Buffers, then pointers, then both, in one queue.
void copy(const Memories& of, cl_kernel twice, cl_mem buffer, cl_mem second) {
  set_args(twice, buffer, second);
  launch(cl, twice, {kCount}, {50});
  set_args(twice, second, buffer);
  launch(cl, twice, {kCount}, {50});
  CL_CHECK(clSetKernelArg(twice, 0, sizeof(cl_mem), &buffer));
  CL_CHECK(USM(clSetKernelArgMemPointerINTEL)(twice, 1, of.device));
  launch(cl, twice, {kCount}, {50});
  cl_event copied = nullptr;
  CL_CHECK(USM(clEnqueueMemcpyINTEL)(cl.queue, CL_FALSE, of.host, of.device, kBytes, 0, nullptr, &copied));
  CL_CHECK(clWaitForEvents(1, &copied));
  cl_command_type type = 0;
  CL_CHECK(clGetEventInfo(copied, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr));
  std::printf("copied by a command of type %x\n", type);
  CL_CHECK(clReleaseEvent(copied));
  report_memory("copied", of.host);
}

void fill(const Memories& of, cl_kernel twice) {
  const cl_int pattern[2] = {3, 4};
  CL_CHECK(
      USM(clEnqueueMemFillINTEL)(cl.queue, of.shared, pattern, sizeof pattern, kBytes, 0, nullptr, nullptr));
  CL_CHECK(USM(clSetKernelArgMemPointerINTEL)(twice, 0, of.shared));
  launch(cl, twice, {kCount}, {50});
  CL_CHECK(USM(clEnqueueMemcpyINTEL)(cl.queue, CL_TRUE, of.host, of.device, kBytes, 0, nullptr, nullptr));
  report_memory("filled", of.host);
}

// A kernel that finds its input behind a pointer in a buffer.
void follow_pointers(const Memories& of, cl_kernel follow, cl_mem buffer) {
  const std::vector<cl_ulong> where = {reinterpret_cast<cl_ulong>(of.host)};
  const cl_mem pointers = buffer_of(cl, where);
  const cl_bool indirect = CL_TRUE;
  CL_CHECK(clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, sizeof indirect,
                               &indirect));
  set_args(follow, pointers, buffer);
  for (int i = 0; i < 3; ++i) {
    for (size_t k = 0; k < kCount; ++k)
      of.host[k] = static_cast<cl_int>(k) * (i + 1);
    launch(cl, follow, {kCount}, {50});
    CL_CHECK(clFinish(cl.queue));
  }
  report<cl_int>(cl, "followed", buffer, kCount);
  CL_CHECK(clReleaseMemObject(pointers));
}

}  // namespace

int main() {
  cl = open_cl();
  if (!has_usm()) return 77;
  const Memories of = allocate();
  show_info("host", of.host);
  show_info("device", of.device);
  show_info("shared", of.shared);
  show_errors(of.host);

  const cl_program program = build(cl, kSource);
  const cl_kernel twice = kernel_of(program, "twice"), follow = kernel_of(program, "follow");
  const cl_mem buffer = buffer_of(cl, noise<cl_int>(kCount, 5)), second = new_buffer(cl, kBytes);
  copy(of, twice, buffer, second);
  fill(of, twice);
  follow_pointers(of, follow, buffer);

  for (void* memory : {static_cast<void*>(of.host), of.device})
    CL_CHECK(USM(clMemFreeINTEL)(cl.context, memory));
  CL_CHECK(USM(clMemBlockingFreeINTEL)(cl.context, of.shared));
  for (const cl_mem memory : {buffer, second})
    CL_CHECK(clReleaseMemObject(memory));
  for (const cl_kernel kernel : {twice, follow})
    CL_CHECK(clReleaseKernel(kernel));
  CL_CHECK(clReleaseProgram(program));
  close_cl(cl);
}
