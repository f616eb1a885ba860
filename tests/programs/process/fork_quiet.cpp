// SPDX-License-Identifier: Apache-2.0
// Forks while OpenCL is in use; the child does something else and exits both ways a child may exit. The
// parent goes on computing.
#include "program.h"

#include <sys/wait.h>
#include <unistd.h>

int main() {
  const Cl cl = open_cl();
  const cl_kernel kernel = kernel_of(build(cl, R"(
    __kernel void stir(__global int* data) {
      int i = get_global_id(0);
      int x = data[i];
      for (int k = 0; k < 200; ++k) x = x * 31 + k;
      data[i] = x;
    })"),
                                     "stir");
  constexpr size_t count = 100000;
  const cl_mem buffer = buffer_of(cl, noise<cl_int>(count, 9));
  set_args(kernel, buffer);
  for (const bool plain_exit : {false, true}) {
    launch(cl, kernel, {count}, {50});
    CL_CHECK(clFlush(cl.queue));
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // a child that hangs at exit shows as a signal
      if (plain_exit) std::exit(41);
      _exit(40);
    }
    int status = 0;
    waitpid(child, &status, 0);
    std::printf("child: exited %d code %d\n", int(WIFEXITED(status)), WEXITSTATUS(status));
    launch(cl, kernel, {count}, {50});
    report<cl_int>(cl, "parent", buffer, count);
  }
}
