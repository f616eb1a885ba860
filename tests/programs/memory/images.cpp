// SPDX-License-Identifier: Apache-2.0
// Images and samplers: 2-D and 3-D, integer and float formats. They are written by a kernel, read with each
// address mode, copied to and from buffers, and mapped. Buffers are in the same chain of commands.
#include "program.h"

namespace {

constexpr const char* kSource = R"(
  __kernel void paint(__write_only image2d_t image, __global const int* seed, int w, int h) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h) return;
    uint v = seed[y * w + x];
    for (int k = 0; k < 40; ++k) v = v * 1664525u + 1013904223u;
    write_imageui(image, (int2)(x, y), (uint4)(v & 255u, (v >> 8) & 255u, (v >> 16) & 255u, v >> 24));
  }
  __kernel void blur(__read_only image2d_t image, sampler_t sampler, __global uint* out, int w, int h) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h) return;
    uint4 sum = (uint4)(0);
    for (int dy = -2; dy <= 2; ++dy)
      for (int dx = -2; dx <= 2; ++dx) sum += read_imageui(image, sampler, (int2)(x + dx, y + dy));
    out[y * w + x] = sum.x + 31u * sum.y + 977u * sum.z + 7919u * sum.w + (uint)get_image_width(image);
  }
  __kernel void volume(__read_only image3d_t image, __global float* out, int w, int h) {
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    float4 v = read_imagef(image, s, (int4)(x + 1, y, z - 1, 0));
    out[(z * h + y) * w + x] = v.x + v.y * 2.0f + v.z * 4.0f + v.w * 8.0f;
  })";

void read_volume(const Cl& cl, cl_program program) {
  cl_int error = CL_SUCCESS;
  const cl_image_format floats = {CL_RGBA, CL_FLOAT};
  cl_image_desc cube = {};
  cube.image_type = CL_MEM_OBJECT_IMAGE3D;
  cube.image_width = cube.image_height = cube.image_depth = 20;
  std::vector<cl_float> voxels = noise<cl_float>(20 * 20 * 20 * 4, 9);
  const cl_mem volume_image = clCreateImage(cl.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &floats,
                                            &cube, voxels.data(), &error);
  CL_CHECK(error);
  const cl_mem sums = new_buffer(cl, 8000 * 4);
  const cl_kernel volume = kernel_of(program, "volume");
  set_args(volume, volume_image, sums, cl_int(20), cl_int(20));
  launch(cl, volume, {20, 20, 20}, {5, 4, 2});
  report<cl_float>(cl, "volume", sums, 8000);
}

}  // namespace

int main() {
  constexpr size_t width = 301;
  constexpr size_t height = 203;
  const Cl cl = open_cl();
  if (!has_images(cl)) return 0;
  const cl_program program = build(cl, kSource);
  cl_int error = CL_SUCCESS;
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc description = {};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = width;
  description.image_height = height;
  const cl_mem image = clCreateImage(cl.context, CL_MEM_READ_WRITE, &format, &description, nullptr, &error);
  CL_CHECK(error);
  const cl_mem seed = buffer_of(cl, noise<cl_int>(width * height, 1));
  const cl_mem out = new_buffer(cl, width * height * 4);
  const cl_kernel paint = kernel_of(program, "paint");
  set_args(paint, image, seed, cl_int(width), cl_int(height));
  launch(cl, paint, {round_up(width, 16), round_up(height, 4)}, {16, 4});
  const cl_kernel blur = kernel_of(program, "blur");
  for (const cl_addressing_mode mode : {CL_ADDRESS_CLAMP, CL_ADDRESS_CLAMP_TO_EDGE}) {
    const cl_sampler sampler = clCreateSampler(cl.context, CL_FALSE, mode, CL_FILTER_NEAREST, &error);
    CL_CHECK(error);
    set_args(blur, image, sampler, out, cl_int(width), cl_int(height));
    launch(cl, blur, {round_up(width, 16), round_up(height, 4)}, {16, 4});
    report<cl_uint>(cl, "blur", out, width * height);
    CL_CHECK(clReleaseSampler(sampler));
  }
  const size_t zero[3] = {0, 0, 0};
  const size_t corner[3] = {10, 20, 0};
  const size_t elsewhere[3] = {150, 100, 0};
  const size_t region[3] = {100, 50, 1};
  CL_CHECK(clEnqueueCopyImageToBuffer(cl.queue, image, out, corner, region, 400, 0, nullptr, nullptr));
  CL_CHECK(clEnqueueCopyBufferToImage(cl.queue, out, image, 4000, zero, region, 0, nullptr, nullptr));
  CL_CHECK(clEnqueueCopyImage(cl.queue, image, image, corner, elsewhere, region, 0, nullptr, nullptr));
  const cl_uint colour[4] = {1, 2, 3, 4};
  const size_t small[3] = {5, 5, 1};
  CL_CHECK(clEnqueueFillImage(cl.queue, image, colour, corner, small, 0, nullptr, nullptr));
  std::vector<cl_uchar> pixels(width * height * 4);
  const size_t all[3] = {width, height, 1};
  CL_CHECK(clEnqueueReadImage(cl.queue, image, CL_TRUE, zero, all, 0, 0, pixels.data(), 0, nullptr, nullptr));
  report("image", pixels);
  size_t pitch = 0;
  auto* mapped = static_cast<cl_uchar*>(clEnqueueMapImage(
      cl.queue, image, CL_TRUE, CL_MAP_READ, corner, small, &pitch, nullptr, 0, nullptr, nullptr, &error));
  CL_CHECK(error);
  std::printf("mapped %d %d\n", mapped[0], mapped[pitch + 1]);
  CL_CHECK(clEnqueueUnmapMemObject(cl.queue, image, mapped, 0, nullptr, nullptr));
  read_volume(cl, program);
}
