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

namespace {

// A program's objects, and what it reads of images into `out`.
class Reader {
public:
  Reader(const Cl& cl, int rounds) : rounds_(rounds), cl_(cl) {
    cl_int error = CL_SUCCESS;
    sampler_ = clCreateSampler(cl_.context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error);
    CL_CHECK(error);
    std::vector<cl_float> first = noise<cl_float>(kPixels, 1);
    image_ = plane(cl_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, first.data());
    for (int i = 0; i < rounds; ++i)
      written_.push_back(noise<cl_float>(kPixels, 10 + unsigned(i)));
  }

  void changed_between() {
    for (int i = 0; i < rounds_; ++i) {
      read_it(image_);
      CL_CHECK(clEnqueueWriteImage(cl_.queue, image_, CL_FALSE, kOrigin, kRegion, 0, 0,
                                   written_[size_t(i)].data(), 0, nullptr, nullptr));
      read_it(image_);
      set_args(paint_, image_, cl_float(i + 1));
      launch(cl_, paint_, {kWidth, kHeight}, {8, 4});
      read_it(image_);
      fill(cl_float(i + 2));
      CL_CHECK(
          clEnqueueCopyBufferToImage(cl_.queue, pixels_, image_, 0, kOrigin, kRegion, 0, nullptr, nullptr));
      fill(cl_float(-i));
      read_it(image_);
    }
    report<cl_float>(cl_, "changed between", out_, kPixels);
  }

  void mapped() {
    size_t pitch = 0;
    cl_int error = CL_SUCCESS;
    auto* floats =
        static_cast<cl_float*>(clEnqueueMapImage(cl_.queue, image_, CL_TRUE, CL_MAP_WRITE, kOrigin, kRegion,
                                                 &pitch, nullptr, 0, nullptr, nullptr, &error));
    CL_CHECK(error);
    for (size_t y = 0; y < kHeight; ++y)
      for (size_t x = 0; x < kWidth; ++x)
        floats[y * pitch / sizeof(cl_float) + x] = cl_float(x ^ y) / 64;
    CL_CHECK(clEnqueueUnmapMemObject(cl_.queue, image_, floats, 0, nullptr, nullptr));
    read_it(image_);
    report<cl_float>(cl_, "mapped", out_, kPixels);
  }

  // Another queue paints it when the first has read it, and the first reads it again then.
  void two_queues() {
    const cl_command_queue other = new_queue(cl_);
    for (int i = 0; i < rounds_; ++i) {
      cl_event read_once = nullptr, painted = nullptr;
      set_args(blur_, image_, sampler_, out_, cl_float(weight_ *= 0.75f));
      const size_t global[2] = {kWidth, kHeight}, local[2] = {8, 4};
      CL_CHECK(clEnqueueNDRangeKernel(cl_.queue, blur_, 2, nullptr, global, local, 0, nullptr, &read_once));
      CL_CHECK(clFlush(cl_.queue));
      set_args(paint_, image_, cl_float(7 - i));
      CL_CHECK(clEnqueueNDRangeKernel(other, paint_, 2, nullptr, global, local, 1, &read_once, &painted));
      CL_CHECK(clFlush(other));
      CL_CHECK(clEnqueueNDRangeKernel(cl_.queue, blur_, 2, nullptr, global, local, 1, &painted, nullptr));
      CL_CHECK(clReleaseEvent(read_once));
      CL_CHECK(clReleaseEvent(painted));
    }
    report<cl_float>(cl_, "two queues", out_, kPixels);
    CL_CHECK(clReleaseCommandQueue(other));
  }

  // The image shows the buffer's bytes, which kernels change.
  void of_a_buffer() {
    cl_image_desc of_buffer = {};
    of_buffer.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
    of_buffer.image_width = 16384;
    of_buffer.buffer = pixels_;
    const cl_mem shown = image_of(cl_, CL_MEM_READ_ONLY, of_buffer);
    for (int i = 0; i < rounds_; ++i) {
      fill(cl_float(i + 5));
      set_args(line_, shown, out_);
      launch(cl_, line_, {16384}, {64});
    }
    report<cl_float>(cl_, "of a buffer", out_, kPixels);
    CL_CHECK(clReleaseMemObject(shown));
  }

  void released_at_once() {
    for (std::vector<cl_float>& values : written_) {
      const cl_mem short_lived = plane(cl_, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, values.data());
      read_it(short_lived);
      CL_CHECK(clReleaseMemObject(short_lived));
    }
    CL_CHECK(clReleaseSampler(sampler_));
    report<cl_float>(cl_, "released at once", out_, kPixels);
  }

  void release() {
    for (const cl_mem memory : {image_, out_, pixels_})
      CL_CHECK(clReleaseMemObject(memory));
    for (const cl_kernel kernel : {blur_, paint_, fill_, line_})
      CL_CHECK(clReleaseKernel(kernel));
    CL_CHECK(clReleaseProgram(program_));
    close_cl(cl_);
  }

private:
  void read_it(cl_mem from) {
    set_args(blur_, from, sampler_, out_, cl_float(weight_ *= 0.75f));
    launch(cl_.queue, blur_, {kWidth, kHeight}, {8, 4});
  }
  void fill(cl_float value) {
    set_args(fill_, pixels_, value);
    launch(cl_, fill_, {kPixels}, {64});
  }

  const int rounds_;
  const Cl cl_;
  const cl_program program_ = build(cl_, kSource);
  const cl_kernel blur_ = kernel_of(program_, "blur"), paint_ = kernel_of(program_, "paint");
  const cl_kernel fill_ = kernel_of(program_, "fill"), line_ = kernel_of(program_, "line");
  const cl_mem out_ = buffer_of(cl_, std::vector<cl_float>(kPixels));
  const cl_mem pixels_ = new_buffer(cl_, kPixels * sizeof(cl_float));
  cl_sampler sampler_ = nullptr;
  cl_mem image_ = nullptr;
  std::vector<std::vector<cl_float>> written_;
  float weight_ = 1;
};

}  // namespace

int main(int argc, char** argv) {
  const Cl cl = open_cl();
  if (!has_images(cl)) return 0;
  Reader reader(cl, int(size_argument(argc, argv, 4)));
  reader.changed_between();
  reader.mapped();
  reader.two_queues();
  reader.of_a_buffer();
  reader.released_at_once();
  reader.release();
}
