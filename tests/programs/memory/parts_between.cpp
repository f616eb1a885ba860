// SPDX-License-Identifier: Apache-2.0
// While a kernel's results are spread over the devices and nothing is under way, a few bytes are changed.
// Writes, reads, copies, fills and launches too short to be split use the buffer and a part of it. Then the
// kernel runs again.
#include "program.h"

namespace {

constexpr const char* kSource = R"(
  __kernel void stir(__global const int* in, __global int* out, int rounds) {
    int i = get_global_id(0), x = in[i];
    for (int k = 0; k < rounds; ++k) x = x * 31 + k;
    out[i] = x;
  }
  __kernel void bump(__global int* data, int by) { data[get_global_id(0)] += by; })";

}  // namespace

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 65536);  // a multiple of 1024
  const Cl cl = open_cl();
  const cl_program program = build(cl, kSource);
  const cl_kernel stir = kernel_of(program, "stir");
  const cl_kernel bump = kernel_of(program, "bump");
  const cl_mem a = buffer_of(cl, noise<cl_int>(count, 1));
  const cl_mem b = buffer_of(cl, noise<cl_int>(count, 2));
  const cl_mem last_quarter = part(b, 3 * count, count);
  const auto bytes_at = [&](size_t element) { return element * sizeof(cl_int); };
  const size_t places[] = {0, 1, count / 2 - 1, count / 2, count - 2};
  for (cl_int round = 0; round < 12; ++round) {
    set_args(stir, a, b, cl_int(300));
    launch(cl, stir, {count}, {64});
    CL_CHECK(clFinish(cl.queue));
    cl_int words[2] = {round, -round};
    for (const size_t place : places) {
      for (int again = 0; again < 3; ++again) {
        words[0] += again;
        CL_CHECK(clEnqueueWriteBuffer(cl.queue, b, CL_TRUE, bytes_at(place), sizeof words, words, 0, nullptr,
                                      nullptr));
      }
      cl_int neighbours[4] = {};
      const size_t from = std::min(std::max(place, size_t{1}) - 1, count - 4);
      CL_CHECK(clEnqueueReadBuffer(cl.queue, b, CL_TRUE, bytes_at(from), sizeof neighbours, neighbours, 0,
                                   nullptr, nullptr));
      std::printf("%d %zu: %d %d %d %d\n", round, place, neighbours[0], neighbours[1], neighbours[2],
                  neighbours[3]);
    }
    const cl_int pattern = 7 * round;
    if (round % 2 == 0) {
      CL_CHECK(clEnqueueFillBuffer(cl.queue, b, &pattern, sizeof pattern, bytes_at(count / 2 - 8),
                                   bytes_at(16), 0, nullptr, nullptr));
      CL_CHECK(clEnqueueCopyBuffer(cl.queue, b, a, bytes_at(count / 2 - 4), bytes_at(count / 4), bytes_at(8),
                                   0, nullptr, nullptr));
    }
    if (round % 3 == 0) {
      set_args(bump, round % 2 == 0 ? last_quarter : b, cl_int(round));
      launch(cl, bump, {64}, {64});
    }
    if (round % 4 == 3) report<cl_int>(cl, "part", last_quarter, count / 4);
    std::vector<cl_int> fresh(count / 8, round);
    CL_CHECK(clEnqueueWriteBuffer(cl.queue, last_quarter, CL_FALSE, 0, bytes_at(fresh.size()), fresh.data(),
                                  0, nullptr, nullptr));
    set_args(stir, b, a, cl_int(200));
    launch(cl, stir, {count}, {64});
    CL_CHECK(clFinish(cl.queue));
  }
  // A queue of another context has no business with them, wherever their bytes are.
  const Cl other = open_cl();
  cl_int word = 1;
  std::printf("%d %d\n",
              clEnqueueWriteBuffer(other.queue, a, CL_TRUE, 0, sizeof word, &word, 0, nullptr, nullptr),
              clEnqueueReadBuffer(other.queue, a, CL_TRUE, bytes_at(count - 1), sizeof word, &word, 0,
                                  nullptr, nullptr));
  report<cl_int>(cl, "a", a, count);
  report<cl_int>(cl, "b", b, count);
}
