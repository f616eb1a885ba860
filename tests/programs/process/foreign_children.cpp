// SPDX-License-Identifier: Apache-2.0
// A shell-like program: it waits for any child with waitpid(-1), counts SIGCHLD for its own child, and
// expects no others. A library that starts helper processes must keep them out of its sight. (Signals from
// before are not counted: PoCL runs a linker whenever it builds a kernel.)
#include "program.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

static std::atomic<int> signals{0};  // PoCL's threads get signals, too
static void on_child(int) {
  ++signals;
}

int main() {
  struct sigaction action = {};
  action.sa_handler = on_child;
  action.sa_flags = SA_RESTART;
  sigaction(SIGCHLD, &action, nullptr);
  const Cl cl = open_cl();
  const cl_kernel kernel =
      kernel_of(build(cl, "__kernel void k(__global int* d) { int i = get_global_id(0); int x = i;"
                          " for (int j = 0; j < 500; ++j) x = x * 7 + j; d[i] = x; }"),
                "k");
  constexpr size_t count = 100000;
  const cl_mem buffer = new_buffer(cl, count * sizeof(cl_int));
  set_args(kernel, buffer);
  launch(cl, kernel, {count}, {100});
  for (int i = 0; i < 5; ++i)
    launch(cl, kernel, {count}, {100});
  report<cl_int>(cl, "result", buffer, count);
  errno = 0;
  const pid_t none = waitpid(-1, nullptr, WNOHANG);
  std::printf("foreign children: %s\n", none == -1 && errno == ECHILD ? "none" : "some");
  signals = 0;
  const pid_t child = fork();
  if (child == 0) _exit(9);
  int status = 0;
  const pid_t found = waitpid(-1, &status, 0);
  std::printf("own child: %d code %d, signals %d\n", int(found == child), WEXITSTATUS(status),
              signals.load());
}
