// SPDX-License-Identifier: Apache-2.0
// Closes every file descriptor from 3 up after OpenCL has started, as daemons do. It opens files of its
// own, which then get those numbers, and goes on using OpenCL. Its files must stay as they are.
#include "program.h"

#include <fcntl.h>
#include <unistd.h>

int main() {
  const Cl cl = open_cl();
  const char* const source = "__kernel void k(__global int* d, int a) { int i = get_global_id(0); int x = i;"
                             " for (int j = 0; j < 300; ++j) x = x * 7 + a; d[i] = x; }";
  constexpr size_t count = 100000;
  const cl_mem buffer = new_buffer(cl, count * sizeof(cl_int));
  const cl_kernel first = kernel_of(build(cl, source), "k");
  set_args(first, buffer, cl_int(1));
  launch(cl, first, {count}, {100});
  CL_CHECK(clFinish(cl.queue));
  for (int fd = 3; fd < 256; ++fd)
    close(fd);
  char path[] = "/tmp/close_fds_XXXXXX";
  const int own = mkstemp(path);
  unlink(path);
  int more[8];
  for (int& fd : more)
    fd = dup(own);
  if (write(own, "mine", 4) != 4) return 1;
  const cl_kernel second = kernel_of(build(cl, source, "-DOTHER"), "k");
  for (int i = 0; i < 3; ++i) {
    set_args(second, buffer, cl_int(i));
    launch(cl, second, {count}, {100});
    report<cl_int>(cl, "after closing", buffer, count);
  }
  char text[64] = {};
  const ssize_t length = pread(own, text, sizeof(text), 0);
  std::printf("own file: %zd bytes '%.4s'\n", length, text);
}
