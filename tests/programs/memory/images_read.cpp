// SPDX-License-Identifier: Apache-2.0
// Kernels that read an image, between commands that change it: writes, copies from buffers that kernels
// wrote, mappings, kernels that paint it, another queue. And images made from buffers, and images released at
// once.
#include "program.h"

static constexpr size_t kWidth = 200, kHeight = 120, kPixels = kWidth * kHeight;
static constexpr size_t kOrigin[3] = {0, 0, 0}, kRegion[3] = {kWidth, kHeight, 1};

static const char* const kSource = R"(
  __constant sampler_t at_edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
  float around(__read_only image2d_t image, sampler_t s, int x, int y) {
    float sum = 0;
    for (int dy = -3; dy <= 3; ++dy)
      for (int dx = -3; dx <= 3; ++dx) sum += read_imagef(image, s, (int2)(x + dx, y + dy)).x;
    return sum;
  }
  __kernel void blur(__read_only image2d_t image, sampler_t s, __global float* out, float weight) {
    int x = get_global_id(0), y = get_global_id(1);
    out[y * get_global_size(0) + x] += weight * (around(image, s, x, y) + around(image, at_edge, x, y));
  }
  __kernel void paint(__write_only image2d_t image, float value) {
    int x = get_global_id(0), y = get_global_id(1);
    write_imagef(image, (int2)(x, y), (float4)(value * (x + 3 * y) / 1000));
  }
  __kernel void fill(__global float* to, float value) {
    size_t i = get_global_id(0);
    to[i] = value * i / 100000;
  }
  __kernel void line(__read_only image1d_buffer_t image, __global float* out) {
    int i = get_global_id(0);
    out[i] += read_imagef(image, i).x + read_imagef(image, 16383 - i).x;
  }
)";

static const cl_image_format kFloats = {CL_R, CL_FLOAT};

static cl_mem image_of(const Cl& cl, cl_mem_flags flags, cl_image_desc desc, void* host = nullptr) {
  cl_int error = CL_SUCCESS;
  const cl_mem image = clCreateImage(cl.context, flags, &kFloats, &desc, host, &error);
  CL_CHECK(error);
  return image;
}

static cl_mem plane(const Cl& cl, cl_mem_flags flags, void* host = nullptr) {
  cl_image_desc desc = {};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = kWidth;
  desc.image_height = kHeight;
  return image_of(cl, flags, desc, host);
}

int main(int argc, char** argv) {
  const int rounds = int(size_argument(argc, argv, 4));
  const Cl cl = open_cl();
  if (!has_images(cl)) return 0;
  const cl_program program = build(cl, kSource);
  const cl_kernel blur = kernel_of(program, "blur"), paint = kernel_of(program, "paint");
  const cl_kernel fill = kernel_of(program, "fill"), line = kernel_of(program, "line");
  cl_int error = CL_SUCCESS;
  const cl_sampler sampler =
      clCreateSampler(cl.context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error);
  CL_CHECK(error);
  std::vector<cl_float> first = noise<cl_float>(kPixels, 1);
  const cl_mem image = plane(cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, first.data());
  const cl_mem out = buffer_of(cl, std::vector<cl_float>(kPixels));
  const cl_mem pixels = new_buffer(cl, kPixels * sizeof(cl_float));
  std::vector<std::vector<cl_float>> written;
  for (int i = 0; i < rounds; ++i)
    written.push_back(noise<cl_float>(kPixels, 10 + unsigned(i)));
  float weight = 1;
  const auto read_it = [&](cl_command_queue queue, cl_mem from) {
    set_args(blur, from, sampler, out, cl_float(weight *= 0.75f));
    launch(queue, blur, {kWidth, kHeight}, {8, 4});
  };
  for (int i = 0; i < rounds; ++i) {
    read_it(cl.queue, image);
    CL_CHECK(clEnqueueWriteImage(cl.queue, image, CL_FALSE, kOrigin, kRegion, 0, 0, written[size_t(i)].data(),
                                 0, nullptr, nullptr));
    read_it(cl.queue, image);
    set_args(paint, image, cl_float(i + 1));
    launch(cl, paint, {kWidth, kHeight}, {8, 4});
    read_it(cl.queue, image);
    set_args(fill, pixels, cl_float(i + 2));
    launch(cl, fill, {kPixels}, {64});
    CL_CHECK(clEnqueueCopyBufferToImage(cl.queue, pixels, image, 0, kOrigin, kRegion, 0, nullptr, nullptr));
    set_args(fill, pixels, cl_float(-i));
    launch(cl, fill, {kPixels}, {64});
    read_it(cl.queue, image);
  }
  report<cl_float>(cl, "changed between", out, kPixels);

  size_t pitch = 0;
  auto* mapped =
      static_cast<cl_float*>(clEnqueueMapImage(cl.queue, image, CL_TRUE, CL_MAP_WRITE, kOrigin, kRegion,
                                               &pitch, nullptr, 0, nullptr, nullptr, &error));
  CL_CHECK(error);
  for (size_t y = 0; y < kHeight; ++y)
    for (size_t x = 0; x < kWidth; ++x)
      mapped[y * pitch / sizeof(cl_float) + x] = cl_float(x ^ y) / 64;
  CL_CHECK(clEnqueueUnmapMemObject(cl.queue, image, mapped, 0, nullptr, nullptr));
  read_it(cl.queue, image);
  report<cl_float>(cl, "mapped", out, kPixels);

  // Another queue paints it when the first has read it, and the first reads it again then.
  const cl_command_queue other = new_queue(cl);
  for (int i = 0; i < rounds; ++i) {
    cl_event read_once = nullptr, painted = nullptr;
    set_args(blur, image, sampler, out, cl_float(weight *= 0.75f));
    const size_t global[2] = {kWidth, kHeight}, local[2] = {8, 4};
    CL_CHECK(clEnqueueNDRangeKernel(cl.queue, blur, 2, nullptr, global, local, 0, nullptr, &read_once));
    CL_CHECK(clFlush(cl.queue));
    set_args(paint, image, cl_float(7 - i));
    CL_CHECK(clEnqueueNDRangeKernel(other, paint, 2, nullptr, global, local, 1, &read_once, &painted));
    CL_CHECK(clFlush(other));
    CL_CHECK(clEnqueueNDRangeKernel(cl.queue, blur, 2, nullptr, global, local, 1, &painted, nullptr));
    CL_CHECK(clReleaseEvent(read_once));
    CL_CHECK(clReleaseEvent(painted));
  }
  report<cl_float>(cl, "two queues", out, kPixels);

  // The image shows the buffer's bytes, which kernels change.
  cl_image_desc of_buffer = {};
  of_buffer.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
  of_buffer.image_width = 16384;
  of_buffer.buffer = pixels;
  const cl_mem shown = image_of(cl, CL_MEM_READ_ONLY, of_buffer);
  for (int i = 0; i < rounds; ++i) {
    set_args(fill, pixels, cl_float(i + 5));
    launch(cl, fill, {kPixels}, {64});
    set_args(line, shown, out);
    launch(cl, line, {16384}, {64});
  }
  report<cl_float>(cl, "of a buffer", out, kPixels);

  for (int i = 0; i < rounds; ++i) {
    const cl_mem short_lived = plane(cl, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, written[size_t(i)].data());
    read_it(cl.queue, short_lived);
    CL_CHECK(clReleaseMemObject(short_lived));
  }
  CL_CHECK(clReleaseSampler(sampler));
  report<cl_float>(cl, "released at once", out, kPixels);
  for (const cl_mem memory : {shown, image, out, pixels})
    CL_CHECK(clReleaseMemObject(memory));
  for (const cl_kernel kernel : {blur, paint, fill, line})
    CL_CHECK(clReleaseKernel(kernel));
  CL_CHECK(clReleaseCommandQueue(other));
  CL_CHECK(clReleaseProgram(program));
  close_cl(cl);
}
