// SPDX-License-Identifier: Apache-2.0
// Wrong calls of many kinds, each printing the code it got. A program's error handling must meet the same
// codes with and without a layer. Calls are left out for which PoCL 3.1 crashes (a local size of 0, a null
// kernel, a wait list of null). So are those that it answers against the specification.
#include "program.h"

namespace {

char data[8192] = {};
cl_int error = CL_SUCCESS;
const cl_int number = 5;

void devices_and_contexts(const Cl& cl) {
  cl_uint count = 0;
  cl_device_id device = nullptr;
  SHOW(clGetPlatformIDs(0, nullptr, nullptr));
  SHOW(clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_ALL, 0, &device, nullptr));
  SHOW(clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_CUSTOM, 1, &device, &count));
  SHOW(clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_DEFAULT | (cl_device_type(1) << 30), 1, &device,
                      nullptr));  // no such type
  SHOW(clGetDeviceInfo(cl.device, 0x9999, sizeof(data), data, nullptr));
  SHOW(clGetDeviceInfo(cl.device, CL_DEVICE_NAME, 1, data, nullptr));
  SHOW(clGetPlatformInfo(cl.platform, 0x9999, sizeof(data), data, nullptr));
  SHOW_CREATE(clCreateContext(nullptr, 0, nullptr, nullptr, nullptr, &error));
  SHOW_CREATE(clCreateContext(nullptr, 0, &cl.device, nullptr, nullptr, &error));
  SHOW_CREATE(clCreateContext(nullptr, 1, &cl.device, nullptr, data, &error));
  SHOW_CREATE(clCreateCommandQueue(nullptr, cl.device, 0, &error));
  SHOW_CREATE(clCreateCommandQueue(cl.context, nullptr, 0, &error));
  SHOW_CREATE(clCreateCommandQueue(cl.context, cl.device, 1u << 20, &error));
}

void memory_objects(const Cl& cl, cl_mem buffer) {
  const size_t huge = size_t(1) << 40;
  SHOW_CREATE(clCreateBuffer(nullptr, CL_MEM_READ_WRITE, 16, nullptr, &error));
  SHOW_CREATE(clCreateBuffer(cl.context, CL_MEM_READ_WRITE, 0, nullptr, &error));
  SHOW_CREATE(clCreateBuffer(cl.context, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, 16, nullptr, &error));
  SHOW_CREATE(clCreateBuffer(cl.context, CL_MEM_USE_HOST_PTR, 16, nullptr, &error));
  SHOW_CREATE(clCreateBuffer(cl.context, CL_MEM_READ_WRITE, 16, data, &error));
  SHOW_CREATE(clCreateBuffer(cl.context, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 16, data, &error));
  SHOW_CREATE(clCreateBuffer(cl.context, CL_MEM_READ_WRITE, huge, nullptr, &error));
  const cl_buffer_region outside = {4000, 200}, empty = {0, 0}, odd = {4, 16}, good = {1024, 1024};
  SHOW_CREATE(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &outside, &error));
  SHOW_CREATE(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &empty, &error));
  SHOW_CREATE(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &odd, &error));
  SHOW_CREATE(clCreateSubBuffer(buffer, 0, 0x9999, &good, &error));
  const cl_mem sub = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &good, &error);
  CL_CHECK(error);
  SHOW_CREATE(clCreateSubBuffer(sub, 0, CL_BUFFER_CREATE_TYPE_REGION, &empty, &error));
}

void null_objects() {
  SHOW(clRetainMemObject(nullptr));
  SHOW(clReleaseContext(nullptr));
  SHOW(clReleaseKernel(nullptr));
  SHOW(clReleaseEvent(nullptr));
  SHOW(clReleaseProgram(nullptr));
  SHOW(clReleaseCommandQueue(nullptr));
}

void programs(const Cl& cl, cl_program program) {
  SHOW_CREATE(clCreateProgramWithSource(cl.context, 0, nullptr, nullptr, &error));
  SHOW_CREATE(clCreateKernel(program, "absent", &error));
  SHOW_CREATE(clCreateKernel(program, nullptr, &error));
  SHOW_CREATE(clCreateKernel(nullptr, "k", &error));
  SHOW(clBuildProgram(nullptr, 0, nullptr, nullptr, nullptr, nullptr));
  SHOW(clBuildProgram(program, 1, nullptr, nullptr, nullptr, nullptr));
  SHOW(clGetProgramInfo(program, 0x9999, sizeof(data), data, nullptr));
}

void arguments(const Cl& cl, cl_kernel kernel, cl_mem buffer) {
  const size_t sixty_four = 64;
  SHOW(clEnqueueNDRangeKernel(cl.queue, kernel, 1, nullptr, &sixty_four, nullptr, 0, nullptr,
                              nullptr));  // no arguments yet
  SHOW(clSetKernelArg(kernel, 3, sizeof(number), &number));
  SHOW(clSetKernelArg(kernel, 1, 2, &number));
  SHOW(clSetKernelArg(kernel, 0, 4, &buffer));
  SHOW(clSetKernelArg(kernel, 2, 0, nullptr));
  SHOW(clSetKernelArg(kernel, 2, 16, data));
  SHOW(clSetKernelArg(nullptr, 0, sizeof(buffer), &buffer));
}

void launches(const Cl& cl, cl_kernel kernel, cl_kernel fixed, cl_mem buffer) {
  const size_t sixty_four = 64, sixty = 60, seven = 7;
  const size_t grid[3] = {64, 64, 64}, wide[3] = {64, 64, 4096};
  set_args(kernel, buffer, number, Local{256});
  set_args(fixed, buffer);
  SHOW(clEnqueueNDRangeKernel(cl.queue, kernel, 0, nullptr, grid, nullptr, 0, nullptr, nullptr));
  SHOW(clEnqueueNDRangeKernel(cl.queue, kernel, 4, nullptr, grid, nullptr, 0, nullptr, nullptr));
  SHOW(clEnqueueNDRangeKernel(cl.queue, kernel, 1, nullptr, nullptr, nullptr, 0, nullptr, nullptr));
  SHOW(clEnqueueNDRangeKernel(cl.queue, kernel, 1, nullptr, &sixty, &seven, 0, nullptr, nullptr));
  SHOW(clEnqueueNDRangeKernel(cl.queue, kernel, 3, nullptr, wide, wide, 0, nullptr, nullptr));
  SHOW(clEnqueueNDRangeKernel(cl.queue, fixed, 1, nullptr, &sixty_four, &sixty_four, 0, nullptr, nullptr));
  SHOW(clEnqueueNDRangeKernel(cl.queue, fixed, 1, nullptr, &sixty_four, nullptr, 0, nullptr, nullptr));
  SHOW(clEnqueueNDRangeKernel(nullptr, kernel, 1, nullptr, &sixty_four, nullptr, 0, nullptr, nullptr));
  SHOW(clEnqueueNDRangeKernel(cl.queue, kernel, 1, nullptr, &sixty_four, &sixty_four, 0, nullptr, nullptr));
  SHOW(clEnqueueTask(cl.queue, kernel, 0, nullptr, nullptr));
}

// A list of no events that is not NULL: drivers take it for some commands.
void lists_of_no_events(const Cl& cl, cl_kernel kernel, cl_mem buffer) {
  const size_t sixty_four = 64, eight = 8;
  const cl_event list[1] = {nullptr};
  SHOW(clEnqueueNDRangeKernel(cl.queue, kernel, 1, nullptr, &sixty_four, &eight, 0, list, nullptr));
  SHOW(clEnqueueTask(cl.queue, kernel, 0, list, nullptr));
  SHOW(clEnqueueReadBuffer(cl.queue, buffer, CL_TRUE, 0, 16, data, 0, list, nullptr));
  SHOW(clEnqueueWriteBuffer(cl.queue, buffer, CL_TRUE, 0, 16, data, 0, list, nullptr));
  SHOW(clEnqueueCopyBuffer(cl.queue, buffer, buffer, 0, 64, 16, 0, list, nullptr));
  SHOW(clEnqueueMarkerWithWaitList(cl.queue, 0, list, nullptr));
  SHOW(clEnqueueBarrierWithWaitList(cl.queue, 0, list, nullptr));
}

void transfers(const Cl& cl, cl_mem buffer) {
  const cl_mem read_only_host = new_buffer(cl, 4096, CL_MEM_HOST_READ_ONLY);
  const cl_mem no_host = new_buffer(cl, 4096, CL_MEM_HOST_NO_ACCESS);
  SHOW(clEnqueueReadBuffer(cl.queue, buffer, CL_TRUE, 4000, 200, data, 0, nullptr, nullptr));
  SHOW(clEnqueueReadBuffer(cl.queue, buffer, CL_TRUE, 0, 16, nullptr, 0, nullptr, nullptr));
  SHOW(clEnqueueReadBuffer(cl.queue, nullptr, CL_TRUE, 0, 16, data, 0, nullptr, nullptr));
  SHOW(clEnqueueReadBuffer(cl.queue, no_host, CL_TRUE, 0, 16, data, 0, nullptr, nullptr));
  SHOW(clEnqueueWriteBuffer(cl.queue, read_only_host, CL_TRUE, 0, 16, data, 0, nullptr, nullptr));
  SHOW(clEnqueueWriteBuffer(nullptr, buffer, CL_TRUE, 0, 16, data, 0, nullptr, nullptr));
  SHOW(clEnqueueCopyBuffer(cl.queue, buffer, buffer, 0, 8, 16, 0, nullptr, nullptr));
  SHOW(clEnqueueCopyBuffer(cl.queue, buffer, read_only_host, 4096, 0, 16, 0, nullptr, nullptr));
  SHOW(clEnqueueFillBuffer(cl.queue, buffer, data, 3, 0, 12, 0, nullptr, nullptr));
  SHOW(clEnqueueFillBuffer(cl.queue, buffer, nullptr, 4, 0, 12, 0, nullptr, nullptr));
  SHOW_CREATE(
      clEnqueueMapBuffer(cl.queue, buffer, CL_TRUE, CL_MAP_READ, 4096, 16, 0, nullptr, nullptr, &error));
  SHOW_CREATE(
      clEnqueueMapBuffer(cl.queue, no_host, CL_TRUE, CL_MAP_READ, 0, 16, 0, nullptr, nullptr, &error));
  SHOW(clEnqueueUnmapMemObject(cl.queue, buffer, data, 0, nullptr, nullptr));
}

void events(const Cl& cl) {
  SHOW(clWaitForEvents(0, nullptr));
  const cl_event none = nullptr;
  SHOW(clWaitForEvents(1, &none));
  const cl_event user = clCreateUserEvent(cl.context, &error);
  SHOW(clSetUserEventStatus(user, CL_RUNNING));
  SHOW(clSetUserEventStatus(user, CL_COMPLETE));
  SHOW(clSetUserEventStatus(user, CL_COMPLETE));
  SHOW(clGetEventProfilingInfo(user, CL_PROFILING_COMMAND_START, sizeof(data), data, nullptr));
  SHOW(clGetEventInfo(user, 0x9999, sizeof(data), data, nullptr));
  SHOW(clSetEventCallback(user, CL_COMPLETE, nullptr, nullptr));
  SHOW_CREATE(clCreateUserEvent(nullptr, &error));
  SHOW(clFlush(nullptr));
  SHOW(clFinish(nullptr));
  CL_CHECK(clReleaseEvent(user));
}

void two_contexts(const Cl& cl, cl_mem buffer) {
  const Cl other = open_cl();
  const cl_mem foreign = new_buffer(other, 4096);
  SHOW(clEnqueueReadBuffer(cl.queue, foreign, CL_TRUE, 0, 16, data, 0, nullptr, nullptr));
  SHOW(clEnqueueCopyBuffer(cl.queue, buffer, foreign, 0, 0, 16, 0, nullptr, nullptr));
  const cl_event foreign_event = clCreateUserEvent(other.context, &error);
  CL_CHECK(clSetUserEventStatus(foreign_event, CL_COMPLETE));
  SHOW(clEnqueueMarkerWithWaitList(cl.queue, 1, &foreign_event, nullptr));
  CL_CHECK(clReleaseEvent(foreign_event));
}

}  // namespace

int main() {
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    __kernel void k(__global int* d, int n, __local int* tile) { d[get_global_id(0)] = n; }
    __kernel __attribute__((reqd_work_group_size(16, 1, 1))) void fixed(__global int* d) { d[get_global_id(0)] = 1; })");
  const cl_kernel kernel = kernel_of(program, "k");
  const cl_mem buffer = new_buffer(cl, 4096);
  devices_and_contexts(cl);
  memory_objects(cl, buffer);
  null_objects();
  programs(cl, program);
  arguments(cl, kernel, buffer);
  launches(cl, kernel, kernel_of(program, "fixed"), buffer);
  lists_of_no_events(cl, kernel, buffer);
  transfers(cl, buffer);
  events(cl);
  two_contexts(cl, buffer);
  set_args(kernel, buffer, number, Local{256});
  launch(cl, kernel, {64}, {64});
  report<cl_int>(cl, "and it still works", buffer, 64);
}
