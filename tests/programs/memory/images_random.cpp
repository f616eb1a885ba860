// SPDX-License-Identifier: Apache-2.0
// Random chains of kernels that read and write images of each shape, and of what the host and copies do with
// parts of them between. Sizes are odd. Some images are closed to the host, or lie in its memory. Arguments:
// a seed, which also says which format each shape gets, and how many commands each shape gets.
#include "program.h"

#include <algorithm>
#include <array>
#include <random>

namespace {

using Three = std::array<size_t, 3>;

constexpr const char* kSource = R"(
  #define PLACE int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2)
  #define INSIDE (x < w && y < h && z < d)
  PIXEL colour(uint v) {
    for (int k = 0; k < 20; ++k) v = v * 1664525u + 1013904223u;
    uint4 bytes = (uint4)(v & 255u, (v >> 8) & 255u, (v >> 16) & 255u, v >> 24);
    return COLOUR(bytes);
  }
  __kernel void paint(__write_only IMAGE to, int w, int h, int d, uint v) {
    PLACE;
    if (INSIDE) WRITE(to, AT(x, y, z), colour(v + x + 131 * y + 1009 * z));
  }
  __kernel void turned(__write_only IMAGE to, int w, int h, int d, uint v) {
    PLACE;
    if (INSIDE) WRITE(to, AT(w - 1 - x, h - 1 - y, d - 1 - z), colour(v ^ (x + 7 * y + 3 * z)));
  }
  __kernel void some(__write_only IMAGE to, int w, int h, int d, uint v, __global const uint* which) {
    PLACE;
    if (INSIDE && (which[x + w * (y + h * z)] + v) % 3 != 0) WRITE(to, AT(x, y, z), colour(v * (x + y + z)));
  }
  __kernel void inner(__write_only IMAGE to, int w, int h, int d, uint v) {
    PLACE;
    if (INSIDE && x >= 3 && x < w - 2 && y >= h / 3 && z <= d / 2) WRITE(to, AT(x, y, z), colour(v - x * y));
  }
  __kernel void lines(__write_only IMAGE to, int w, int h, int d, uint v) {
    int y = get_global_id(0), z = get_global_id(1);
    if (y < h && z < d) for (int x = 0; x < w; ++x) WRITE(to, AT(x, y, z), colour(v + x * y - z));
  }
  __kernel void anywhere(__write_only IMAGE to, int w, int h, int d, uint v, __global const uint* which) {
    PLACE;
    if (INSIDE && x + y + z == 0) WRITE(to, AT(which[v % 16] % w, v % h, which[v % 7] % d), colour(v));
  }
  __kernel void around(__read_only IMAGE from, __write_only IMAGE to, int w, int h, int d, sampler_t s) {
    PLACE;
    PIXEL sum = READ(from, s, AT(x, y, z)) + READ(from, s, AT(x + 1, y, z));
    sum += READ(from, s, AT(x - 1, y + 1, z)) + READ(from, s, AT(w - 1 - x, y, d - 1 - z));
    if (INSIDE) WRITE(to, AT(x, y, z), LESS(sum));
  }
  __kernel void gather(__read_only IMAGE from, __global uint* out, int w, int h, int d, uint v) {
    const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    PLACE;
    if (!INSIDE) return;
    PIXEL p = READ(from, edge, AT(x - 1, h - 1 - y, z + 1));
    out[x + w * (y + h * z)] = out[x + w * (y + h * z)] * 31u + WORDS(p) + v + get_image_width(from);
  }
)";

struct Shape {
  const char* name;
  cl_mem_object_type type;
  Three size;
  const char* options;
};

constexpr std::array kShapes = {
    Shape{"1d", CL_MEM_OBJECT_IMAGE1D, {4099, 1, 1}, "-DIMAGE=image1d_t -DAT(x,y,z)=(x)"},
    Shape{"1d array",
          CL_MEM_OBJECT_IMAGE1D_ARRAY,
          {101, 29, 1},
          "-DIMAGE=image1d_array_t -DAT(x,y,z)=((int2)(x,y))"},
    Shape{"2d", CL_MEM_OBJECT_IMAGE2D, {61, 47, 1}, "-DIMAGE=image2d_t -DAT(x,y,z)=((int2)(x,y))"},
    Shape{"2d array",
          CL_MEM_OBJECT_IMAGE2D_ARRAY,
          {23, 19, 7},
          "-DIMAGE=image2d_array_t -DAT(x,y,z)=((int4)(x,y,z,0))"},
    Shape{"3d", CL_MEM_OBJECT_IMAGE3D, {17, 13, 11}, "-DIMAGE=image3d_t -DAT(x,y,z)=((int4)(x,y,z,0))"},
};

struct Format {
  const char* name;
  cl_image_format format;
  size_t bytes;
  bool floats;
};

constexpr std::array kFormats = {
    Format{"rgba8", {CL_RGBA, CL_UNSIGNED_INT8}, 4, false},
    Format{"r32f", {CL_R, CL_FLOAT}, 4, true},
    Format{"rgba32f", {CL_RGBA, CL_FLOAT}, 16, true},
    Format{"rg16", {CL_RG, CL_UNSIGNED_INT16}, 4, false},
    Format{"r16", {CL_R, CL_UNSIGNED_INT16}, 2, false},
};

std::string options_of(const Shape& shape, const Format& format) {
  const std::string words = format.floats ? " -DPIXEL=float4 -DREAD=read_imagef -DWRITE=write_imagef"
                                            " -DCOLOUR(b)=(convert_float4(b)/64) -DLESS(p)=((p)*0.2f)"
                                            " -DWORDS(p)=(as_uint(p.x)^as_uint(p.y)*3u^as_uint(p.w)*7u)"
                                          : " -DPIXEL=uint4 -DREAD=read_imageui -DWRITE=write_imageui"
                                            " -DCOLOUR(b)=(b) -DLESS(p)=(((p)*3u)&255u)"
                                            " -DWORDS(p)=(p.x^p.y*3u^p.w*7u)";
  return shape.options + words;
}

class Chain {
public:
  Chain(const Cl& cl, const Shape& shape, const Format& format, unsigned seed)
      : cl_(cl), shape_(shape), format_(format), random_(seed),
        program_(build(cl, kSource, options_of(shape, format).c_str())), other_(new_queue(cl)) {
    for (const char* name : {"paint", "turned", "some", "inner", "lines", "anywhere", "around", "gather"})
      kernels_.push_back(kernel_of(program_, name));
    host_ = noise<unsigned char>(pixels() * format.bytes, seed);
    if (format.floats) {
      const std::vector<cl_float> floats = noise<cl_float>(host_.size() / 4, seed);
      std::memcpy(host_.data(), floats.data(), host_.size());
    }
    for (const cl_mem_flags flags : {CL_MEM_COPY_HOST_PTR, 0, CL_MEM_HOST_NO_ACCESS, CL_MEM_USE_HOST_PTR})
      images_.push_back(image(flags));
    for (size_t i = 1; i < 3; ++i)
      fill(i, {0, 0, 0}, shape_.size);
    cl_int error = CL_SUCCESS;
    sampler_ = clCreateSampler(cl.context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error);
    CL_CHECK(error);
  }

  void run(size_t commands) {
    for (size_t i = 0; i < commands; ++i) {
      if (below(12) == 0) change_queue();
      if (below(3) == 0) {
        host_command();
      } else {
        kernel();
      }
      if (below(20) == 0) replace();
    }
    for (size_t i = 0; i < images_.size(); ++i)
      copy_and_report(i);
    CL_CHECK(clFinish(queue_));
    report<cl_uint>(cl_, "sums", out_, pixels());
  }

  void release() {
    for (const std::vector<cl_mem>& list : {images_, {which_, out_, copied_}}) {
      for (const cl_mem memory : list)
        CL_CHECK(clReleaseMemObject(memory));
    }
    for (const cl_kernel kernel : kernels_)
      CL_CHECK(clReleaseKernel(kernel));
    CL_CHECK(clReleaseSampler(sampler_));
    CL_CHECK(clReleaseCommandQueue(other_));
    CL_CHECK(clReleaseProgram(program_));
  }

private:
  size_t below(size_t end) { return random_() % end; }
  size_t pixels() const { return shape_.size[0] * shape_.size[1] * shape_.size[2]; }
  // The third is closed to the host.
  size_t open_image() { return (std::array<size_t, 3>{0, 1, 3})[below(3)]; }

  cl_mem image(cl_mem_flags flags) {
    cl_image_desc desc = {};
    desc.image_type = shape_.type;
    desc.image_width = shape_.size[0];
    desc.image_height = shape_.size[1];
    desc.image_depth = shape_.size[2];
    desc.image_array_size = shape_.type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? shape_.size[1] : shape_.size[2];
    const bool from_host = (flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR)) != 0;
    cl_int error = CL_SUCCESS;
    const cl_mem made = clCreateImage(cl_.context, CL_MEM_READ_WRITE | flags, &format_.format, &desc,
                                      from_host ? host_.data() : nullptr, &error);
    CL_CHECK(error);
    return made;
  }

  void kernel() {
    const cl_int w = cl_int(shape_.size[0]), h = cl_int(shape_.size[1]), d = cl_int(shape_.size[2]);
    const size_t which = below(10) < 3 ? 6 : below(kernels_.size());
    const cl_kernel chosen = kernels_[which];
    const size_t to = below(images_.size()), from = (to + 1 + below(images_.size() - 1)) % images_.size();
    const cl_uint value = cl_uint(random_());
    Three global = shape_.size;
    if (which == 6) {
      set_args(chosen, images_[from], images_[to], w, h, d, sampler_);
    } else if (which == 7) {
      set_args(chosen, images_[from], out_, w, h, d, value);
    } else {
      set_args(chosen, images_[to], w, h, d, value);
      if (which == 2 || which == 5) set_arg(chosen, 5, which_);
      if (which == 4) global = {shape_.size[1], shape_.size[2], 1};
    }
    const size_t rows = global[1] > 1 ? 2 : 1;
    const Three local = which % 2 == 0 ? Three{8, rows, 1} : Three{4, rows, 1};
    for (size_t i = 0; i < 3; ++i)
      global[i] = round_up(global[i], local[i]);
    CL_CHECK(
        clEnqueueNDRangeKernel(queue_, chosen, 3, nullptr, global.data(), local.data(), 0, nullptr, nullptr));
    if (below(4) == 0) CL_CHECK(clFlush(queue_));
  }

  void host_command() {
    const auto [origin, region] = part();
    switch (below(7)) {
    case 0:
      return read_part(open_image(), origin, region);
    case 1:
      return write_part(open_image(), origin, region);
    case 2:
      return fill(below(images_.size()), origin, region);
    case 3: {
      const size_t to = below(images_.size());
      CL_CHECK(clEnqueueCopyImage(queue_, images_[(to + 1) % images_.size()], images_[to], origin.data(),
                                  origin.data(), region.data(), 0, nullptr, nullptr));
      return;
    }
    case 4:
      CL_CHECK(clEnqueueCopyImageToBuffer(queue_, images_[below(images_.size())], copied_, origin.data(),
                                          region.data(), 0, 0, nullptr, nullptr));
      return;
    case 5:
      CL_CHECK(clEnqueueCopyBufferToImage(queue_, copied_, images_[below(images_.size())], 0, origin.data(),
                                          region.data(), 0, nullptr, nullptr));
      return;
    default:
      return map_part(open_image(), origin, region);
    }
  }

  std::pair<Three, Three> part() {
    Three origin{}, region = shape_.size;
    for (size_t i = 0; i < 3 && below(4) != 0; ++i) {
      origin[i] = below(shape_.size[i]);
      region[i] = 1 + below(shape_.size[i] - origin[i]);
    }
    return {origin, region};
  }

  void read_part(size_t i, const Three& origin, const Three& region) {
    std::vector<unsigned char> bytes(region[0] * region[1] * region[2] * format_.bytes);
    CL_CHECK(clEnqueueReadImage(queue_, images_[i], CL_TRUE, origin.data(), region.data(), 0, 0, bytes.data(),
                                0, nullptr, nullptr));
    report("read", bytes);
  }

  void write_part(size_t i, const Three& origin, const Three& region) {
    const std::vector<unsigned char> bytes =
        noise<unsigned char>(region[0] * region[1] * region[2] * format_.bytes, random_());
    std::vector<cl_float> floats = noise<cl_float>(bytes.size() / 4 + 1, random_());
    const void* const from = format_.floats ? static_cast<const void*>(floats.data()) : bytes.data();
    CL_CHECK(clEnqueueWriteImage(queue_, images_[i], CL_TRUE, origin.data(), region.data(), 0, 0, from, 0,
                                 nullptr, nullptr));
  }

  void fill(size_t i, const Three& origin, const Three& region) {
    const cl_uint words[4] = {cl_uint(below(256)), cl_uint(below(256)), cl_uint(below(256)), 7};
    const cl_float floats[4] = {cl_float(words[0]) / 16, cl_float(words[1]), -1, cl_float(words[2])};
    const void* const colour = format_.floats ? static_cast<const void*>(floats) : words;
    CL_CHECK(
        clEnqueueFillImage(queue_, images_[i], colour, origin.data(), region.data(), 0, nullptr, nullptr));
  }

  // The first pixel of each row is read, and given to the last.
  void map_part(size_t i, const Three& origin, const Three& region) {
    size_t row = 0, slice = 0;
    cl_int error = CL_SUCCESS;
    const bool writes = below(2) == 0;
    auto* const mapped = static_cast<unsigned char*>(
        clEnqueueMapImage(queue_, images_[i], CL_TRUE, CL_MAP_READ | (writes ? CL_MAP_WRITE : 0),
                          origin.data(), region.data(), &row, &slice, 0, nullptr, nullptr, &error));
    CL_CHECK(error);
    if (shape_.type == CL_MEM_OBJECT_IMAGE1D_ARRAY) row = slice;
    std::vector<unsigned char> found;
    for (size_t z = 0; z < region[2]; ++z) {
      for (size_t y = 0; y < region[1]; ++y) {
        unsigned char* const first = mapped + z * slice + y * row;
        found.insert(found.end(), first, first + format_.bytes);
        if (writes) std::copy_n(first, format_.bytes, first + (region[0] - 1) * format_.bytes);
      }
    }
    report("mapped", found);
    CL_CHECK(clEnqueueUnmapMemObject(queue_, images_[i], mapped, 0, nullptr, nullptr));
  }

  // What the old queue has is done before what the new one gets.
  void change_queue() {
    const cl_command_queue next = queue_ == cl_.queue ? other_ : cl_.queue;
    cl_event done = nullptr;
    CL_CHECK(clEnqueueMarkerWithWaitList(queue_, 0, nullptr, &done));
    CL_CHECK(clFlush(queue_));
    CL_CHECK(clEnqueueBarrierWithWaitList(next, 1, &done, nullptr));
    CL_CHECK(clReleaseEvent(done));
    queue_ = next;
  }

  // While kernels may still use the old one.
  void replace() {
    const cl_mem old = images_[1];
    images_[1] = image(0);
    CL_CHECK(clEnqueueCopyImage(queue_, old, images_[1], Three{}.data(), Three{}.data(), shape_.size.data(),
                                0, nullptr, nullptr));
    CL_CHECK(clReleaseMemObject(old));
  }

  void copy_and_report(size_t i) {
    CL_CHECK(clEnqueueCopyImageToBuffer(queue_, images_[i], copied_, Three{}.data(), shape_.size.data(), 0, 0,
                                        nullptr, nullptr));
    CL_CHECK(clFinish(queue_));
    report<unsigned char>(cl_, "image", copied_, pixels() * format_.bytes);
  }

  const Cl cl_;
  const Shape& shape_;
  const Format& format_;
  std::mt19937 random_;
  const cl_program program_;
  const cl_command_queue other_;
  cl_command_queue queue_ = cl_.queue;
  std::vector<cl_kernel> kernels_;
  std::vector<unsigned char> host_;  // of the last image, as long as that lives
  std::vector<cl_mem> images_;
  cl_sampler sampler_ = nullptr;
  const cl_mem which_ = buffer_of(cl_, noise<cl_uint>(pixels(), 3));
  const cl_mem out_ = buffer_of(cl_, std::vector<cl_uint>(pixels()));
  const cl_mem copied_ = buffer_of(cl_, std::vector<unsigned char>(pixels() * format_.bytes));
};

bool has_format(const Cl& cl, const Shape& shape, const Format& format) {
  std::array<cl_image_format, 512> formats{};
  cl_uint count = 0;
  CL_CHECK(clGetSupportedImageFormats(cl.context, CL_MEM_READ_WRITE, shape.type, formats.size(),
                                      formats.data(), &count));
  return std::any_of(formats.begin(), formats.begin() + count, [&](const cl_image_format& f) {
    return std::memcmp(&f, &format.format, sizeof f) == 0;
  });
}

bool writes_3d(const Cl& cl) {
  std::array<char, 16384> names{};
  CL_CHECK(clGetDeviceInfo(cl.device, CL_DEVICE_EXTENSIONS, names.size(), names.data(), nullptr));
  return std::strstr(names.data(), "cl_khr_3d_image_writes") != nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  const Cl cl = open_cl();
  if (!has_images(cl)) return 0;
  const size_t seed = size_argument(argc, argv, 1);
  const size_t commands = argc > 2 ? size_t(std::atoi(argv[2])) : 40;
  for (size_t i = 0; i < kShapes.size(); ++i) {
    const Shape& shape = kShapes[i];
    if (shape.type == CL_MEM_OBJECT_IMAGE3D && !writes_3d(cl)) continue;
    std::vector<Format> formats;
    for (const Format& format : kFormats) {
      if (has_format(cl, shape, format)) formats.push_back(format);
    }
    const Format& format = formats.at((seed + i) % formats.size());
    std::printf("%s %s\n", shape.name, format.name);
    Chain chain(cl, shape, format, unsigned(seed * kShapes.size() + i));
    chain.run(commands);
    chain.release();
  }
  close_cl(cl);
}
