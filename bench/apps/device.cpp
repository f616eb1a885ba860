// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <cstdio>
#include <cstdlib>

namespace bench {

void check_cl(cl_int code, const char* call, const char* file, int line) {
  if (code == CL_SUCCESS) return;
  std::fprintf(stderr, "%s:%d: OpenCL error %d in %s\n", file, line, code, call);
  std::exit(1);
}

Device::Device(const char* source) {
  cl_platform_id platform = nullptr;
  CL_CHECK(clGetPlatformIDs(1, &platform, nullptr));
  cl_device_id device = nullptr;
  CL_CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr));
  cl_int error = CL_SUCCESS;
  context_ = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
  CL_CHECK(error);
  queue_ = clCreateCommandQueue(context_, device, 0, &error);
  CL_CHECK(error);
  program_ = clCreateProgramWithSource(context_, 1, &source, nullptr, &error);
  CL_CHECK(error);
  error = clBuildProgram(program_, 1, &device, "", nullptr, nullptr);
  if (error != CL_SUCCESS) {
    size_t length = 0;
    CL_CHECK(clGetProgramBuildInfo(program_, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &length));
    std::string log(length, '\0');
    CL_CHECK(clGetProgramBuildInfo(program_, device, CL_PROGRAM_BUILD_LOG, length, log.data(), nullptr));
    std::fprintf(stderr, "%s\n", log.c_str());
    CL_CHECK(error);
  }
}

Device::~Device() {
  for (const auto& [name, kernel] : kernels_)
    clReleaseKernel(kernel);
  for (const cl_mem memory : buffers_)
    clReleaseMemObject(memory);
  if (program_) clReleaseProgram(program_);
  if (queue_) clReleaseCommandQueue(queue_);
  if (context_) clReleaseContext(context_);
}

Buffer Device::buffer(size_t count, cl_mem_flags flags) {
  cl_int error = CL_SUCCESS;
  const cl_mem memory = clCreateBuffer(context_, flags, count * sizeof(float), nullptr, &error);
  CL_CHECK(error);
  buffers_.push_back(memory);
  return {memory, count};
}

Image Device::image(size_t width, size_t height, cl_mem_flags flags) {
  const cl_image_format format = {CL_R, CL_FLOAT};
  cl_image_desc shape = {};
  shape.image_type = CL_MEM_OBJECT_IMAGE2D;
  shape.image_width = width;
  shape.image_height = height;
  cl_int error = CL_SUCCESS;
  const cl_mem memory = clCreateImage(context_, flags, &format, &shape, nullptr, &error);
  CL_CHECK(error);
  buffers_.push_back(memory);
  return {memory, width, height};
}

void Device::write(const Buffer& to, const void* from) {
  CL_CHECK(clEnqueueWriteBuffer(queue_, to.memory, CL_FALSE, 0, to.count * sizeof(float), from, 0, nullptr,
                                nullptr));
}

void Device::read(const Buffer& from, void* to) {
  CL_CHECK(clEnqueueReadBuffer(queue_, from.memory, CL_TRUE, 0, from.count * sizeof(float), to, 0, nullptr,
                               nullptr));
}

void Device::copy(const Buffer& from, const Image& to) {
  const size_t origin[3] = {0, 0, 0};
  const size_t region[3] = {to.width, to.height, 1};
  CL_CHECK(
      clEnqueueCopyBufferToImage(queue_, from.memory, to.memory, 0, origin, region, 0, nullptr, nullptr));
}

void Device::copy(const Image& from, const Buffer& to) {
  const size_t origin[3] = {0, 0, 0};
  const size_t region[3] = {from.width, from.height, 1};
  CL_CHECK(
      clEnqueueCopyImageToBuffer(queue_, from.memory, to.memory, origin, region, 0, 0, nullptr, nullptr));
}

void Device::fill(const Buffer& buffer, float value) {
  CL_CHECK(clEnqueueFillBuffer(queue_, buffer.memory, &value, sizeof(value), 0, buffer.count * sizeof(float),
                               0, nullptr, nullptr));
}

cl_kernel Device::kernel_named(const char* name) {
  cl_kernel& kernel = kernels_[name];
  if (!kernel) {
    cl_int error = CL_SUCCESS;
    kernel = clCreateKernel(program_, name, &error);
    CL_CHECK(error);
  }
  return kernel;
}

void Device::set_arg(cl_kernel kernel, cl_uint index, const Buffer& value) {
  CL_CHECK(clSetKernelArg(kernel, index, sizeof(cl_mem), &value.memory));
}

void Device::set_arg(cl_kernel kernel, cl_uint index, const Image& value) {
  CL_CHECK(clSetKernelArg(kernel, index, sizeof(cl_mem), &value.memory));
}

void Device::set_arg(cl_kernel kernel, cl_uint index, int value) {
  const cl_int number = value;
  CL_CHECK(clSetKernelArg(kernel, index, sizeof(number), &number));
}

void Device::set_arg(cl_kernel kernel, cl_uint index, float value) {
  const cl_float number = value;
  CL_CHECK(clSetKernelArg(kernel, index, sizeof(number), &number));
}

void Device::set_arg(cl_kernel kernel, cl_uint index, const LocalFloats& value) {
  CL_CHECK(clSetKernelArg(kernel, index, value.count * sizeof(float), nullptr));
}

void Device::enqueue(cl_kernel kernel, const std::vector<size_t>& count, const std::vector<size_t>& local) {
  std::vector<size_t> global;
  for (size_t i = 0; i < count.size(); ++i)
    global.push_back((count[i] + local[i] - 1) / local[i] * local[i]);
  CL_CHECK(clEnqueueNDRangeKernel(queue_, kernel, cl_uint(global.size()), nullptr, global.data(),
                                  local.data(), 0, nullptr, nullptr));
}

}  // namespace bench
