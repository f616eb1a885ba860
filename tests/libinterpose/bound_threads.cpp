// SPDX-License-Identifier: Apache-2.0
// Run under `mkmd run --devices pocl/2`, from doors_test.py: how many threads of the process are bound to one
// core after captured work, after many launches too small for that, and while captured work is under way
// again.
#include "tests/programs/program.h"

#include <dirent.h>
#include <sched.h>

namespace {

int bound_threads() {
  int count = 0;
  DIR* const folder = opendir("/proc/self/task");
  while (const dirent* entry = folder ? readdir(folder) : nullptr) {
    cpu_set_t where;
    const auto thread = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    if (thread > 0 && sched_getaffinity(thread, sizeof where, &where) == 0) count += CPU_COUNT(&where) == 1;
  }
  closedir(folder);
  return count;
}

}  // namespace

int main() {
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    __kernel void longer(__global float* data) {
      float x = data[get_global_id(0)];
      for (int i = 0; i < 20000; ++i) x = x * 0.999f + 0.25f;
      data[get_global_id(0)] = x;
    }
    __kernel void tiny(__global int* data) { data[get_global_id(0)] += 1; })");
  const cl_kernel longer = kernel_of(program, "longer"), tiny = kernel_of(program, "tiny");
  set_args(longer, buffer_of(cl, std::vector<cl_float>(4096, 1)));
  set_args(tiny, buffer_of(cl, std::vector<cl_int>(16, 0)));
  const auto captured = [&] {
    launch(cl, longer, {4096}, {64});
    clFlush(cl.queue);
    const int bound = bound_threads();
    clFinish(cl.queue);
    return bound;
  };
  captured();
  std::printf("captured %d\n", captured());
  for (int i = 0; i < 1000; ++i)
    launch(cl, tiny, {16}, {16});
  clFinish(cl.queue);
  std::printf("native %d\n", bound_threads());
  std::printf("captured %d\n", captured());
}
