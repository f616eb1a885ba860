// SPDX-License-Identifier: Apache-2.0
// Launches the kernels that it is told to, of which verify_test.py says wrong things. Other words: `exit=N`,
// `signal=N`, `quick` (no exit handlers), `process` (the words that follow are another process's).
#include "../../programs/program.h"

#include <algorithm>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

static const char* const kSource = R"(kernel void sum4(global const uint* in, global uint* out) {
  size_t i = get_global_id(0);
  uint4 v = vload4(i, in);
  out[i] = v.x + v.y + v.z + v.w;
}
kernel void four(global const uint* in, global uint* out) {
  size_t i = get_global_id(0);
  uint v = in[i];
  vstore4((uint4)(v, v + 1, v + 2, v + 3), i, out);
}
kernel void positive(global const int* in, global int* out) {
  size_t i = get_global_id(0);
  if (in[i] > 0)
    out[i] = in[i];
}
kernel void found(global const int* in, global int* out, global int* any) {
  size_t i = get_global_id(0);
  out[i] = in[i];
  if (in[i] < 0)
    any[0] = in[0];
}
kernel void mirror(global uint* inout, uint n) {
  size_t i = get_global_id(0);
  inout[i] = inout[i] |
             inout[n - 1 - i];
}
kernel void nothing(global uint* inout) {
}
kernel void far(global const uint* zeros, global uint* out) {
  size_t i = get_global_id(0);
  out[i] = out[i + (size_t)zeros[i] * 0x4000000000];
}
kernel void scattered(global const uint* index, global uint* out) {
  size_t i = get_global_id(0);
  out[index[i]] = out[index[i]] * 3 + 7;
}
)";

constexpr size_t kItems = 4096;
constexpr size_t kLocal = 64;

// No byte is zero or one, which is also poison; every second number is negative.
static std::vector<uint32_t> numbers(size_t count, uint32_t seed) {
  std::vector<uint32_t> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = 0x11111111u * uint32_t(2 + (i + seed) % 5) | (i % 2 == 0 ? 0x80000000u : 0);
  return values;
}

// Rows of 16 change places, and one row more than there are work-items. `meet`: two work-groups have one row.
static cl_mem index_of(const Cl& cl, bool meet) {
  std::vector<uint32_t> index(kItems + 16);
  for (size_t i = 0; i < index.size(); ++i)
    index[i] = uint32_t((i / 16 * 37 % (kItems / 16)) * 16 + i % 16);
  if (meet) std::copy_n(index.begin(), 16, index.end() - 32);
  return buffer_of(cl, index, CL_MEM_READ_ONLY);
}

static void run(const Cl& cl, cl_program program, const std::string& name) {
  const bool scatters = name == "scattered" || name == "meeting";
  const cl_kernel kernel = kernel_of(program, scatters ? "scattered" : name.c_str());
  const cl_mem in = buffer_of(cl, numbers(4 * kItems, 1), CL_MEM_READ_ONLY);
  const cl_mem out = buffer_of(cl, numbers(4 * kItems, 2));
  const cl_mem any = buffer_of(cl, std::vector<uint32_t>(kItems));
  const cl_mem index = index_of(cl, name == "meeting");
  if (name == "found") {
    set_args(kernel, in, out, any);
  } else if (name == "mirror") {
    set_args(kernel, out, cl_uint(kItems));
  } else if (name == "far") {
    set_args(kernel, any, out);
  } else if (scatters) {
    set_args(kernel, index, out);
  } else if (name == "nothing") {
    set_args(kernel, out);
  } else {
    set_args(kernel, in, out);
  }
  launch(cl, kernel, {kItems}, {kLocal});
  // The work-groups of mirror race, and yet its results are the same each time: both of a pair store x | y.
  report<uint32_t>(cl, name.c_str(), out, 4 * kItems);
  CL_CHECK(clFinish(cl.queue));
  for (const cl_mem memory : {in, out, any, index})
    CL_CHECK(clReleaseMemObject(memory));
  CL_CHECK(clReleaseKernel(kernel));
}

int main(int argc, char** argv) {
  Cl cl;
  cl_program program = nullptr;
  int code = 0;
  bool quick = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("exit=", 0) == 0) {
      code = std::atoi(word.c_str() + 5);
    } else if (word.rfind("signal=", 0) == 0) {
      raise(std::atoi(word.c_str() + 7));
    } else if (word == "quick") {
      quick = true;
    } else if (word == "process") {
      std::fflush(stdout);
      const pid_t child = fork();
      argv[i] = argv[0];
      if (child == 0) execv("/proc/self/exe", argv + i);
      int status = 0;
      waitpid(child, &status, 0);
      break;
    } else {
      if (program == nullptr) program = build(cl = open_cl(), kSource);
      run(cl, program, word);
    }
  }
  std::fputs("said on stderr\n", stderr);
  std::fflush(stdout);
  if (quick) _exit(code);
  return code;
}
