// SPDX-License-Identifier: Apache-2.0
// Kernels that write images: between kernels that read or write the same pixels, native commands of each
// kind, and other queues. Images of each shape, and the same image as two arguments.
#include "program.h"

#include <array>

static constexpr size_t kWidth = 200, kHeight = 120, kPixels = kWidth * kHeight;
static constexpr size_t kOrigin[3] = {0, 0, 0}, kRegion[3] = {kWidth, kHeight, 1};
static constexpr size_t kSide = 24;

static const char* const kSource = R"(
  float churn(float v) {
    for (int k = 0; k < 50; ++k) v = v * 0.75f + 0.125f;
    return v;
  }
  __kernel void paint(__write_only image2d_t image, float value) {
    int x = get_global_id(0), y = get_global_id(1);
    write_imagef(image, (int2)(x, y), (float4)(churn(value * (x + 3 * y) / 1000)));
  }
  __kernel void edge(__write_only image2d_t image, float value, int w, int h) {
    int2 p = (int2)(w - 1 - get_global_id(0), h - 1 - get_global_id(1));
    if (p.x >= 3 && p.y >= 5) write_imagef(image, p, (float4)(churn(value)));
  }
  __kernel void blur(__read_only image2d_t from, __write_only image2d_t to) {
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float sum = 0;
    for (int dy = -3; dy <= 3; ++dy)
      for (int dx = -3; dx <= 3; ++dx) sum += read_imagef(from, s, p + (int2)(dx, dy)).x;
    if (p.x < get_image_width(to) && p.y < get_image_height(to)) write_imagef(to, p, (float4)(sum / 40));
  }
  __kernel void keep(__read_only image2d_t from, __global float* to) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
    to[y * w + x] = to[y * w + x] * 0.5f + read_imagef(from, (int2)(w - 1 - x, y)).x;
  }
  __kernel void both_ways(__write_only image2d_t a, __write_only image2d_t b, float value) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(a, p, (float4)(churn(value + p.x)));
    write_imagef(b, get_image_dim(b) - 1 - p, (float4)(churn(value + get_image_width(b) - 1 - p.x)));
  }
  __kernel void squeeze(__write_only image2d_t image, float value) {
    int x = get_global_id(0), y = get_global_id(1) / 2;
    write_imagef(image, (int2)(x, y), (float4)(churn(value * (x - y))));
  }
  __kernel void layers(__write_only image2d_array_t image, float value) {
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    write_imagef(image, (int4)(y, x, z, 0), (float4)(churn(value * (x + 5 * y + 7 * z))));
  }
  __kernel void lines(__write_only image1d_array_t image, float value) {
    int y = get_global_id(0);
    for (int x = 0; x < get_image_width(image); ++x)
      write_imagef(image, (int2)(x, y), (float4)(churn(value * (x + 3 * y))));
  }
)";

static const cl_image_format kFloats = {CL_R, CL_FLOAT};

static cl_mem image_of(const Cl& cl, cl_mem_object_type type, size_t width, size_t height, size_t depth) {

  cl_image_desc desc = {};
  desc.image_type = type;
  desc.image_width = width;
  desc.image_height = height;
  desc.image_depth = depth;
  desc.image_array_size = type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? height : depth;
  cl_int error = CL_SUCCESS;
  const cl_mem image = clCreateImage(cl.context, CL_MEM_READ_WRITE, &kFloats, &desc, nullptr, &error);
  CL_CHECK(error);
  return image;
}

static cl_mem plane(const Cl& cl) {
  return image_of(cl, CL_MEM_OBJECT_IMAGE2D, kWidth, kHeight, 1);
}

namespace {

class Writer {
public:
  Writer(const Cl& cl, int rounds) : rounds_(rounds), cl_(cl) {
    const cl_float zero[4] = {};
    for (const cl_mem image : {image_, other_})
      CL_CHECK(clEnqueueFillImage(cl_.queue, image, zero, kOrigin, kRegion, 0, nullptr, nullptr));
  }

  // Nothing waits between them but what they do to pixels.
  void written_and_read() {
    for (int i = 0; i < rounds_; ++i) {
      paint(image_, cl_float(i + 1));
      blur(image_, other_);
      paint_edge(image_, cl_float(i));
      keep(image_);
      blur(other_, image_);
      keep(image_);
      keep(other_);
    }
    report_all("written and read");
  }

  void native_between() {
    const cl_float colour[4] = {0.25f, 0, 0, 1};
    const size_t corner[3] = {20, 30, 0}, area[3] = {100, 60, 1};
    std::vector<std::vector<cl_float>> found;
    found.resize(size_t(rounds_), std::vector<cl_float>(kPixels));
    for (int i = 0; i < rounds_; ++i) {
      paint(image_, cl_float(i + 3));
      CL_CHECK(clEnqueueReadImage(cl_.queue, image_, CL_FALSE, kOrigin, kRegion, 0, 0,
                                  found[size_t(i)].data(), 0, nullptr, nullptr));
      paint_edge(image_, cl_float(-i));
      CL_CHECK(clEnqueueCopyImage(cl_.queue, image_, other_, corner, kOrigin, area, 0, nullptr, nullptr));
      paint(image_, cl_float(i));
      CL_CHECK(clEnqueueFillImage(cl_.queue, image_, colour, corner, area, 0, nullptr, nullptr));
      blur(image_, other_);
      CL_CHECK(clEnqueueCopyImageToBuffer(cl_.queue, other_, out_, kOrigin, kRegion, 0, 0, nullptr, nullptr));
      keep(image_);
      paint(other_, cl_float(i + 5));
      CL_CHECK(clEnqueueCopyBufferToImage(cl_.queue, out_, other_, 0, corner, area, 0, nullptr, nullptr));
      keep(other_);
      mapped(other_);
    }
    CL_CHECK(clFinish(cl_.queue));
    for (const std::vector<cl_float>& one : found)
      report("read", one);
    report_all("native between");
  }

  // Another queue paints it when the first has read it, and the first reads it again then.
  void two_queues() {
    const cl_command_queue other = new_queue(cl_);
    const size_t global[2] = {kWidth, kHeight}, local[2] = {8, 4};
    for (int i = 0; i < rounds_; ++i) {
      cl_event read_once = nullptr, painted = nullptr;
      set_args(keep_, image_, out_);
      CL_CHECK(clEnqueueNDRangeKernel(cl_.queue, keep_, 2, nullptr, global, local, 0, nullptr, &read_once));
      CL_CHECK(clFlush(cl_.queue));
      set_args(paint_, image_, cl_float(7 - i));
      CL_CHECK(clEnqueueNDRangeKernel(other, paint_, 2, nullptr, global, local, 1, &read_once, &painted));
      CL_CHECK(clFlush(other));
      CL_CHECK(clEnqueueNDRangeKernel(cl_.queue, keep_, 2, nullptr, global, local, 1, &painted, nullptr));
      CL_CHECK(clReleaseEvent(read_once));
      CL_CHECK(clReleaseEvent(painted));
    }
    report_all("two queues");
    CL_CHECK(clReleaseCommandQueue(other));
  }

  // Pieces of the first launch touch pixels of others where both arguments are one image.
  void two_arguments() {
    for (const cl_mem second : {image_, other_}) {
      set_args(both_ways_, image_, second, cl_float(3));
      launch(cl_, both_ways_, {kWidth, kHeight}, {8, 4});
      keep(second);
      keep(image_);
    }
    set_args(squeeze_, image_, cl_float(0.5f));
    launch(cl_, squeeze_, {kWidth, kHeight}, {8, 3});
    keep(image_);
    report_all("two arguments");
  }

  void other_shapes() {
    const cl_mem array = image_of(cl_, CL_MEM_OBJECT_IMAGE2D_ARRAY, kSide, kSide, kSide);
    const cl_mem lines = image_of(cl_, CL_MEM_OBJECT_IMAGE1D_ARRAY, kWidth, kHeight, 1);
    set_args(layers_, array, cl_float(0.25f));
    launch(cl_, layers_, {kSide, kSide, kSide}, {4, 4, 2});
    report_image("layers", array, {kSide, kSide, kSide});
    set_args(lines_, lines, cl_float(0.5f));
    launch(cl_, lines_, {kHeight}, {4});
    report_image("lines", lines, {kWidth, kHeight, 1});
    for (const cl_mem image : {array, lines})
      CL_CHECK(clReleaseMemObject(image));
  }

  void released_at_once() {
    for (int i = 0; i < rounds_; ++i) {
      const cl_mem short_lived = plane(cl_);
      paint(short_lived, cl_float(i - 2));
      keep(short_lived);
      CL_CHECK(clReleaseMemObject(short_lived));
    }
    report<cl_float>(cl_, "released at once", out_, kPixels);
  }

  void release() {
    for (const cl_mem memory : {image_, other_, out_})
      CL_CHECK(clReleaseMemObject(memory));
    for (const cl_kernel kernel : {paint_, edge_, blur_, keep_, both_ways_, squeeze_, layers_, lines_})
      CL_CHECK(clReleaseKernel(kernel));
    CL_CHECK(clReleaseProgram(program_));
    close_cl(cl_);
  }

private:
  void paint(cl_mem image, cl_float value) {
    set_args(paint_, image, value);
    launch(cl_, paint_, {kWidth, kHeight}, {8, 4});
  }
  void paint_edge(cl_mem image, cl_float value) {
    set_args(edge_, image, value, cl_int(kWidth), cl_int(kHeight));
    launch(cl_, edge_, {kWidth, kHeight}, {8, 4});
  }
  void blur(cl_mem from, cl_mem to) {
    set_args(blur_, from, to);
    launch(cl_, blur_, {round_up(kWidth, 16), round_up(kHeight, 16)}, {16, 16});
  }
  void keep(cl_mem image) {
    set_args(keep_, image, out_);
    launch(cl_, keep_, {kWidth, kHeight}, {8, 4});
  }
  void mapped(cl_mem image) {
    size_t pitch = 0;
    cl_int error = CL_SUCCESS;
    auto* floats = static_cast<cl_float*>(clEnqueueMapImage(cl_.queue, image, CL_TRUE,
                                                            CL_MAP_READ | CL_MAP_WRITE, kOrigin, kRegion,
                                                            &pitch, nullptr, 0, nullptr, nullptr, &error));
    CL_CHECK(error);
    for (size_t y = 0; y < kHeight; ++y)
      floats[y * pitch / sizeof(cl_float)] += 1;
    CL_CHECK(clEnqueueUnmapMemObject(cl_.queue, image, floats, 0, nullptr, nullptr));
  }
  void report_image(const char* name, cl_mem image, const std::array<size_t, 3>& region) {
    std::vector<cl_float> pixels(region[0] * region[1] * region[2]);
    CL_CHECK(clEnqueueReadImage(cl_.queue, image, CL_TRUE, kOrigin, region.data(), 0, 0, pixels.data(), 0,
                                nullptr, nullptr));
    report(name, pixels);
  }
  void report_all(const char* name) {
    report<cl_float>(cl_, name, out_, kPixels);
    for (const cl_mem image : {image_, other_})
      report_image("image", image, {kWidth, kHeight, 1});
  }

  const int rounds_;
  const Cl cl_;
  const cl_program program_ = build(cl_, kSource);
  const cl_kernel paint_ = kernel_of(program_, "paint"), edge_ = kernel_of(program_, "edge");
  const cl_kernel blur_ = kernel_of(program_, "blur"), keep_ = kernel_of(program_, "keep");
  const cl_kernel both_ways_ = kernel_of(program_, "both_ways"), squeeze_ = kernel_of(program_, "squeeze");
  const cl_kernel layers_ = kernel_of(program_, "layers"), lines_ = kernel_of(program_, "lines");
  const cl_mem out_ = buffer_of(cl_, std::vector<cl_float>(kPixels));
  const cl_mem image_ = plane(cl_), other_ = plane(cl_);
};

}  // namespace

int main(int argc, char** argv) {
  const Cl cl = open_cl();
  if (!has_images(cl)) return 0;
  Writer writer(cl, int(size_argument(argc, argv, 4)));
  writer.written_and_read();
  writer.native_between();
  writer.two_queues();
  writer.two_arguments();
  writer.other_shapes();
  writer.released_at_once();
  writer.release();
}
