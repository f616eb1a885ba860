// SPDX-License-Identifier: Apache-2.0
// A program that waits after each launch, and goes on for two seconds or as many milliseconds as the second
// argument says. What is prepared beside it may be ready long before its end, or is under way then.
#include "program.h"

#include <chrono>

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 65536);
  const int milliseconds = argc > 2 ? std::atoi(argv[2]) : 2000;
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    __kernel void stir(__global const int* in, __global int* out, int rounds) {
      int i = get_global_id(0), x = in[i];
      for (int k = 0; k < rounds; ++k) x = x * 31 + (x >> 7) + k;
      out[i] = x;
    })");
  const cl_kernel stir = kernel_of(program, "stir");
  const cl_mem in = buffer_of(cl, noise<cl_int>(count, 1));
  const cl_mem out = new_buffer(cl, count * 4);
  set_args(stir, in, out, cl_int(1000));
  uint64_t first = 0, differing = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  do {
    launch(cl, stir, {count}, {64});
    CL_CHECK(clFinish(cl.queue));
    const std::vector<cl_int> values = read<cl_int>(cl, out, count);
    const uint64_t hash = hash_of(values.data(), count * 4);
    if (first == 0) first = hash;
    differing += hash != first;
  } while (std::chrono::steady_clock::now() < end);
  std::printf("stir: %016" PRIx64 ", %" PRIu64 " differ\n", first, differing);
}
