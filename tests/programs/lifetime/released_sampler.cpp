// SPDX-License-Identifier: Apache-2.0
// A sampler is released while the kernel that uses it is still held back. Others are made after it, which
// may get its place in memory.
#include "program.h"

int main() {
  constexpr size_t side = 64;
  const Cl cl = open_cl();
  if (!has_images(cl)) return 0;
  const cl_program program = build(cl, R"(
    __kernel void look_around(__read_only image2d_t image, sampler_t sampler, __global uint* out, int w) {
      int x = get_global_id(0), y = get_global_id(1);
      uint sum = 0;
      for (int dy = -2; dy <= 2; ++dy)
        for (int dx = -2; dx <= 2; ++dx) sum += read_imageui(image, sampler, (int2)(x + dx, y + dy)).x;
      out[y * w + x] = sum;
    })");
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc description = {};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = description.image_height = side;
  std::vector<cl_uchar> ones(side * side * 4, 1);
  cl_int error = CL_SUCCESS;
  const cl_mem image = clCreateImage(cl.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format,
                                     &description, ones.data(), &error);
  CL_CHECK(error);
  const cl_mem out = new_buffer(cl, side * side * 4);
  const cl_kernel kernel = kernel_of(program, "look_around");
  for (int i = 0; i < 4; ++i) {
    const cl_event gate = clCreateUserEvent(cl.context, &error);
    CL_CHECK(error);
    const cl_sampler sampler =
        clCreateSampler(cl.context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &error);
    CL_CHECK(error);
    set_args(kernel, image, sampler, out, cl_int(side));
    const size_t global[] = {side, side};
    const size_t local[] = {16, 4};
    CL_CHECK(clEnqueueNDRangeKernel(cl.queue, kernel, 2, nullptr, global, local, 1, &gate, nullptr));
    CL_CHECK(clReleaseSampler(sampler));
    std::vector<cl_sampler> others;
    for (int k = 0; k < 8; ++k) {
      others.push_back(clCreateSampler(cl.context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error));
      CL_CHECK(error);
    }
    CL_CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    std::printf("corner %u\n", read<cl_uint>(cl, out, side * side)[0]);
    for (const cl_sampler other : others)
      CL_CHECK(clReleaseSampler(other));
    CL_CHECK(clReleaseEvent(gate));
  }
}
