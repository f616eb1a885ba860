// SPDX-License-Identifier: Apache-2.0
// What queues say of themselves, with and without profiling, and what events of their launches say of times.
#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "program.h"

namespace {

void ask(const Cl& cl, const char* what, cl_command_queue queue, cl_kernel kernel, size_t items) {
  std::printf("%s\n", what);
  cl_command_queue_properties flags = 0;
  SHOW(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof flags, &flags, nullptr));
  std::printf("flags %llu\n", static_cast<unsigned long long>(flags));
  cl_queue_properties list[8] = {};
  size_t bytes = 0;
  SHOW(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof list, list, &bytes));
  for (size_t i = 0; i < bytes / sizeof list[0]; ++i)
    std::printf("%llu%s", static_cast<unsigned long long>(list[i]),
                i + 1 < bytes / sizeof list[0] ? " " : "\n");
  cl_event event = nullptr;
  CL_CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, &event));
  CL_CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
  CL_CHECK(clFinish(queue));
  cl_ulong start = 0, end = 0;
  SHOW(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr));
  SHOW(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr));
  std::printf("times are %s\n", start <= end ? "in order" : "not in order");
  CL_CHECK(clReleaseEvent(event));
  CL_CHECK(clReleaseCommandQueue(queue));
}

}  // namespace

int main() {
  const Cl cl = open_cl();
  constexpr size_t kItems = 4096;
  const cl_mem buffer = new_buffer(cl, kItems * sizeof(cl_uint));
  const std::vector<cl_uint> zeros(kItems);
  CL_CHECK(clEnqueueWriteBuffer(cl.queue, buffer, CL_TRUE, 0, kItems * sizeof(cl_uint), zeros.data(), 0,
                                nullptr, nullptr));
  const cl_kernel kernel = kernel_of(build(cl, R"(
    __kernel void advance(__global uint* d) { d[get_global_id(0)] += get_global_id(0); })"),
                                     "advance");
  set_args(kernel, buffer);
  cl_int error = CL_SUCCESS;
  ask(cl, "plain", clCreateCommandQueue(cl.context, cl.device, 0, &error), kernel, kItems);
  ask(cl, "with profiling", clCreateCommandQueue(cl.context, cl.device, CL_QUEUE_PROFILING_ENABLE, &error),
      kernel, kItems);
  ask(cl, "no properties", clCreateCommandQueueWithProperties(cl.context, cl.device, nullptr, &error), kernel,
      kItems);
  const cl_queue_properties out_of_order[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  ask(cl, "out of order", clCreateCommandQueueWithProperties(cl.context, cl.device, out_of_order, &error),
      kernel, kItems);
  const cl_queue_properties wrong[] = {CL_QUEUE_PROPERTIES, 1 << 20, 0};
  SHOW(clCreateCommandQueueWithProperties(cl.context, cl.device, wrong, &error) == nullptr);
  SHOW(error);
  report<cl_uint>(cl, "buffer", buffer, kItems);
}
