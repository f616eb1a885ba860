// SPDX-License-Identifier: Apache-2.0
// What OpenCL 2.x and 3.0 add, on a device that lacks nearly all of it. A program asks first, uses what is
// there, and gets the codes of the specification for the rest. Left out is a queue on the device: PoCL 3.1
// ends the program.
#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "program.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace {

template <class T>
void device_says(const Cl& cl, const char* name, cl_device_info what) {
  T value{};
  const cl_int error = clGetDeviceInfo(cl.device, what, sizeof(value), &value, nullptr);
  std::printf("%s: %d %" PRIu64 "\n", name, error, std::uint64_t(value));
}

void list_says(const Cl& cl, const char* name, cl_device_info what) {
  size_t size = 0;
  SHOW(clGetDeviceInfo(cl.device, what, 0, nullptr, &size));
  std::vector<cl_name_version> list(size / sizeof(cl_name_version));
  SHOW(clGetDeviceInfo(cl.device, what, size, list.data(), nullptr));
  for (const cl_name_version& entry : list)
    std::printf("%s: %s %x\n", name, entry.name, entry.version);
}

void CL_CALLBACK destroyed(cl_context, void* gone) {
  static_cast<std::atomic<bool>*>(gone)->store(true);
}

char data[4096] = {};
cl_int error = CL_SUCCESS;

void devices(const Cl& cl) {
  device_says<cl_device_device_enqueue_capabilities>(cl, "device enqueue",
                                                     CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES);
  device_says<cl_bool>(cl, "pipes", CL_DEVICE_PIPE_SUPPORT);
  device_says<cl_bool>(cl, "generic address space", CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT);
  device_says<cl_bool>(cl, "non-uniform work-groups", CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT);
  device_says<cl_uint>(cl, "sub-groups", CL_DEVICE_MAX_NUM_SUB_GROUPS);
  device_says<size_t>(cl, "program-scope variables", CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE);
  device_says<cl_version>(cl, "version", CL_DEVICE_NUMERIC_VERSION);
  list_says(cl, "C", CL_DEVICE_OPENCL_C_ALL_VERSIONS);
  list_says(cl, "feature", CL_DEVICE_OPENCL_C_FEATURES);
  list_says(cl, "IL", CL_DEVICE_ILS_WITH_VERSION);
}

void queues(const Cl& cl) {
  SHOW(clSetDefaultDeviceCommandQueue(cl.context, cl.device, nullptr));
  SHOW(clSetDefaultDeviceCommandQueue(cl.context, cl.device, cl.queue));
  SHOW(clSetDefaultDeviceCommandQueue(nullptr, cl.device, cl.queue));
  SHOW(clGetCommandQueueInfo(cl.queue, CL_QUEUE_SIZE, sizeof(data), data, nullptr));
  cl_command_queue standard = cl.queue;
  SHOW(clGetCommandQueueInfo(cl.queue, CL_QUEUE_DEVICE_DEFAULT, sizeof(standard), &standard, nullptr));
  std::printf("default queue: %s\n", standard == nullptr ? "none" : "one");
  const cl_queue_properties on_host[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  const cl_command_queue queue = clCreateCommandQueueWithProperties(cl.context, cl.device, on_host, &error);
  CL_CHECK(error);
  size_t size = 0;
  CL_CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof(data), data, &size));
  std::printf("its properties are %s\n",
              size == sizeof(on_host) && std::memcmp(data, on_host, size) == 0 ? "kept" : "lost");
  CL_CHECK(clReleaseCommandQueue(queue));
}

// Drivers differ in what they create, and Intel's runtime ends a program that keeps an object until its exit.
void release(cl_mem created) {
  if (created != nullptr) CL_CHECK(clReleaseMemObject(created));
}

cl_mem memory(const Cl& cl) {
  size_t size = 0;
  cl_mem pipe = nullptr;
  SHOW_CREATE(pipe = clCreatePipe(cl.context, 0, 4, 16, nullptr, &error));
  release(pipe);
  SHOW_CREATE(clCreateProgramWithIL(cl.context, "no IL", 5, &error));
  const cl_mem_properties none[] = {0};
  const cl_mem buffer =
      clCreateBufferWithProperties(cl.context, none, CL_MEM_READ_WRITE, 4096, nullptr, &error);
  CL_CHECK(error);
  CL_CHECK(clGetMemObjectInfo(buffer, CL_MEM_PROPERTIES, sizeof(data), data, &size));
  std::printf("properties of a buffer: %zu bytes\n", size);
  const cl_mem_properties wrong[] = {0x9999, 1, 0};
  cl_mem odd = nullptr;
  SHOW_CREATE(odd =
                  clCreateBufferWithProperties(cl.context, wrong, CL_MEM_READ_WRITE, 4096, nullptr, &error));
  release(odd);
  return buffer;
}

void kernels(const Cl& cl, cl_mem buffer) {
  const cl_program program = build(
      cl, "__kernel void k(__global int* d, int n) { d[get_global_id(0)] = n + (int)get_global_id(0); }");
  const cl_kernel kernel = kernel_of(program, "k");
  SHOW(clSetProgramSpecializationConstant(program, 0, 4, data));
  SHOW(clGetKernelSubGroupInfo(kernel, cl.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, nullptr, sizeof(data),
                               data, nullptr));
  set_args(kernel, buffer, cl_int{3});
  const cl_kernel clone = clCloneKernel(kernel, &error);
  std::printf("a kernel's clone: %d\n", error);
  SHOW_CREATE(clCloneKernel(nullptr, &error));
  set_args(kernel, buffer, cl_int{5});
  if (clone != nullptr) {  // it has the arguments from before
    launch(cl, clone, {512}, {64});
    report<cl_int>(cl, "the clone's", buffer, 512);
    CL_CHECK(clReleaseKernel(clone));
  }
  launch(cl, kernel, {512}, {64});
  report<cl_int>(cl, "the kernel's", buffer, 512);
  CL_CHECK(clReleaseKernel(kernel));
  CL_CHECK(clReleaseProgram(program));
}

void timers(const Cl& cl) {
  cl_ulong host = 0, device = 0;
  const cl_int timer = clGetHostTimer(cl.device, &host);
  std::printf("host timer: %d\n", timer);
  std::printf("device timer: %d\n", clGetDeviceAndHostTimer(cl.device, &device, &host));
}

}  // namespace

int main() {
  const Cl cl = open_cl();
  devices(cl);
  queues(cl);
  const cl_mem buffer = memory(cl);
  kernels(cl, buffer);
  timers(cl);
  SHOW(clSetContextDestructorCallback(cl.context, nullptr, nullptr));
  std::atomic<bool> gone{false};
  SHOW(clSetContextDestructorCallback(cl.context, destroyed, &gone));
  CL_CHECK(clReleaseMemObject(buffer));
  close_cl(cl);
  for (int i = 0; i < 2000 && !gone; ++i)  // on which thread, and when, is the implementation's choice
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::printf("the context is %s\n", gone ? "gone" : "still there");
}
