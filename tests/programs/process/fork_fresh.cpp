// SPDX-License-Identifier: Apache-2.0
// Forks before any OpenCL call; parent and child then both use OpenCL on their own.
#include "program.h"

#include <sys/wait.h>
#include <unistd.h>

static void work(const char* name) {
  const Cl cl = open_cl();
  const cl_kernel kernel =
      kernel_of(build(cl, "__kernel void k(__global int* d) { int i = get_global_id(0); int x = i;"
                          " for (int j = 0; j < 300; ++j) x = x * 3 + j; d[i] = x; }"),
                "k");
  constexpr size_t count = 100000;
  const cl_mem buffer = new_buffer(cl, count * sizeof(cl_int));
  set_args(kernel, buffer);
  launch(cl, kernel, {count}, {100});
  report<cl_int>(cl, name, buffer, count);
  std::fflush(stdout);
}

int main() {
  std::printf("before\n");
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    work("child");
    return 12;
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child: exited %d code %d\n", int(WIFEXITED(status)), WEXITSTATUS(status));
  work("parent");
}
