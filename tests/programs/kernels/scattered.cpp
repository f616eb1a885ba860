// SPDX-License-Identifier: Apache-2.0
// Writes at loaded indices, while everything that may change an index buffer changes it between launches:
// writes, copies, fills, maps and kernels, through the buffer or a part of it. What is stored where depends
// on the place alone, so that results are the same where two indices are equal.
#include "program.h"

#include <algorithm>
#include <numeric>

namespace {

constexpr const char* kSource = R"(
  __kernel void scatter(__global const int* index, __global int* out, int round) {
    int at = index[get_global_id(0)];
    int x = at + round;
    for (int k = 0; k < 300; ++k) x = x * 31 + k;
    out[at] = x;
  }
  // Of places that one work-item has for itself.
  __kernel void add(__global const int* index, __global int* out, int round) {
    int at = index[get_global_id(0)];
    int x = at + round;
    for (int k = 0; k < 300; ++k) x = x * 31 + k;
    out[at] = out[at] * 7 + x;
  }
  __kernel void reverse(__global int* index, int n) {
    int i = get_global_id(0);
    index[i] = n - 1 - index[i];
  }
  __kernel void rows(__global const int* first, __global const int* count, __global int* out, int round) {
    int i = get_global_id(0), at = first[i], n = count[i];
    for (int k = 0; k < n; ++k) {
      int x = out[at + k] + round;
      for (int j = 0; j < 100; ++j) x = x * 31 + j;
      out[at + k] = x;
    }
  }
  __kernel void entries(__global const int* first, __global const int* place, __global int* out, int round) {
    int i = get_global_id(0);
    for (int k = first[i]; k < first[i + 1]; ++k) {
      int at = place[k] / 3, x = out[at] + round;
      for (int j = 0; j < 100; ++j) x = x * 31 + j;
      out[at] = x;
    }
  })";

struct Program {
  explicit Program(size_t n) : n(n) {}

  void launch_twice(const char* what, bool all_differ = true) {
    for (int i = 0; i < 2; ++i) {
      set_args(scatter, index, out, cl_int(round++));
      launch(cl, scatter, {n}, {64});
      if (!all_differ) continue;
      set_args(add, index, out, cl_int(round++));
      launch(cl, add, {n}, {64});
    }
    report<cl_int>(cl, what, out, n);
  }

  const size_t n;
  const Cl cl = open_cl();
  const cl_program program = build(cl, kSource);
  const cl_kernel scatter = kernel_of(program, "scatter"), add = kernel_of(program, "add");
  const cl_mem index = new_buffer(cl, n * 4), out = buffer_of(cl, noise<cl_int>(n, 3));
  int round = 0;
};

std::vector<cl_int> permutation(size_t n, size_t step) {  // which has no factor in common with n
  std::vector<cl_int> values(n);
  for (size_t i = 0; i < n; ++i)
    values[i] = cl_int(i * step % n);
  return values;
}

void change_by_commands(Program& p) {
  const size_t bytes = p.n * 4;
  const std::vector<cl_int> first = permutation(p.n, 7), second = permutation(p.n, 11);
  CL_CHECK(clEnqueueWriteBuffer(p.cl.queue, p.index, CL_TRUE, 0, bytes, first.data(), 0, nullptr, nullptr));
  p.launch_twice("written");
  CL_CHECK(clEnqueueWriteBuffer(p.cl.queue, p.index, CL_FALSE, 0, bytes, second.data(), 0, nullptr, nullptr));
  p.launch_twice("written without waiting");
  const cl_int five = 5;
  CL_CHECK(clEnqueueFillBuffer(p.cl.queue, p.index, &five, 4, 0, bytes / 2, 0, nullptr, nullptr));
  p.launch_twice("filled in part", false);
  const cl_mem other = buffer_of(p.cl, first);
  CL_CHECK(clEnqueueCopyBuffer(p.cl.queue, other, p.index, 0, 0, bytes, 0, nullptr, nullptr));
  p.launch_twice("copied");
  const cl_mem half = part(p.index, bytes / 2, bytes / 2);
  CL_CHECK(clEnqueueCopyBuffer(p.cl.queue, other, half, 0, 0, bytes / 2, 0, nullptr, nullptr));
  p.launch_twice("a part copied", false);
  CL_CHECK(clEnqueueWriteBuffer(p.cl.queue, half, CL_TRUE, 0, bytes / 2, first.data() + p.n / 2, 0, nullptr,
                                nullptr));
  p.launch_twice("a part written");
}

void change_by_kernels(Program& p) {
  const cl_kernel reverse = kernel_of(p.program, "reverse");
  set_args(reverse, p.index, cl_int(p.n));
  for (int i = 0; i < 3; ++i) {
    launch(p.cl, reverse, {p.n}, {64});
    set_args(p.add, p.index, p.out, cl_int(i));
    launch(p.cl, p.add, {p.n}, {64});
  }
  p.launch_twice("reversed");
}

void change_by_maps(Program& p) {
  cl_int error = CL_SUCCESS;
  for (int step : {13, 17}) {
    auto* const mapped = static_cast<cl_int*>(clEnqueueMapBuffer(p.cl.queue, p.index, CL_TRUE, CL_MAP_WRITE,
                                                                 0, p.n * 4, 0, nullptr, nullptr, &error));
    CL_CHECK(error);
    const std::vector<cl_int> values = permutation(p.n, size_t(step));
    std::copy(values.begin(), values.end(), mapped);
    CL_CHECK(clEnqueueUnmapMemObject(p.cl.queue, p.index, mapped, 0, nullptr, nullptr));
    p.launch_twice("mapped");
  }
}

// The host writes where the buffer lies, once it has waited.
void change_host_memory(Program& p) {
  std::vector<cl_int> values = permutation(p.n, 7);
  const cl_mem over = new_buffer(p.cl, p.n * 4, CL_MEM_USE_HOST_PTR, values.data());
  for (int step : {11, 13}) {
    set_args(p.add, over, p.out, cl_int(step));
    launch(p.cl, p.add, {p.n}, {64});
    CL_CHECK(clFinish(p.cl.queue));
    const std::vector<cl_int> next = permutation(p.n, size_t(step));
    cl_int error = CL_SUCCESS;
    void* const mapped =
        clEnqueueMapBuffer(p.cl.queue, over, CL_TRUE, CL_MAP_WRITE, 0, p.n * 4, 0, nullptr, nullptr, &error);
    CL_CHECK(error);
    std::copy(next.begin(), next.end(), values.begin());
    CL_CHECK(clEnqueueUnmapMemObject(p.cl.queue, over, mapped, 0, nullptr, nullptr));
  }
  report<cl_int>(p.cl, "host memory", p.out, p.n);
}

// Buffers that come and go lie where others did.
void change_by_new_buffers(Program& p) {
  for (size_t step : {7, 11, 13}) {
    const cl_mem index = buffer_of(p.cl, permutation(p.n, step), CL_MEM_READ_ONLY);
    set_args(p.add, index, p.out, cl_int(step));
    launch(p.cl, p.add, {p.n}, {64});
    launch(p.cl, p.add, {p.n}, {64});
    CL_CHECK(clReleaseMemObject(index));
    CL_CHECK(clFinish(p.cl.queue));
  }
  report<cl_int>(p.cl, "new buffers", p.out, p.n);
}

void rows(Program& p) {
  std::vector<cl_int> first(p.n / 4), count(p.n / 4);
  const std::vector<cl_uint> random = noise<cl_uint>(p.n, 9);
  for (size_t i = 0; i < first.size(); ++i) {
    if (i > 0) first[i] = first[i - 1] + count[i - 1];
    count[i] = std::min(cl_int(random[i] % 7), cl_int(p.n) - first[i]);
  }
  const cl_mem index = buffer_of(p.cl, first), counts = buffer_of(p.cl, count);
  const cl_kernel kernel = kernel_of(p.program, "rows");
  for (int i = 0; i < 4; ++i) {
    set_args(kernel, index, counts, p.out, cl_int(i));
    launch(p.cl, kernel, {p.n / 4}, {64});
  }
  report<cl_int>(p.cl, "rows", p.out, p.n);

  // The same rows, by where they begin. Their entries lie anywhere.
  first.push_back(first.back() + count.back());
  std::vector<cl_int> place = permutation(p.n, 7);
  for (size_t i = 0; i < p.n; ++i)
    place[i] = place[i] * 3 + cl_int(i % 3);
  const cl_mem bounds = buffer_of(p.cl, first), places = buffer_of(p.cl, place);
  const cl_kernel entries = kernel_of(p.program, "entries");
  for (int i = 0; i < 4; ++i) {
    set_args(entries, bounds, places, p.out, cl_int(i));
    launch(p.cl, entries, {p.n / 4}, {64});
  }
  report<cl_int>(p.cl, "entries of rows", p.out, p.n);
}

}  // namespace

int main(int argc, char** argv) {
  Program p(round_up(size_argument(argc, argv, 1 << 16), 256));
  change_by_commands(p);
  change_by_kernels(p);
  change_by_maps(p);
  change_host_memory(p);
  change_by_new_buffers(p);
  rows(p);
}
