// SPDX-License-Identifier: Apache-2.0
// A child which uses OpenCL handles inherited from its parent: it must get an error code, not hang. (Bare
// PoCL hangs here; the expected output is given in programs.json.)
#include "program.h"

#include <sys/wait.h>
#include <unistd.h>

int main() {
  const Cl cl = open_cl();
  const cl_mem buffer = new_buffer(cl, 4096);
  const cl_int zero = 0;
  CL_CHECK(clEnqueueFillBuffer(cl.queue, buffer, &zero, sizeof(zero), 0, 4096, 0, nullptr, nullptr));
  CL_CHECK(clFinish(cl.queue));
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    char data[4096];
    const cl_int code =
        clEnqueueReadBuffer(cl.queue, buffer, CL_TRUE, 0, sizeof(data), data, 0, nullptr, nullptr);
    _exit(code != CL_SUCCESS && clFinish(cl.queue) != CL_SUCCESS ? 10 : 11);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child: exited %d, got errors %d\n", int(WIFEXITED(status)), int(WEXITSTATUS(status) == 10));
  report<cl_int>(cl, "parent", buffer, 1024);
}
