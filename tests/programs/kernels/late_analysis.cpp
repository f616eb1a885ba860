// SPDX-License-Identifier: Apache-2.0
// Sets each kind of argument, and launches, before and after MKMD has analysed the program. Before, it may
// not know what an argument is. A file that the program includes is another one as soon as it is built.
// LATE_GO names a file that this program makes when the analysis may go on, LATE_DONE one that is there when
// it has. Without them nothing is waited for. LATE_FOLDER is for the file that is included.
#include "program.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

namespace {

constexpr const char* kSource = R"(
  #include "late_analysis.h"
  __kernel void blend(__global uint* out, __global const uint* in, __local uint* shared, __local ulong* one,
                    ulong number, __global const uint* none, uint round) {
    uint i = get_global_id(0), l = get_local_id(0);
    shared[l] = in[i] + round;
    if (l == 0) one[0] = number;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint x = shared[get_local_size(0) - 1 - l] + (uint)(one[0] % 1000003) + (none ? 1 : 2);
    for (int k = 0; k < 300; ++k) x = x * FACTOR + k;
    out[i] = out[i] * 7 + x;
  }
  __kernel void keep(__global ulong* out, ulong number) { out[get_global_id(0)] = number; }
  __kernel void picture(__read_only image2d_t image, sampler_t nearest, __global uint* out, float4 shift) {
    int x = get_global_id(0), y = get_global_id(1);
    uint4 p = read_imageui(image, nearest, (float2)(x + shift.x, y + shift.y));
    out[y * get_global_size(0) + x] += p.x * 3 + p.w;
  })";

constexpr size_t kItems = 65536, kLocal = 64, kSide = 128;

void write_header(const std::string& path, int factor) {
  std::ofstream(path) << "#define FACTOR " << factor << "\n";
}

cl_program build_with_header(const Cl& cl) {
  char made[] = "/tmp/mkmd-late-XXXXXX";
  const char* const given = std::getenv("LATE_FOLDER");
  const std::string folder = given != nullptr ? given : mkdtemp(made);
  const std::string header = folder + "/late_analysis.h";
  write_header(header, 31);
  const cl_program program = build(cl, kSource, ("-I " + folder).c_str());
  write_header(header, 33);
  if (given == nullptr) std::filesystem::remove_all(folder);
  return program;
}

void wait_for_analysis() {
  const char* const go = std::getenv("LATE_GO");
  const char* const done = std::getenv("LATE_DONE");
  if (go == nullptr || done == nullptr) return;
  std::ofstream(go) << "go\n";
  for (int i = 0; i < 12000 && !std::ifstream(done); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::this_thread::sleep_for(std::chrono::seconds(1));  // MKMD reads the answer meanwhile
}

struct Program {
  void set(cl_kernel kernel) {
    const cl_mem null = nullptr;
    const Local as_long_as_a_handle{sizeof(cl_ulong)};
    set_args(kernel, out, in, Local{kLocal * sizeof(cl_uint)}, as_long_as_a_handle, cl_ulong{0x123456789abc},
             null);
  }
  void blends(cl_kernel kernel, int times) {
    for (int i = 0; i < times; ++i) {
      set_arg(kernel, 6, round++);
      launch(cl, kernel, {kItems}, {kLocal});
      CL_CHECK(clFinish(cl.queue));
    }
  }

  const Cl cl = open_cl();
  const cl_program program = build_with_header(cl);
  const cl_mem in = buffer_of(cl, noise<cl_uint>(kItems, 1)), out = buffer_of(cl, noise<cl_uint>(kItems, 2));
  cl_uint round = 0;
};

struct Picture {
  explicit Picture(const Program& of) : cl(of.cl), kernel(kernel_of(of.program, "picture")) {
    cl_int error = CL_SUCCESS;
    const cl_image_format format{CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc desc{};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = desc.image_height = kSide;
    auto pixels = noise<cl_uint>(kSide * kSide, 3);
    image = clCreateImage(cl.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &desc, pixels.data(),
                          &error);
    CL_CHECK(error);
    sampler = clCreateSampler(cl.context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &error);
    CL_CHECK(error);
    set_args(kernel, image, sampler, out, cl_float4{{1, 2, 0, 0}});
  }
  void launches(int times) {
    for (int i = 0; i < times; ++i)
      launch(cl, kernel, {kSide, kSide}, {8, 8});
  }

  const Cl& cl;
  const cl_kernel kernel;
  const cl_mem out = buffer_of(cl, noise<cl_uint>(kSide* kSide, 4));
  cl_mem image = nullptr;
  cl_sampler sampler = nullptr;
};

// A number that is a handle at the same time.
void pass_handle_as_number(const Program& p, cl_kernel keep) {
  const cl_mem kept = new_buffer(p.cl, 64 * sizeof(cl_ulong));
  const auto number = cl_ulong(reinterpret_cast<uintptr_t>(kept));
  set_args(keep, kept, number);
  launch(p.cl, keep, {64}, {8});
  std::printf("the number arrives: %d\n",
              read<cl_ulong>(p.cl, kept, 64) == std::vector<cl_ulong>(64, number));
}

}  // namespace

int main() {
  Program p;
  const cl_kernel keep = kernel_of(p.program, "keep");
  pass_handle_as_number(p, keep);
  const cl_kernel first = kernel_of(p.program, "blend");
  p.set(first);
  p.blends(first, 3);
  std::optional<Picture> picture;
  if (has_images(p.cl)) picture.emplace(p);
  if (picture) picture->launches(2);
  wait_for_analysis();
  pass_handle_as_number(p, keep);
  p.blends(first, 100);  // with the arguments of before
  p.set(first);
  p.blends(first, 100);
  const cl_kernel second = kernel_of(p.program, "blend");
  p.set(second);
  p.blends(second, 10);
  report<cl_uint>(p.cl, "mixed", p.out, kItems);
  if (picture) {
    picture->launches(20);
    report<cl_uint>(p.cl, "picture", picture->out, kSide * kSide);
  }
}
