// SPDX-License-Identifier: Apache-2.0
// What every work-item is told about where it is. All builtins are called in one to three dimensions, with
// given and NULL local sizes, with and without a global offset. Local sizes chosen by the implementation
// are not printed, only what does not depend on them.
#include "program.h"

static const char* const source = R"(
  __kernel void where(__global int* out, int w, int h, int show_groups) {
    int x = get_global_id(0) - get_global_offset(0);
    int y = get_global_id(1) - get_global_offset(1);
    int z = get_global_id(2) - get_global_offset(2);
    __global int* o = out + 16 * ((z * h + y) * w + x);
    o[0] = get_global_id(0);
    o[1] = get_global_id(1) * 3 + get_global_id(2) * 5;
    o[2] = get_global_size(0) + get_global_size(1) * 1000 + get_global_size(2) * 100000;
    o[3] = get_work_dim();
    o[4] = get_global_offset(0) + 7 * get_global_offset(1) + 49 * get_global_offset(2);
    // True whatever the local size is.
    o[5] = get_group_id(0) * get_local_size(0) + get_local_id(0) == x;
    o[6] = get_group_id(1) * get_local_size(1) + get_local_id(1) == y;
    o[7] = get_group_id(2) * get_local_size(2) + get_local_id(2) == z;
    o[8] = get_num_groups(0) * get_local_size(0) == get_global_size(0);
    o[9] = get_num_groups(1) * get_local_size(1) == get_global_size(1);
    o[10] = get_num_groups(2) * get_local_size(2) == get_global_size(2);
    if (show_groups) {
      o[11] = get_group_id(0) + 100 * get_group_id(1) + 10000 * get_group_id(2);
      o[12] = get_local_id(0) + 100 * get_local_id(1) + 10000 * get_local_id(2);
      o[13] = get_num_groups(0) + 100 * get_num_groups(1) + 10000 * get_num_groups(2);
      o[14] = get_local_size(0) + 100 * get_local_size(1) + 10000 * get_local_size(2);
    }
  })";

int main() {
  const Cl cl = open_cl();
  const cl_kernel kernel = kernel_of(build(cl, source), "where");
  struct Case {
    std::vector<size_t> global, local, offset;
  };
  const Case cases[] = {
      {{4096}, {64}, {}},
      {{4099}, {}, {}},
      {{1000}, {10}, {123}},
      {{997}, {}, {31}},
      {{4096}, {64}, {size_t{1} << 31}},  // what the program makes an int of is none
      {{64, 48}, {8, 4}, {}},
      {{64, 48}, {64, 1}, {5, 6}},
      {{61, 47}, {}, {}},
      {{61, 47}, {}, {2, 3}},
      {{16, 12, 20}, {4, 3, 5}, {}},
      {{16, 12, 20}, {16, 1, 1}, {7, 8, 9}},
      {{13, 11, 17}, {}, {}},
      {{1, 1, 2000}, {1, 1, 4}, {}},
      {{1}, {1}, {}},
      {{1, 1, 1}, {}, {3, 2, 1}},
  };
  for (const Case& c : cases) {
    const size_t w = c.global[0];
    const size_t h = c.global.size() > 1 ? c.global[1] : 1;
    const size_t d = c.global.size() > 2 ? c.global[2] : 1;
    const std::vector<cl_int> zeros(16 * w * h * d, 0);
    const cl_mem out = buffer_of(cl, zeros);
    set_args(kernel, out, cl_int(w), cl_int(h), cl_int(!c.local.empty()));
    CL_CHECK(clEnqueueNDRangeKernel(cl.queue, kernel, cl_uint(c.global.size()),
                                    c.offset.empty() ? nullptr : c.offset.data(), c.global.data(),
                                    c.local.empty() ? nullptr : c.local.data(), 0, nullptr, nullptr));
    std::printf("%zu-D %zu x %zu x %zu ", c.global.size(), w, h, d);
    report<cl_int>(cl, c.local.empty() ? "null local" : "given local", out, zeros.size());
    CL_CHECK(clReleaseMemObject(out));
  }
}
